// Jobs of PDFs on the stand-in, from their drop to their receipts: what they asked of the service and of Temporal.
import type { History } from '@temporalio/common/lib/proto-utils';
import { Rig, type RigOptions } from '../../setup/rig';

/**
 * The stand-in runs this much faster; the share's waits are scaled alike, so the proportions stay true. For
 * counts: where time is the figure, our own work would look as much slower as that.
 */
const FAST = 20;

export interface Jobs {
  readonly documents: number;
  readonly sandbox: NonNullable<RigOptions['sandbox']>;
  readonly share?: RigOptions['share'];
  readonly scale?: number;
  /** When everything is ready, and nothing dropped yet. */
  prepare?(rig: Rig): Promise<void>;
}

export interface JobsEnd {
  /** Of those that count against the rate limit, by what was asked. */
  readonly requests: Readonly<Record<string, number>>;
  readonly sum: number;
  readonly limited: number;
  /** From the first paid request to the last. */
  readonly wallMs: number;
  readonly fromDropMs: number;
  readonly histories: readonly History[];
}

export async function runJobs(jobs: Jobs): Promise<JobsEnd> {
  const { documents, sandbox, share, scale = FAST, prepare } = jobs;
  const rig = await Rig.start({
    sandbox: { timeScale: scale, ...sandbox },
    share: {
      settle: 100,
      batch: { quiet: 500 },
      // The product's own: a name that we give.
      documentName: 'stem',
      analysis: {
        firstLook: 5_000 / scale,
        every: 8_000 / scale,
        typical: 28_000 / scale,
        for: 180_000 / scale,
      },
      ...share,
    },
  });
  try {
    await rig.startWatcher();
    await rig.startWorker();
    await prepare?.(rig);
    const droppedMs = performance.now();
    rig.dropFiles(
      Object.fromEntries(
        Array.from({ length: documents }, (_, index) => [`report-${index}.pdf`, `%PDF-1.7 ${index}`]),
      ),
    );
    await rig.untilSettled(documents, 30 * 60_000);
    const fromDropMs = performance.now() - droppedMs;
    const answers = await rig.control.answers();
    const paid = (await rig.control.operations()).filter(({ route }) => isPaid(route));
    const times = paid.map(({ at }) => new Date(at).getTime());
    const requests = Object.fromEntries(
      Object.entries(await rig.control.requests()).filter(([route]) => isPaid(route)),
    );
    return {
      requests,
      sum: sumOf(Object.values(requests)),
      limited: sumOf(Object.values(answers).map(byStatus => byStatus['429'] ?? 0)),
      wallMs: Math.max(...times) - Math.min(...times),
      fromDropMs,
      histories: await Promise.all(rig.handles().map(handle => handle.fetchHistory())),
    };
  } finally {
    await rig.close();
  }
}

/** What counts against the rate limit: neither bytes to storage nor calls to the authentication host. */
function isPaid(route: string): boolean {
  return !route.startsWith('storage.') && !route.startsWith('oauth.');
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
