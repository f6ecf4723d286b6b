// The product's parts of the cluster, each a process of its own as the compose file starts it: three workers
// on two hosts (a state folder each), a watcher, and the stand-in service that all of them work with.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from '../../workers/temporal/child-environment';
import { SandboxControl } from '../sandbox/control';
import { DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import { type ComposeFile, environmentOf } from './compose-file';
import { SupervisedProcess } from './supervised-process';

const HOST = '127.0.0.1';
const KILL_AFTER_MS = 60_000;
const STAND_IN_KILL_AFTER_MS = 5_000;
const RESTART_AFTER_MS = 1_000;
/** Of the stand-in's time: fast enough for a short run, slow enough to be killed in the middle of. */
const TIME_SCALE = 10;

/** How many free ports the stand-in needs. */
export const STAND_IN_PORTS = 4;

export interface DrawbridgePartsInput {
  readonly compose: ComposeFile;
  /** Root of the built product. */
  readonly dist: string;
  readonly folder: string;
  readonly logs: string;
  readonly share: string;
  readonly temporalAddress: string;
  /** STAND_IN_PORTS of them, all free. */
  readonly ports: readonly number[];
  readonly workers: number;
  readonly filesPerBatch: number;
}

export class DrawbridgeParts {
  readonly controlUrl: string;
  readonly control: SandboxControl;
  readonly standIn: SupervisedProcess;
  readonly workers: readonly SupervisedProcess[];
  readonly watcher: SupervisedProcess;
  readonly #input: DrawbridgePartsInput;

  constructor(input: DrawbridgePartsInput) {
    this.#input = input;
    const [api = 0, auth = 0, storage = 0, control = 0] = input.ports;
    this.controlUrl = `http://${HOST}:${control}`;
    this.control = new SandboxControl(this.controlUrl);
    this.standIn = this.#toProcess('stand-in', {
      program: join('test', 'sandbox', 'main.js'),
      args: [
        ...['--api-port', String(api), '--auth-port', String(auth)],
        ...['--storage-port', String(storage), '--control-port', String(control)],
        ...['--time-scale', String(TIME_SCALE), '--no-limits'],
      ],
      environment: {},
      killAfterMs: STAND_IN_KILL_AFTER_MS,
    });
    this.workers = Array.from({ length: input.workers }, (_, index) =>
      // The last one is a host by itself; the others share theirs, and with it their tokens.
      this.#toPart('worker', `worker-${index + 1}`, index + 1 < input.workers ? 'host-a' : 'host-b'),
    );
    this.watcher = this.#toPart('watcher', 'watcher', 'host-a');
  }

  /** The service first; the product's parts find each other in any order. */
  async start(): Promise<void> {
    mkdirSync(this.#input.share, { recursive: true });
    writeFileSync(this.#secretFile, DEFAULT_CREDENTIALS.clientSecret, { mode: 0o600 });
    writeFileSync(this.#shareKeyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
    await this.standIn.start();
    await Promise.all([...this.workers, this.watcher].map(part => part.start()));
  }

  async stop(): Promise<void> {
    await this.watcher.stop();
    await Promise.all(this.workers.map(worker => worker.stop()));
    await this.standIn.stop();
  }

  get #shareKeyFile(): string {
    return join(this.#input.folder, 'share-key');
  }

  get #secretFile(): string {
    return join(this.#input.folder, 'client-secret');
  }

  #toPart(service: 'worker' | 'watcher', name: string, host: string): SupervisedProcess {
    const { compose, temporalAddress } = this.#input;
    return this.#toProcess(name, {
      program: join('client', 'main.js'),
      args: compose.services[service]?.command ?? [],
      environment: {
        ...environmentOf(compose, service, { TEMPORAL_ADDRESS: temporalAddress }),
        ...this.#settings(host),
      },
      killAfterMs: KILL_AFTER_MS,
      restartAfterMs: RESTART_AFTER_MS,
    });
  }

  /** Over docker/drawbridge.json: where things are on this machine, and the pace of a short run. */
  #settings(host: string): Record<string, string> {
    const { folder, share, filesPerBatch } = this.#input;
    return {
      DRAWBRIDGE_STATE_DIR: join(folder, host),
      // Two hosts, one share: they have its key in common.
      DRAWBRIDGE_SHARE_KEY: JSON.stringify({ file: this.#shareKeyFile }),
      DRAWBRIDGE_SERVICE__ENVIRONMENT: 'sandbox',
      DRAWBRIDGE_SERVICE__ALLOW_INSECURE_LOOPBACK: 'true',
      DRAWBRIDGE_SERVICE__CLIENT_SECRET: JSON.stringify({ file: this.#secretFile }),
      DRAWBRIDGE_SHARES__TENDER__FOLDER: share,
      DRAWBRIDGE_SHARES__TENDER__SETTLE: '1s',
      DRAWBRIDGE_SHARES__TENDER__SCAN_EVERY: '1s',
      DRAWBRIDGE_SHARES__TENDER__BATCH__MAX_FILES: String(filesPerBatch),
      DRAWBRIDGE_SHARES__TENDER__BATCH__MAX_OPEN: '6',
      DRAWBRIDGE_SHARES__TENDER__DEFAULTS__Revision: 'A',
      DRAWBRIDGE_SHARES__TENDER__ANALYSIS__FIRST_LOOK: '1s',
      DRAWBRIDGE_SHARES__TENDER__ANALYSIS__EVERY: '1s',
      DRAWBRIDGE_SHARES__TENDER__ANALYSIS__TYPICAL: '3s',
    };
  }

  #toProcess(
    name: string,
    part: {
      readonly program: string;
      readonly args: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
      readonly killAfterMs: number;
      readonly restartAfterMs?: number;
    },
  ): SupervisedProcess {
    const { program, args, environment, ...rest } = part;
    return new SupervisedProcess({
      name,
      command: process.execPath,
      args: [join(this.#input.dist, program), ...args],
      environment: { ...childEnvironment(process.env), ...environment },
      logFile: join(this.#input.logs, `${name}.log`),
      ...rest,
    });
  }
}
