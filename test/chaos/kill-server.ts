// The part `server-kills`: the Temporal development server is killed in the middle of a batch, at moments
// told by the stand-in's log, and started again on the same database; worker and watcher live through it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedTemporal, startEmbeddedTemporal } from '../../workers/temporal/embedded-temporal';
import { findFreePorts } from '../setup/free-port';
import { KillBed, toViolation } from './kill-bed';
import { FROM_DROP_TO_RECEIPT } from './kill-plays';
import { createChance } from './kill-points';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';

/** Kills of one server, a batch each; the groups run side by side. */
const GROUPS = { short: [2], long: [7, 7, 7] } as const;
/** About what a batch of three files writes into the stand-in's log. */
const OPERATIONS_A_BATCH = 60;
const LOOK_EVERY_MS = 20;

export const serverKills: ChaosPart = {
  name: 'server-kills',
  about: 'SIGKILL of the Temporal server in the middle of batches, restarted on the same database',
  run: runServerKills,
};

async function runServerKills(options: PartOptions): Promise<PartResult> {
  const chance = createChance(options.seed);
  const sizes = GROUPS[options.form];
  const kills = sizes.reduce<number>((sum, size) => sum + size, 0);
  // Spread over the whole batch, each a little by chance.
  const moments = Array.from({ length: kills }, (_, turn) =>
    Math.floor(((turn + chance()) / kills) * OPERATIONS_A_BATCH),
  );
  const groups: Group[] = [];
  const violations: Violation[] = [];
  try {
    for (const number of sizes.keys()) groups.push(await Group.open(number + 1, options));
    await Promise.all(
      groups.map(async (group, number) => {
        const mine = moments.filter((_, turn) => turn % groups.length === number);
        violations.push(...(await group.run(mine)));
      }),
    );
  } finally {
    for (const group of groups) await group.close();
  }
  const killed = groups.reduce((sum, group) => sum + group.kills, 0);
  return {
    cases: kills,
    violations,
    figures: { 'kills of the server': killed, 'at entry of the log': moments.join(' ') },
  };
}

class Group {
  kills = 0;
  readonly #name: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #options: PartOptions;
  #server: EmbeddedTemporal;
  readonly #bed: KillBed;

  private constructor(
    name: string,
    folder: string,
    port: number,
    options: PartOptions,
    server: EmbeddedTemporal,
    bed: KillBed,
  ) {
    this.#name = name;
    this.#folder = folder;
    this.#port = port;
    this.#options = options;
    this.#server = server;
    this.#bed = bed;
  }

  static async open(number: number, options: PartOptions): Promise<Group> {
    const name = `server ${number}`;
    const folder = mkdtempSync(join(tmpdir(), 'drawbridge-server-'));
    const [port = 0] = await findFreePorts(1);
    const server = await startServer(folder, port, options);
    const bed = await KillBed.open({
      play: FROM_DROP_TO_RECEIPT,
      dist: options.dist,
      case: name,
      temporalAddress: server.address,
    });
    return new Group(name, folder, port, options, server, bed);
  }

  /** A batch for each moment; everything is judged at the end. */
  async run(moments: readonly number[]): Promise<Violation[]> {
    try {
      const worker = this.#bed.start('worker');
      this.#bed.start('watch');
      for (const [turn, moment] of moments.entries()) {
        const before = (await this.#bed.rig.control.operations()).at(-1)?.seq ?? 0;
        if (turn > 0) this.#bed.drop();
        await this.#killAt(moment, before);
        await this.#bed.untilSettledOrEnded(worker);
        this.#options.say(`  ${this.#name}: killed at entry ${moment} of the log, and the batch has ended`);
      }
      return await this.#bed.judgeEnd(undefined);
    } catch (error: unknown) {
      return [toViolation(error, this.#name)];
    }
  }

  async close(): Promise<void> {
    await this.#bed.close();
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** When the stand-in's log has grown by so many entries since `before`, or the batch has ended sooner. */
  async #killAt(moment: number, before: number): Promise<void> {
    const { control } = this.#bed.rig;
    while ((await control.operations(before)).length < moment && !(await this.#bed.isSettled())) {
      await delay(LOOK_EVERY_MS);
    }
    const { pid } = JSON.parse(readFileSync(`${databaseIn(this.#folder)}.pid`, 'utf8')) as { pid: number };
    const from = Date.now();
    process.kill(pid, 'SIGKILL');
    await this.#server.exited;
    this.kills += 1;
    this.#server = await startServer(this.#folder, this.#port, this.#options);
    this.#bed.interruptions.push({ kind: 'killed', from, until: Date.now() });
  }
}

async function startServer(
  folder: string,
  port: number,
  { temporalCli }: PartOptions,
): Promise<EmbeddedTemporal> {
  return await startEmbeddedTemporal({
    cli: temporalCli,
    port,
    database: databaseIn(folder),
    logFile: join(folder, 'temporal.log'),
    logLevel: 'warn',
  });
}

function databaseIn(folder: string): string {
  return join(folder, 'temporal.db');
}
