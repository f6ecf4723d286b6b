// Cuts jobs into batches. A job is what one top folder of the drop holds, or the loose files beside these.
// Each is cut from its beginning on, so that every batch is a run of neighbours, and a batch holds files of
// one job only. The jobs take turns, so that no delivery keeps a smaller one waiting. Pure.
import { type CutLimits, cutJob } from '../../activities/share/jobs/cut-job';

/** What is known of a file where jobs are cut. */
interface Cuttable {
  readonly path: string;
  readonly sizeBytes: number;
}

/** What of a job may be cut now. */
export interface ReadyJob<Entry> {
  /** Its top folder, '' for the loose files. */
  readonly top: string;
  /** Among its entries: the job keeps it, so it takes no place in a batch. */
  readonly register?: string | undefined;
  /** In the job's order. */
  readonly entries: readonly Entry[];
  /** Since when the first of them has been in sight, by the clock that `served` goes by. */
  readonly sinceMs: number;
}

export interface CutBatch<Entry> {
  readonly top: string;
  readonly entries: readonly Entry[];
}

/** How jobs were cut that have not changed since: all are cut each time that one or two batches are begun. */
const cuts = new WeakMap<object, { readonly limits: CutLimits; readonly batches: readonly unknown[][] }>();

function cutOnce<Entry extends Cuttable>(job: ReadyJob<Entry>, limits: CutLimits): readonly Entry[][] {
  const known = cuts.get(job);
  if (known?.limits === limits) return known.batches as Entry[][];
  const batches = cutBesideRegister(job, limits);
  cuts.set(job, { limits, batches });
  return batches;
}

/** The register goes into the first batch of its job. */
function cutBesideRegister<Entry extends Cuttable>(
  { entries, register }: ReadyJob<Entry>,
  limits: CutLimits,
): Entry[][] {
  const isRegister = ({ path }: Entry) => path === register;
  const [first = [], ...others] = cutJob(
    entries.filter(entry => !isRegister(entry)),
    limits,
  );
  const withRegister = [...entries.filter(isRegister), ...first];
  return withRegister.length > 0 ? [withRegister, ...others] : [];
}

/**
 * One batch of each job in turn, the job first that was served least recently. One that was never served
 * waits since its files came: else ever new folders would go before all others.
 * @param served when a batch of that top folder was begun last.
 */
export function cutInTurn<Entry extends Cuttable>(
  jobs: readonly ReadyJob<Entry>[],
  limits: CutLimits,
  served: ReadonlyMap<string, number> = new Map(),
): CutBatch<Entry>[] {
  const queue = jobs
    .map(job => ({
      top: job.top,
      waitsSinceMs: served.get(job.top) ?? job.sinceMs,
      batches: cutOnce(job, limits),
    }))
    .sort((one, other) => one.waitsSinceMs - other.waitsSinceMs);
  const order: CutBatch<Entry>[] = [];
  const rounds = Math.max(0, ...queue.map(({ batches }) => batches.length));
  for (let round = 0; round < rounds; round += 1) {
    for (const { top, batches } of queue) {
      const entries = batches[round];
      if (entries !== undefined) order.push({ top, entries });
    }
  }
  return order;
}
