// Jobs of PDFs on the stand-in, from their drop to their receipts: what they asked of the service and of
// Temporal.
import { setTimeout as delay } from 'node:timers/promises';
import type { History } from '@temporalio/common/lib/proto-utils';
import { request } from 'undici';
import { shareOf } from '../../sandbox/identifiers';
import { DEFAULT_SETTINGS } from '../../sandbox/settings';
import { Rig, type RigOptions } from '../../setup/rig';
import { TEMPORAL_METRICS } from '../temporal-metrics';

/**
 * The stand-in runs this much faster; the share's waits are scaled alike, so the proportions stay true. For
 * counts: where time is the figure, our own work would look as much slower as that.
 */
const FAST = 20;
const PATIENCE_MS = 30 * 60_000;
/** What a batch tells the coordinator at its end takes it a few workflow tasks, of milliseconds each. */
const AT_REST_MS = 2_000;

export interface Jobs {
  readonly documents: number;
  /** A job of one document goes first, so that what the project asks for is known. */
  readonly isWarm?: boolean;
  readonly sandbox: NonNullable<RigOptions['sandbox']>;
  readonly share?: RigOptions['share'];
  readonly scale?: number;
  /** The histories of all other runs are read as well, as of the project's coordinator: from its start on. */
  readonly countsOthers?: boolean;
  /** When everything is ready, and nothing dropped yet. */
  prepare?(rig: Rig): Promise<void>;
  /** From the drop on. */
  meanwhile?(rig: Rig): Promise<void>;
}

export interface JobsEnd {
  /** Of those that count against the rate limit, by what was asked. */
  readonly requests: Readonly<Record<string, number>>;
  readonly sum: number;
  readonly limited: number;
  /** From the first paid request to the last. */
  readonly wallMs: number;
  readonly fromDropMs: number;
  /**
   * The same, if everything but the service were done at once: its look at the last file, its longest
   * analysis.
   */
  readonly serviceMs: number;
  readonly heartbeats: number;
  /** Of the batches. */
  readonly histories: readonly History[];
  /** Of all other runs, where they are asked for: the project's coordinator. */
  readonly others: readonly History[];
}

export async function runJobs(jobs: Jobs): Promise<JobsEnd> {
  const { documents, sandbox, share, scale = FAST, prepare, meanwhile } = jobs;
  const rig = await Rig.start({
    sandbox: { timeScale: scale, ...sandbox },
    share: {
      settle: 100,
      batch: { quiet: 500 },
      // The product's own: a name that we give.
      documentName: 'stem',
      analysis: analysisTimes(scale),
      ...share,
    },
  });
  try {
    await rig.startWatcher();
    await rig.startWorker();
    if (jobs.isWarm === true) {
      rig.dropFiles({ 'before.pdf': '%PDF-1.7 before' });
      await rig.untilSettled(1, PATIENCE_MS);
    }
    await prepare?.(rig);
    const before = sumOf(rig.receipts().map(({ files }) => files.length));
    const since = (await rig.control.operations()).at(-1)?.seq ?? 0;
    const known = new Set(rig.handles().map(({ workflowId }) => workflowId));
    const droppedMs = performance.now();
    dropDocuments(rig, documents);
    await meanwhile?.(rig);
    await rig.untilSettled(before + documents, PATIENCE_MS);
    const fromDropMs = performance.now() - droppedMs;
    const paid = (await rig.control.operations(since)).filter(
      ({ kind, route }) => kind === 'request' && isPaid(route),
    );
    const times = paid.map(({ at }) => at);
    const handles = rig.handles().filter(({ workflowId }) => !known.has(workflowId));
    return {
      requests: countBy(paid.map(({ route }) => route)),
      sum: paid.length,
      limited: paid.filter(({ status }) => status === 429).length,
      wallMs: Math.max(...times) - Math.min(...times),
      fromDropMs,
      serviceMs: serviceMs(documents) / scale,
      heartbeats: await countHeartbeats(rig.temporal.namespace),
      histories: await Promise.all(handles.map(handle => handle.fetchHistory())),
      others: jobs.countsOthers === true ? await readOtherRuns(rig) : [],
    };
  } finally {
    await rig.close();
  }
}

/** The pauses of a share as they are for people, for a stand-in that is so many times faster than real. */
export function analysisTimes(scale: number) {
  return {
    firstLook: 5_000 / scale,
    every: 8_000 / scale,
    typical: 31_000 / scale,
    for: 180_000 / scale,
  };
}

/** @param first number of the first one: those of another batch have other names and other bytes. */
export function dropDocuments(rig: Rig, documents: number, first = 0): void {
  const numbers = Array.from({ length: documents }, (_, index) => first + index);
  rig.dropFiles(Object.fromEntries(numbers.map(number => [nameOf(number), `%PDF-1.7 ${number}`])));
}

export function nameOf(index: number): string {
  return `report-${index}.pdf`;
}

export function countEvents({ histories }: Pick<JobsEnd, 'histories'>): number {
  return sumOf(histories.map(({ events }) => events?.length ?? 0));
}

/** Of this many files: the look at one that was sent, and the longest analysis. */
function serviceMs(documents: number): number {
  const { analysisMs, scanMs, seed } = DEFAULT_SETTINGS;
  const [shortest, longest] = analysisMs;
  const shares = Array.from({ length: documents }, (_, index) => shareOf(seed, nameOf(index)));
  return scanMs + shortest + (longest - shortest) * Math.max(...shares);
}

/** Those that reached the server: the worker's library counts its requests. */
async function countHeartbeats(namespace: string): Promise<number> {
  const { address } = TEMPORAL_METRICS;
  if (address === undefined) return 0;
  const text = await (await request(`http://${address}/metrics`)).body.text();
  const lines = text
    .split('\n')
    .filter(line => line.startsWith('temporal_request') && line.includes(`namespace="${namespace}"`))
    .filter(line => line.includes('operation="RecordActivityTaskHeartbeat"'));
  return sumOf(
    lines
      .filter(line => /^temporal_request(_total)?\{/.test(line))
      .map(line => Number(line.split(' ').at(-1))),
  );
}

export function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** What counts against the rate limit: neither bytes to storage nor calls to the authentication host. */
function isPaid(route: string): boolean {
  return !route.startsWith('storage.') && !route.startsWith('oauth.');
}

/**
 * All runs of the namespace but the batches, also those that another one goes on for; once no event comes any
 * more.
 */
export async function readOtherRuns(rig: Rig): Promise<readonly History[]> {
  const { workflow } = rig.temporal.client;
  const batches = new Set(rig.handles().map(({ workflowId }) => workflowId));
  let before = 0;
  for (
    const deadline = performance.now() + PATIENCE_MS;
    performance.now() < deadline;
    await delay(AT_REST_MS)
  ) {
    const others: History[] = [];
    for await (const { workflowId, runId } of workflow.list())
      if (!batches.has(workflowId)) others.push(await workflow.getHandle(workflowId, runId).fetchHistory());
    const events = countEvents({ histories: others });
    // A project always has its coordinator: without one, Temporal has not told of it yet.
    if (events > 0 && events === before) return others;
    before = events;
  }
  throw new Error('The runs beside the batches do not come to rest');
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
