// The order of open jobs is taken once: rows do not move while somebody looks. Pure.
import type { JobSummary, jobRoutes } from '../../../contract/jobs';
import type { AnswerOf } from '../../../contract/route';

export type JobsPage = AnswerOf<(typeof jobRoutes)['GET /api/jobs']>;

export function keyOf({ share, job }: Pick<JobSummary, 'share' | 'job'>): string {
  return `${share}/${job}`;
}

/** What is kept of a row to hold its place. */
export type Placed = Pick<JobSummary, 'share' | 'job' | 'name'>;

interface Ordered {
  readonly shown: readonly JobSummary[];
  /** How many came since then, and wait until somebody wants to see them. */
  readonly fresh: number;
}

/**
 * The open jobs in the order that was taken: those that have left since are not shown, those that have come
 * wait. A folder in the drop folder gets another id once it is taken over; by its name it keeps its place.
 */
export function holdOrder(open: readonly JobSummary[], order: readonly Placed[]): Ordered {
  const byKey = new Map(open.map(job => [keyOf(job), job]));
  const come = new Map(open.map(job => [keyOf(job), job]));
  for (const placed of order) come.delete(keyOf(placed));
  const takeOver = (gone: Placed): JobSummary | undefined => {
    const found = [...come.values()].find(({ share, name }) => share === gone.share && name === gone.name);
    if (found !== undefined) come.delete(keyOf(found));
    return found;
  };
  const shown = order.map(placed => byKey.get(keyOf(placed)) ?? takeOver(placed));
  return { shown: shown.filter(job => job !== undefined), fresh: come.size };
}
