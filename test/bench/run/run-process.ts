// `npm start` as people have it, in a folder and on ports of its own: how long until it is ready, how much
// memory it takes, how long until it has ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPortFree } from '../../../workers/temporal/free-port';
import { findFreePorts } from '../../setup/free-port';

/** The bench runs from dist/. */
const PROGRAM = join(__dirname, '..', '..', '..', '..', 'scripts', 'drawbridge.mjs');
const READY = 'Drawbridge is running.';

export interface RunSettings {
  /** Everything of it lies here. */
  readonly folder: string;
  /** As in the configuration; without, `run` makes one for itself. */
  readonly shares?: readonly object[];
  /** How many times faster the stand-in runs. */
  readonly speed?: number;
}

export class RunProcess {
  readonly #child: ChildProcess;
  readonly readyMs: number;

  private constructor(child: ChildProcess, readyMs: number) {
    this.#child = child;
    this.readyMs = readyMs;
  }

  /** Resolves when it says that it is ready. */
  static async start({ folder, shares = [], speed = 10 }: RunSettings): Promise<RunProcess> {
    mkdirSync(folder, { recursive: true });
    const [port = 0, uiPort = 0, pagePort = 0] = await findFreePorts(3);
    const config = join(folder, 'drawbridge.json');
    const embedded = { port, uiPort };
    writeFileSync(config, JSON.stringify({ temporal: { embedded }, console: { port: pagePort }, shares }));
    const options = ['--config', config, '--data-dir', join(folder, 'data')];
    const standIn = ['--stand-in-port', String(await fourPorts()), '--stand-in-speed', String(speed)];
    const beganMs = performance.now();
    const child = spawn(process.execPath, [PROGRAM, ...options, 'run', ...standIn], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.once('close', code => reject(new Error(`It ended with ${code} before it was ready:\n${said}`)));
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        if (said.includes(READY)) return;
        said += text;
        if (said.includes(READY)) resolve();
      });
    });
    return new RunProcess(child, performance.now() - beganMs);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** As Ctrl-C does. @returns how long it took. */
  async stop(): Promise<number> {
    const beganMs = performance.now();
    const closed = new Promise<number | null>(resolve => this.#child.once('close', resolve));
    this.#child.kill('SIGINT');
    const code = await closed;
    if (code !== 0) throw new Error(`It ended with ${code}.`);
    return performance.now() - beganMs;
  }
}

async function fourPorts(): Promise<number> {
  for (;;) {
    const [first = 0] = await findFreePorts(1);
    const free = await Promise.all([1, 2, 3].map(offset => isPortFree(first + offset)));
    if (free.every(Boolean)) return first;
  }
}
