// What goes away in an outage drill, and how it comes back.
import { readFileSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { type EmbeddedTemporal, startEmbeddedTemporal } from '../../workers/temporal/embedded-temporal';
import type { Stage } from './fault-stage';

export type Absence =
  | 'api'
  | 'authentication'
  | 'storage'
  | 'temporal'
  | 'share'
  | 'everything'
  | "temporal's database";

export const ABSENCES: readonly Absence[] = [
  'api',
  'authentication',
  'storage',
  'temporal',
  'share',
  'everything',
  "temporal's database",
];

/** A Temporal server of a drill's own, with its database in a file. */
export class DrillServer {
  readonly #cli: string;
  readonly #port: number;
  readonly #folder: string;
  #server: EmbeddedTemporal | undefined;

  constructor(cli: string, port: number, folder: string) {
    this.#cli = cli;
    this.#port = port;
    this.#folder = folder;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#server = await startEmbeddedTemporal({
      cli: this.#cli,
      port: this.#port,
      database: this.#database,
      logFile: `${this.#folder}/temporal.log`,
      logLevel: 'error',
    });
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    const { pid } = JSON.parse(readFileSync(`${this.#database}.pid`, 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await this.#server?.exited;
  }

  /** While it is not running. */
  deleteDatabase(): void {
    for (const ending of ['', '-wal', '-shm', '-journal'])
      rmSync(`${this.#database}${ending}`, { force: true });
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get #database(): string {
    return `${this.#folder}/temporal.db`;
  }
}

/** Whether the drill needs a server that it may kill. */
export function killsServer(absence: Absence): boolean {
  return absence === 'temporal' || absence === 'everything' || absence === "temporal's database";
}

/** Sends it away. */
export async function leave(absence: Absence, stage: Stage, server: DrillServer | undefined): Promise<void> {
  const { control, shareFolder } = stage;
  const isAll = absence === 'everything';
  await control.setOutages({
    ...(absence === 'api' || isAll ? { api: 'refuse' } : {}),
    ...(absence === 'authentication' || isAll ? { auth: 'silent' } : {}),
    ...(absence === 'storage' || isAll ? { storage: 'reset' } : {}),
  });
  // A token that lasts would hide that nobody gives new ones.
  if (absence === 'authentication') await control.expireTokens();
  if (absence === 'share' || isAll) await rename(shareFolder, `${shareFolder}-away`);
  if (killsServer(absence)) await server?.kill();
  if (absence === "temporal's database") server?.deleteDatabase();
}

/** Brings it back. */
export async function comeBack(
  absence: Absence,
  stage: Stage,
  server: DrillServer | undefined,
): Promise<void> {
  const { control, shareFolder } = stage;
  if (killsServer(absence)) await server?.start();
  if (absence === 'share' || absence === 'everything') await rename(`${shareFolder}-away`, shareFolder);
  await control.setOutages({ api: 'none', auth: 'none', storage: 'none' });
}
