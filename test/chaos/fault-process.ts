// Processes of the built product that can be killed, frozen and started again.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import { giveWay } from './give-way';

/** The product as it is set up for a case. */
export interface Installation {
  /** Root of the built product. */
  readonly dist: string;
  /** With drawbridge.json in it; the log goes there as well. */
  readonly folder: string;
  readonly temporalAddress: string;
  readonly namespace: string;
}

export interface ProcessOptions extends Installation {
  readonly command: 'worker' | 'watch';
  /** For the name of the log. */
  readonly name?: string;
  /** Loaded before everything else, with what it is told in the environment. */
  readonly preload?: Preload | undefined;
}

export interface Preload {
  readonly module: string;
  readonly env: NodeJS.ProcessEnv;
}

export class ProductProcess {
  readonly #child: ChildProcess;
  readonly #logFile: string;
  #isAsked = false;

  constructor(options: ProcessOptions) {
    const { command, dist, folder, name = command, preload } = options;
    this.#logFile = logFileOf(folder, name);
    // What Node says when it gives up is nowhere else.
    const output = openSync(join(folder, `${name}.output`), 'a');
    this.#child = fork(
      join(dist, 'client', 'main.js'),
      [command, '--config', join(folder, 'drawbridge.json')],
      {
        stdio: ['ignore', output, output, 'ipc'],
        // Killed or not, the suite leaves no process behind.
        execArgv: [
          '-r',
          join(__dirname, 'fault-orphan.js'),
          ...(preload === undefined ? [] : ['-r', preload.module]),
        ],
        env: { ...environmentOf(options, name), ...preload?.env },
      },
    );
    closeSync(output);
    giveWay(this.#child.pid);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Null while it runs, and where a signal has killed it. */
  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  /** Whether its log has an event of this name. */
  hasSaid(event: string): boolean {
    try {
      return readFileSync(this.#logFile, 'utf8').includes(`"event":"${event}"`);
    } catch {
      return false;
    }
  }

  /** Ended, and nobody asked it to. */
  get hasGivenUp(): boolean {
    return !this.isRunning && !this.#isAsked;
  }

  /** As a power cut would: nothing is finished, nothing is said. */
  async kill(): Promise<void> {
    this.#tell('SIGKILL');
    await this.ended();
  }

  /** Asked to end: it finishes or hands back what it has in hand. */
  async stop(): Promise<void> {
    this.tellToEnd();
    await this.ended();
  }

  /** The same, not waited for. */
  tellToEnd(): void {
    this.#tell('SIGTERM');
  }

  /** Whoever ended it. */
  async ended(): Promise<void> {
    if (this.isRunning) await once(this.#child, 'exit');
  }

  /** Stands still, with its connections open, until `thaw`. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  #tell(signal: NodeJS.Signals): void {
    if (!this.isRunning) return;
    this.#isAsked = true;
    this.#child.kill(signal);
  }
}

/** A command as an operator gives it. Answers when it has ended, with what it said. */
export async function runCommand(
  installation: Installation,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { dist, folder } = installation;
  const child = spawn(
    process.execPath,
    [join(dist, 'client', 'main.js'), '--config', join(folder, 'drawbridge.json'), ...args],
    { stdio: ['ignore', 'pipe', 'pipe'], env: environmentOf(installation, 'command') },
  );
  let output = '';
  const hear = (data: Buffer): void => {
    output += data.toString();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

function logFileOf(folder: string, name: string): string {
  return join(folder, `${name}.log`);
}

function environmentOf(
  { folder, temporalAddress, namespace }: Installation,
  name: string,
): NodeJS.ProcessEnv {
  return {
    ...process.env,
    DRAWBRIDGE_CLIENT_SECRET: DEFAULT_CREDENTIALS.clientSecret,
    DRAWBRIDGE_LOGGING__FILE: logFileOf(folder, name),
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
  };
}
