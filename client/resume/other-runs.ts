// The runs that are no batches: files asked for by hand, change orders, observations, people, webhooks,
// timesheets. What they do, what they wait for, and the signal that lets them go on.
import { randomUUID } from 'node:crypto';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { mapLimited } from '../../activities/host/concurrency';
import { resumeSignal } from '../../workflows/contract';
import type { RunProgressReport } from '../../workflows/run/run-progress-contract';
import { runProgressQuery } from '../../workflows/run/run-progress-contract';
import { toDurationText, toTable, toVisible } from '../session/terminal-text';
import { ASKED_AT_ONCE, createAsker, take } from '../status/batch-status';
import { listWaitingActivities, type WaitingActivity } from '../status/incident-list';
import { isReason, type StoppedFilter } from './stopped-batch';

export interface OtherRun {
  readonly workflowId: string;
  readonly runId: string;
  readonly workflow: string;
  readonly startedAt: Date;
  /** The share whose files it needs. */
  readonly share?: string | undefined;
  /** Absent when no worker answers for it just now. */
  readonly progress?: RunProgressReport | undefined;
  /** What it needs and what is away just now. */
  readonly waiting: readonly WaitingActivity[];
}

export interface WokenRun {
  readonly run: OtherRun;
  readonly result: 'told' | 'would be told' | 'has ended' | 'failed';
}

const OTHERS = `ExecutionStatus = 'Running' AND WorkflowType != 'ingestBatchWorkflow' AND WorkflowType != 'observationDoorWorkflow' AND WorkflowType != 'projectOrderWorkflow' AND WorkflowType != 'rateLeasesWorkflow'`;
/** They wait for no person and for no `resume`, and answer no question. */
const SILENT: ReadonlySet<string> = new Set([
  'keepFieldsWorkflow',
  'keepTemplateWorkflow',
  'webhookEventWorkflow',
]);
/** An import may have started thousands that wait for months: where people only look, these are asked. */
export const MOST_SHOWN = 500;
const LONGEST_STEP = 90;

/**
 * Every other run that runs, or the newest of them: those that wait for a person first, then those for which
 * something is away, newest first. None is asked of which the id tells that it is not meant.
 */
export async function listOtherRuns(
  client: Client,
  most = Number.POSITIVE_INFINITY,
  isMeant: (workflowId: string) => boolean = () => true,
): Promise<readonly OtherRun[]> {
  const listed = await take(client.workflow.list({ query: OTHERS }), most);
  const runs = listed.filter(({ workflowId }) => isMeant(workflowId));
  const askProgress = createAsker(client, runProgressQuery);
  const found = await mapLimited(runs, ASKED_AT_ONCE, async run => {
    const progress = await askProgress(run);
    const share = progress?.share;
    return {
      workflowId: run.workflowId,
      runId: run.runId,
      workflow: run.type,
      startedAt: run.startTime,
      ...(share === undefined ? {} : { share }),
      ...(progress === undefined ? {} : { progress }),
      waiting: await waitingOf(client, run, share),
    };
  });
  return found.toSorted((left, right) => rankOf(left) - rankOf(right));
}

/** It may have ended since it was listed. */
async function waitingOf(
  client: Client,
  run: Parameters<typeof listWaitingActivities>[1],
  share: string | undefined,
): Promise<readonly WaitingActivity[]> {
  try {
    return await listWaitingActivities(client, run, share);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    throw error;
  }
}

function rankOf({ progress, waiting }: OtherRun): number {
  if (progress?.blocked !== undefined) return 0;
  return waiting.length > 0 ? 1 : 2;
}

/** Tells those that wait for a repair to go on. One that cannot be told holds up none of the others. */
export async function wakeOtherRuns(
  client: Client,
  runs: readonly OtherRun[],
  dryRun = false,
): Promise<readonly WokenRun[]> {
  const woken: WokenRun[] = [];
  for (const run of runs) {
    if (run.progress?.blocked === undefined) continue;
    woken.push({ run, result: dryRun ? 'would be told' : await wake(client, run) });
  }
  return woken;
}

async function wake(client: Client, { workflowId, runId }: OtherRun): Promise<WokenRun['result']> {
  try {
    await client.workflow.getHandle(workflowId, runId).signal(resumeSignal, { requestId: randomUUID() });
    return 'told';
  } catch (error) {
    return error instanceof WorkflowNotFoundError ? 'has ended' : 'failed';
  }
}

/** Those that are wanted, and how many may be wanted as well but did not answer. */
export async function listWantedRuns(
  client: Client,
  filter: StoppedFilter,
): Promise<{ readonly wanted: readonly OtherRun[]; readonly unanswered: number }> {
  // Whoever names a document means none of these.
  if (filter.document !== undefined) return { wanted: [], unanswered: 0 };
  const isMeant = (workflowId: string) => mayBeWanted(filter, workflowId);
  const runs = await listOtherRuns(client, Number.POSITIVE_INFINITY, isMeant);
  return { wanted: runs.filter(run => isWantedRun(filter, run)), unanswered: countUnanswered(runs) };
}

/**
 * After a few that do not answer no other is asked, so that these may be many. Without those that never say
 * how far they are.
 */
export function countUnanswered(
  runs: readonly { readonly workflow?: string; readonly progress?: unknown }[],
): number {
  return runs.filter(({ workflow = '', progress }) => progress === undefined && !SILENT.has(workflow)).length;
}

/** Empty when all answered. */
export function describeUnanswered(count: number): string {
  if (count === 0) return '';
  const [runs, were] = count === 1 ? ['run', 'was'] : ['runs', 'were'];
  return `${count} other ${runs} did not answer and ${were} not looked at; run it again.`;
}

/** As far as its id tells, which names the project. */
function mayBeWanted({ document, batchId, projectId }: StoppedFilter, workflowId: string): boolean {
  const parts = workflowId.split('/');
  return (
    document === undefined &&
    (batchId === undefined || parts.at(-1) === batchId) &&
    (projectId === undefined || parts.includes(projectId))
  );
}

/** The same filters as for batches. */
export function isWantedRun(filter: StoppedFilter, { workflowId, share, progress }: OtherRun): boolean {
  const { blocked } = progress ?? {};
  return (
    blocked !== undefined &&
    mayBeWanted(filter, workflowId) &&
    (filter.share === undefined || filter.share === share) &&
    isReason(filter.reason, [blocked.reason.code, 'blocked'], blocked.reason.text) &&
    (filter.sinceMs === undefined || blocked.sinceMs >= filter.sinceMs)
  );
}

/** At most `most` rows; empty when there is nothing. */
export function describeOtherRuns(
  runs: readonly OtherRun[],
  command: string,
  now: Date,
  most: number,
): string {
  if (runs.length === 0) return '';
  const rows = runs
    .slice(0, most)
    .map(run => [
      toVisible(run.workflowId),
      toStateText(run),
      toVisible(run.progress?.step ?? '', LONGEST_STEP),
      toDurationText(now.getTime() - run.startedAt.getTime()),
    ]);
  const more = runs.length > most ? [`... and ${runs.length - most} more; --limit shows them`] : [];
  // There may be more: those were not asked for.
  const unseen = `No more than the newest ${MOST_SHOWN} of the other runs were looked at. \`${command} resume --dry-run\` looks at all of them.`;
  const told = runs.length < MOST_SHOWN ? more : [...more, unseen];
  return [toTable([['OTHER RUN', 'STATUS', 'DOING', 'TIME'], ...rows]), ...told].join('\n');
}

function toStateText({ progress, waiting }: OtherRun): string {
  if (progress === undefined) return 'running, no worker answers';
  if (progress.blocked !== undefined) return 'waiting for a person';
  return waiting.length > 0 ? 'waiting' : 'running';
}

/** What `resume` did about them; empty when there was nothing to do. */
export function describeWokenRuns(woken: readonly WokenRun[]): string {
  if (woken.length === 0) return '';
  const rows = woken.map(({ run, result }) => [
    toVisible(run.workflowId),
    result,
    toVisible(run.progress?.blocked?.reason.text ?? '', LONGEST_STEP),
  ]);
  return toTable([['OTHER RUN', 'RESUME', 'REASON'], ...rows]);
}
