// A worker as a process of its own, from the built product, so that it can be killed as processes are killed.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import type { Rig } from './rig';

const ROOT = join(__dirname, '..', '..');

export interface WorkerProcessOptions {
  /** Root of the built product; the project's own build by default. */
  readonly dist?: string | undefined;
  /** For Node itself, such as a module to load first. */
  readonly execArgv?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export class WorkerProcess {
  readonly #child: ChildProcess;

  /** The build must be up to date; `npm test` sees to it. */
  constructor(rig: Rig, options: WorkerProcessOptions = {}) {
    // From the sources (jest) or from dist (bench): the product that is run is the built one.
    const dist = options.dist ?? (ROOT.endsWith('dist') ? ROOT : join(ROOT, 'dist'));
    this.#child = fork(
      join(dist, 'client', 'main.js'),
      ['worker', '--config', join(rig.folder, 'drawbridge.json')],
      {
        stdio: 'ignore',
        execArgv: [...(options.execArgv ?? [])],
        env: {
          ...process.env,
          ...options.env,
          DRAWBRIDGE_CLIENT_SECRET: DEFAULT_CREDENTIALS.clientSecret,
          DRAWBRIDGE_LOGGING__FILE: join(rig.folder, 'worker.log'),
          TEMPORAL_ADDRESS: rig.temporal.address,
          TEMPORAL_NAMESPACE: rig.temporal.namespace,
        },
      },
    );
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
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
  }
}
