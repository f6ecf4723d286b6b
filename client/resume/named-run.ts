// What was named to `resume` and is not among what stopped short as asked for. Where it runs, its waiting, if
// it does any, is cut short; unless a filter leaves it out.
import type { Client } from '@temporalio/client';
import type { ShareConfig } from '../../activities/share/share-config';
import { resumeSignal } from '../../workflows/contract';
import { CliError } from '../session/cli-error';
import { findBatchWorkflow } from '../session/find-batch';
import { toVisible } from '../session/terminal-text';
import { isWanted, type StoppedBatch, type StoppedFilter } from './stopped-batch';

export interface Named {
  /** A batch's id or a whole workflow id, as a person has typed it. */
  readonly name: string;
  readonly filter: StoppedFilter;
  readonly dryRun: boolean;
  /** The batch, where it did stop and other filters left it out. */
  readonly leftOut?: StoppedBatch | undefined;
}

export interface NamedRun {
  readonly workflowId: string;
  /** In Temporal's words, in small letters. */
  readonly status: string;
  readonly isTold: boolean;
}

const OPTIONS = {
  share: '--share',
  projectId: '--project',
  reason: '--reason',
  document: '--document',
  sinceMs: '--since',
} as const;

/** Throws CliError where a filter leaves it out, and where Temporal knows nothing of it. */
export async function wakeNamed(
  client: Client,
  shares: readonly ShareConfig[],
  { name, filter, dryRun, leftOut }: Named,
): Promise<NamedRun> {
  if (leftOut !== undefined) {
    const { workflowId, state, reason } = leftOut;
    const standing = `has stopped (${state}: ${toVisible(reason.text)})`;
    refuseUnfit(`${workflowId} ${standing}`, filter, one => isWanted(one, leftOut));
  }
  const workflowId = await findBatchWorkflow(client, shares, name);
  const handle = client.workflow.getHandle(workflowId);
  const { status, memo } = await handle.describe();
  const run = { workflowId, status: status.name.toLowerCase() };
  // What did not stop has no reason for it and no time of it, and is no document.
  const fits = ({ share, projectId }: StoppedFilter): boolean =>
    share === undefined
      ? projectId !== undefined && workflowId.split('/').includes(projectId)
      : share === memo?.share;
  refuseUnfit(`${workflowId} ${toStanding(run)}`, filter, fits);
  const isTold = run.status === 'running' && !dryRun;
  if (isTold) await handle.signal(resumeSignal);
  return { ...run, isTold };
}

/** @param fits whether it fits a filter of one condition. */
function refuseUnfit(standing: string, filter: StoppedFilter, fits: (one: StoppedFilter) => boolean): void {
  const unfit = (Object.keys(OPTIONS) as (keyof typeof OPTIONS)[])
    .filter(key => filter[key] !== undefined && !fits({ [key]: filter[key] }))
    .map(key => OPTIONS[key]);
  if (unfit.length === 0) return;
  throw new CliError(`${standing} and does not fit ${unfit.join(' and ')}; nothing was done.`);
}

function toStanding({ status }: Pick<NamedRun, 'status'>): string {
  return status === 'running' ? 'is on its way' : `has ended (${status})`;
}

export function describeNamedRun(run: NamedRun): string {
  const standing = `${run.workflowId} ${toStanding(run)}`;
  if (run.status === 'running') return `${standing}${run.isTold ? ', and was told not to wait' : ''}.`;
  return `${standing}; ${whereItGoesOn(run)}`;
}

function whereItGoesOn({ workflowId, status }: NamedRun): string {
  if (!workflowId.startsWith('ingest/')) return 'the command that started it starts it again.';
  return status === 'completed'
    ? 'its receipt is on the share.'
    : 'no share that is seen from here has it unfinished.';
}
