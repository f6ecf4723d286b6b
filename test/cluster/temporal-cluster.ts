// Temporal as the compose file describes it: PostgreSQL, the set-up script, the server; without containers.
import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { childEnvironment } from '../../workers/temporal/child-environment';
import { type ComposeFile, environmentOf } from './compose-file';
import { Postgresql } from './postgresql';
import { SupervisedProcess } from './supervised-process';

const run = promisify(execFile);
const HOST = '127.0.0.1';
const READY_WITHIN_MS = 120_000;
const READY_POLL_MS = 300;
const KILL_AFTER_MS = 10_000;
const RESTART_AFTER_MS = 1_000;
/** Ending over and over again is no coming up. */
const MOST_RESTARTS = 20;
const SETUP_SCRIPT = '/temporal-setup.sh';

/**
 * Ports of the server's own that the compose file leaves at their defaults: containers
 * do not share them, processes do.
 */
const INNER_PORTS = [
  'FRONTEND_HTTP_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
] as const;

/** How many free ports a cluster needs. */
export const TEMPORAL_PORTS = INNER_PORTS.length + 2;

export interface TemporalClusterInput {
  readonly compose: ComposeFile;
  readonly folder: string;
  readonly logs: string;
  /** TEMPORAL_PORTS of them, all free. */
  readonly ports: readonly number[];
  readonly postgresqlPrograms: string;
  /** Folder of temporal-server and temporal-sql-tool. */
  readonly temporalPrograms: string;
  /** The Temporal CLI. */
  readonly cli: string;
  readonly signal: AbortSignal;
}

export class TemporalCluster {
  readonly address: string;
  readonly postgresql: Postgresql;
  readonly server: SupervisedProcess;
  readonly #input: TemporalClusterInput;
  readonly #sql: Record<string, string>;

  constructor(input: TemporalClusterInput) {
    this.#input = input;
    const [databasePort = 0, frontendPort = 0, ...innerPorts] = input.ports;
    this.address = `${HOST}:${frontendPort}`;
    this.#sql = environmentOf(input.compose, 'temporal-schema', {
      SQL_HOST: HOST,
      SQL_PORT: String(databasePort),
    });
    this.postgresql = new Postgresql({
      programs: input.postgresqlPrograms,
      folder: join(input.folder, 'postgresql'),
      logFile: join(input.logs, 'postgresql.log'),
      port: databasePort,
      user: this.#sql.SQL_USER ?? '',
      password: this.#sql.SQL_PASSWORD ?? '',
      signal: input.signal,
    });
    this.server = new SupervisedProcess({
      name: 'temporal',
      command: join(input.temporalPrograms, 'temporal-server'),
      args: ['start'],
      environment: {
        ...childEnvironment(process.env),
        ...environmentOf(input.compose, 'temporal', {
          POSTGRES_SEEDS: HOST,
          DB_PORT: String(databasePort),
          BIND_ON_IP: HOST,
        }),
        FRONTEND_GRPC_PORT: String(frontendPort),
        ...Object.fromEntries(INNER_PORTS.map((name, index) => [name, String(innerPorts[index])])),
      },
      logFile: join(input.logs, 'temporal.log'),
      killAfterMs: KILL_AFTER_MS,
      restartAfterMs: RESTART_AFTER_MS,
    });
  }

  /** Everything up, in the compose file's order. */
  async start(): Promise<void> {
    mkdirSync(this.#programs);
    // Called by this name in the set-up script, whatever TEMPORAL_CLI is called.
    symlinkSync(this.#input.cli, join(this.#programs, 'temporal'));
    await this.postgresql.initialise();
    await this.postgresql.start();
    await this.setUp('temporal-schema');
    await this.server.start();
    await this.untilServed();
    await this.setUp('temporal-namespace');
  }

  /** Runs the compose file's set-up script as one of its services does; it may be run again at any time. */
  async setUp(service: 'temporal-schema' | 'temporal-namespace'): Promise<void> {
    const { compose, temporalPrograms, logs, signal } = this.#input;
    const { command, volumes = [] } = compose.services[service] ?? {};
    const script = volumes.find(({ target }) => target === SETUP_SCRIPT)?.source;
    if (script === undefined) throw new Error(`The compose file mounts no ${SETUP_SCRIPT} into ${service}.`);
    const inherited = childEnvironment(process.env);
    const told =
      service === 'temporal-schema'
        ? this.#sql
        : environmentOf(compose, service, { TEMPORAL_ADDRESS: this.address });
    const path = [this.#programs, temporalPrograms, inherited.PATH ?? ''].join(delimiter);
    const env = { ...inherited, ...told, PATH: path };
    const { stdout, stderr } = await run('/bin/sh', [script, ...(command ?? [])], { env, signal });
    appendFileSync(join(logs, 'temporal-setup.log'), `${stdout}${stderr}`);
  }

  /** Until the server answers, and its database answers it. */
  async untilServed(): Promise<void> {
    const deadline = performance.now() + READY_WITHIN_MS;
    const restartsBefore = this.server.restarts;
    while (!(await this.#answers())) {
      if (performance.now() > deadline || this.server.restarts - restartsBefore > MOST_RESTARTS) {
        throw new Error(`Temporal does not come up. The end of its log:\n${this.server.lastLines()}`);
      }
      await delay(READY_POLL_MS, undefined, { signal: this.#input.signal });
    }
  }

  /** PostgreSQL last, for the server still writes while it ends. */
  async stop(): Promise<void> {
    await this.server.stop();
    await this.postgresql.process.stop();
  }

  get #programs(): string {
    return join(this.#input.folder, 'programs');
  }

  async #answers(): Promise<boolean> {
    let connection: Connection | undefined;
    try {
      connection = await Connection.connect({ address: this.address, connectTimeout: READY_POLL_MS * 10 });
      const open = connection;
      await open.withDeadline(Date.now() + READY_POLL_MS * 10, () =>
        open.workflowService.listNamespaces({ pageSize: 1 }),
      );
      return true;
    } catch {
      return false;
    } finally {
      await connection?.close();
    }
  }
}
