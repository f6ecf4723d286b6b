// A worker, or a watcher, as a process of its own, from the built product, so that it can be
// killed as processes are killed.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import type { Rig } from './rig';

const ROOT = join(__dirname, '..', '..');

export interface WorkerProcessOptions {
  /** Which part of the product; `worker` by default. */
  readonly command?: 'worker' | 'watch';
  /** Root of the built product; the project's own build by default. */
  readonly dist?: string | undefined;
  /** For Node itself, such as a module to load first. */
  readonly execArgv?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export class WorkerProcess {
  readonly #child: ChildProcess;
  /** How it ended; `signal` names what killed it. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;

  /** The build must be up to date; `npm test` sees to it. */
  constructor(rig: Rig, options: WorkerProcessOptions = {}) {
    // From the sources (jest) or from dist (bench): the product that is run is the built one.
    const dist = options.dist ?? (ROOT.endsWith('dist') ? ROOT : join(ROOT, 'dist'));
    const command = options.command ?? 'worker';
    this.#child = fork(
      join(dist, 'client', 'main.js'),
      [command, '--config', join(rig.folder, 'drawbridge.json')],
      {
        stdio: 'ignore',
        execArgv: [...(options.execArgv ?? [])],
        env: {
          ...process.env,
          ...options.env,
          DRAWBRIDGE_CLIENT_SECRET: DEFAULT_CREDENTIALS.clientSecret,
          DRAWBRIDGE_LOGGING__FILE: join(rig.folder, `${command}.log`),
          TEMPORAL_ADDRESS: rig.temporal.address,
          TEMPORAL_NAMESPACE: rig.temporal.namespace,
        },
      },
    );
    this.ended = new Promise(resolve => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** As a power cut would: nothing is finished, nothing is said. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill(signal);
    await this.ended;
  }
}
