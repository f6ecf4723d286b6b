// What is away, as the running workflows tell it: Temporal keeps the last failure of each activity that is
// repeated, so any host can ask, and each dependency is one line however many attempts wait for it.
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { Dependency } from '../../activities/scope/dependency-away';
import { readFailureDetails, toWhy } from '../../activities/scope/dependency-failure';

export interface AwayDependency {
  readonly dependency: Dependency;
  /** The share that is away, where it is one. */
  readonly share?: string | undefined;
  /** Without secrets. */
  readonly why: string;
  /** Unix ms; null when nobody could tell. */
  readonly sinceMs: number | null;
  readonly batches: number;
  /** Runs that are no batches. */
  readonly others: number;
  /** Documents of these batches that have no outcome yet, as far as they are known. */
  readonly documents: number;
  /** Unix ms of the earliest; null when one is under way. */
  readonly nextAttemptMs: number | null;
}

/** One activity of a batch that is repeated until something is back. */
export interface WaitingActivity {
  readonly workflowId: string;
  readonly dependency: Dependency;
  readonly share?: string | undefined;
  readonly why: string;
  readonly sinceMs: number | null;
  readonly nextAttemptMs: number | null;
}

/** What a running batch waits for. Throws what the client throws. */
export async function listWaitingActivities(
  client: Client,
  run: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId'>,
  share: string | undefined,
): Promise<readonly WaitingActivity[]> {
  const { raw } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
  const found: WaitingActivity[] = [];
  for (const activity of raw.pendingActivities ?? []) {
    const error = await decodeOptionalFailureToOptionalError(
      client.options.loadedDataConverter,
      activity.lastFailure,
    );
    const details = readFailureDetails(error);
    if (error === undefined || details?.dependency == null) continue;
    found.push({
      workflowId: run.workflowId,
      dependency: details.dependency,
      ...(details.dependency === 'share' ? { share } : {}),
      why: toWhy(error.message, details.route),
      sinceMs: details.awaySinceMs ?? null,
      nextAttemptMs: optionalTsToMs(activity.nextAttemptScheduleTime) ?? null,
    });
  }
  return found;
}

/**
 * One line for each dependency, the one that is away longest first. `openDocuments`: of each batch, by
 * workflow id; `others`: runs that are none.
 */
export function groupByDependency(
  waiting: readonly WaitingActivity[],
  openDocuments: ReadonlyMap<string, number>,
  others: ReadonlySet<string> = new Set(),
): readonly AwayDependency[] {
  const groups = new Map<string, WaitingActivity[]>();
  for (const one of waiting) {
    const key = `${one.dependency}/${one.share ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()]
    .flatMap(group => toAwayDependency(group, openDocuments, others))
    .sort((left, right) => (left.sinceMs ?? Infinity) - (right.sinceMs ?? Infinity));
}

function toAwayDependency(
  group: readonly WaitingActivity[],
  openDocuments: ReadonlyMap<string, number>,
  others: ReadonlySet<string>,
): readonly AwayDependency[] {
  const [first] = group;
  if (first === undefined) return [];
  const runs = [...new Set(group.map(({ workflowId }) => workflowId))];
  const batches = runs.filter(id => !others.has(id));
  const since = group.flatMap(({ sinceMs }) => (sinceMs === null ? [] : [sinceMs]));
  const next = group.flatMap(({ nextAttemptMs }) => (nextAttemptMs === null ? [] : [nextAttemptMs]));
  return [
    {
      dependency: first.dependency,
      ...(first.share === undefined ? {} : { share: first.share }),
      why: mostCommon(group.map(({ why }) => why)),
      sinceMs: since.length === 0 ? null : Math.min(...since),
      batches: batches.length,
      others: runs.length - batches.length,
      documents: batches.reduce((sum, id) => sum + (openDocuments.get(id) ?? 0), 0),
      nextAttemptMs: next.length < group.length ? null : Math.min(...next),
    },
  ];
}

function mostCommon(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left)[0]?.[0] ?? '';
}
