// The order of open jobs is taken once: rows do not move while somebody looks. Pure.
import type { JobSummary, jobRoutes } from '../../../contract/jobs';
import type { AnswerOf } from '../../../contract/route';

export type JobsPage = AnswerOf<(typeof jobRoutes)['GET /api/jobs']>;

export function keyOf({ share, job }: Pick<JobSummary, 'share' | 'job'>): string {
  return `${share}/${job}`;
}

interface Ordered {
  readonly shown: readonly JobSummary[];
  /** They came since, and wait until somebody wants to see them. */
  readonly fresh: number;
}

/** By the order as it was taken; what has left since is not shown, what has come waits. */
export function holdOrder(open: readonly JobSummary[], order: readonly string[]): Ordered {
  const byKey = new Map(open.map(job => [keyOf(job), job]));
  const shown = order.map(key => byKey.get(key)).filter(job => job !== undefined);
  return { shown, fresh: open.length - shown.length };
}
