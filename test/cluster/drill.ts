// What is done to the cluster while 20 batches go through it, and what was seen at each moment.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { DrawbridgeParts } from './drawbridge-parts';
import type { SupervisedProcess } from './supervised-process';
import type { TemporalCluster } from './temporal-cluster';

const LOOK_EVERY_MS = 200;
const WATCHED_WITHIN_MS = 60_000;
const WORKER_AWAY_MS = 5_000;
const STALLED_AFTER_MS = 5 * 60_000;
/** Each byte transfer takes at least this long, so that every kill finds something under way. */
const TRANSFER_MS = 250;
/** PENDING_ACTIVITY_STATE_STARTED of the Temporal API. */
const STARTED = 2;

export interface Moment {
  readonly atMs: number;
  readonly what: string;
  readonly finished: number;
  readonly open: number;
  readonly note: string;
}

export interface DrillInput {
  readonly temporal: TemporalCluster;
  readonly parts: DrawbridgeParts;
  readonly share: string;
  readonly batches: number;
  readonly filesPerBatch: number;
  /**
   * How long Temporal and its database stay away; a worker is started again soon, as its supervisor would.
   */
  readonly awayMs: number;
  readonly signal: AbortSignal;
  readonly say: (moment: Moment) => void;
}

export interface DrillResult {
  readonly moments: readonly Moment[];
  /** SHA-256 of each file by its path below the drop folder. */
  readonly dropped: ReadonlyMap<string, string>;
  /** Kills that struck while some batches were finished and others under way. */
  readonly killsInTheMiddle: number;
  readonly seconds: number;
}

/** Batches as the share has them: that stays readable whatever else is away. */
function countBatches(share: string): { finished: number; open: number } {
  const own = join(share, '.drawbridge');
  const finished = list(join(own, 'finished')).flatMap(month => list(join(own, 'finished', month)));
  return { finished: finished.length, open: list(join(own, 'batches')).length };
}

/** Until the watcher has made the folders of the share. */
export async function untilWatched(share: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + WATCHED_WITHIN_MS;
  while (!list(share).includes('drop')) {
    if (performance.now() > deadline) throw new Error('The watcher makes no drop folder; its log says why.');
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}

export class Drill {
  readonly #input: DrillInput;
  readonly #moments: Moment[] = [];
  readonly #began = performance.now();
  #killsInTheMiddle = 0;

  constructor(input: DrillInput) {
    this.#input = input;
  }

  /** Returns when every batch has ended; throws when nothing ends any more. */
  async run(): Promise<DrillResult> {
    const { parts, temporal, batches } = this.#input;
    await untilWatched(this.#input.share, this.#input.signal);
    await parts.control.addFault({
      route: 'storage.put',
      times: 0,
      action: { kind: 'delay', ms: TRANSFER_MS },
    });
    const dropped = this.#drop();
    this.#note('files dropped', `${dropped.size} files in ${batches} folders`);

    await this.#untilFinished(batches * 0.1);
    const worker = await this.#untilBusyWorker();
    await this.#strike(
      worker.part.name,
      `activities on it: ${worker.activities}`,
      worker.part,
      WORKER_AWAY_MS,
    );

    await this.#untilFinished(batches * 0.35);
    await this.#strike('the Temporal server', 'all of its services', temporal.server);
    await temporal.untilServed();
    this.#note('Temporal answers again');

    await this.#untilFinished(batches * 0.6);
    await this.#strike('PostgreSQL', 'all of its processes', temporal.postgresql);
    await temporal.untilServed();
    this.#note('Temporal answers again', restartsOf(temporal.server));

    await this.#untilAtRest();
    this.#note('every file has its receipt');
    const seconds = Math.round((performance.now() - this.#began) / 1_000);
    return { moments: this.#moments, dropped, killsInTheMiddle: this.#killsInTheMiddle, seconds };
  }

  /** SIGKILL, some seconds of absence, start. */
  async #strike(
    name: string,
    note: string,
    part: { kill(): Promise<void>; start(): Promise<void> },
    awayMs = this.#input.awayMs,
  ): Promise<void> {
    const { finished, open } = countBatches(this.#input.share);
    await part.kill();
    if (finished > 0 && finished < this.#input.batches && open > 0) this.#killsInTheMiddle += 1;
    this.#note(`${name} killed`, note);
    await delay(awayMs, undefined, { signal: this.#input.signal });
    await part.start();
    this.#note(`${name} started again`);
  }

  /** Whole folders at once, as somebody who moves a folder into the share does. */
  #drop(): Map<string, string> {
    const { share, batches, filesPerBatch } = this.#input;
    const hashes = new Map<string, string>();
    const staging = join(dirname(share), 'to-drop');
    for (let folder = 1; folder <= batches; folder += 1) {
      const name = `Package ${pad(folder)}`;
      mkdirSync(join(staging, name), { recursive: true });
      for (let sheet = 1; sheet <= filesPerBatch; sheet += 1) {
        const path = `${name}/A-${pad(folder)}${pad(sheet)} plan & section.pdf`;
        const content = `%PDF-1.4 ${path}`.padEnd(20_000 + 1_000 * sheet, `${folder}.${sheet} `);
        writeFileSync(join(staging, path), content);
        hashes.set(path, createHash('sha256').update(content).digest('hex'));
      }
    }
    for (const name of list(staging)) renameSync(join(staging, name), join(share, 'drop', name));
    return hashes;
  }

  /** So many batches, and one more than at the last strike: each finds the cluster at work again. */
  async #untilFinished(count: number): Promise<void> {
    const least = Math.max(count, (this.#moments.at(-1)?.finished ?? 0) + 1);
    // At rest already: the strike to come is counted as one that came too late.
    await this.#untilShare(batches => batches.finished >= least || this.#isAtRest(batches));
  }

  /** Nothing dropped is left, nothing is on its way. */
  async #untilAtRest(): Promise<void> {
    await this.#untilShare(batches => this.#isAtRest(batches));
  }

  #isAtRest({ finished, open }: { finished: number; open: number }): boolean {
    const { share, batches } = this.#input;
    if (finished < batches || open > 0) return false;
    const dropped = readdirSync(join(share, 'drop'), { recursive: true, withFileTypes: true });
    return !dropped.some(entry => entry.isFile());
  }

  async #untilShare(isSo: (batches: { finished: number; open: number }) => boolean): Promise<void> {
    let seen = -1;
    let seenAtMs = performance.now();
    const look = (): Promise<boolean> => {
      const batches = countBatches(this.#input.share);
      if (batches.finished !== seen) seenAtMs = performance.now();
      seen = batches.finished;
      if (performance.now() - seenAtMs > STALLED_AFTER_MS) {
        throw new Error(
          `Nothing has ended for ${STALLED_AFTER_MS / 60_000} minutes: ${seen} batches finished.`,
        );
      }
      return Promise.resolve(isSo(batches));
    };
    await this.#until(look, 'nothing ends', Number.POSITIVE_INFINITY);
  }

  /** The worker that most activities are running on just now. */
  async #untilBusyWorker(): Promise<{ part: SupervisedProcess; activities: number }> {
    const { parts, temporal } = this.#input;
    const connection = await Connection.connect({ address: temporal.address });
    try {
      const client = new Client({ connection });
      let busiest: { part: SupervisedProcess; activities: number } | undefined;
      await this.#until(async () => {
        busiest = await findBusiest(client, parts.workers);
        return busiest !== undefined;
      }, 'no worker is ever busy');
      if (busiest === undefined) throw new Error('no worker is ever busy');
      return busiest;
    } finally {
      await connection.close();
    }
  }

  async #until(isSo: () => Promise<boolean>, otherwise: string, patienceMs = 60_000): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new Error(otherwise);
      await delay(LOOK_EVERY_MS, undefined, { signal: this.#input.signal });
    }
  }

  #note(what: string, note = ''): void {
    const moment = {
      atMs: performance.now() - this.#began,
      what,
      ...countBatches(this.#input.share),
      note,
    };
    this.#moments.push(moment);
    this.#input.say(moment);
  }
}

async function findBusiest(
  client: Client,
  workers: readonly SupervisedProcess[],
): Promise<{ part: SupervisedProcess; activities: number } | undefined> {
  const byPid = new Map<string, number>();
  for await (const run of client.workflow.list({ query: `ExecutionStatus = 'Running'` })) {
    const { raw } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
    for (const { state, lastWorkerIdentity } of raw.pendingActivities ?? []) {
      const [pid = ''] = (lastWorkerIdentity ?? '').split('@');
      if (state === STARTED) byPid.set(pid, (byPid.get(pid) ?? 0) + 1);
    }
  }
  const counted = workers.map(part => ({ part, activities: byPid.get(String(part.pid)) ?? 0 }));
  const [first] = counted.sort((left, right) => right.activities - left.activities);
  return first === undefined || first.activities === 0 ? undefined : first;
}

function restartsOf({ name, restarts }: SupervisedProcess): string {
  return restarts === 0 ? '' : `${name} ended by itself and was started again ${restarts} times`;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
