// Finds what stopped short. Twice, joined by batch: on the shares that this host sees, where every batch
// without a receipt is looked up by its id; and in Temporal's list, for the shares that it does not see.
import type { Client } from '@temporalio/client';
import { forEachLimited } from '../../activities/host/concurrency';
import { codeOf } from '../../activities/host/error-code';
import { describeTemporal, type OurTemporal, type TemporalName } from '../../activities/share/batch/hold';
import { type OpenBatch, OTHER_KEY_ADVICE } from '../../activities/share/claim/open-batches';
import { toShareError } from '../../activities/share/files/share-error';
import type { UnreadableReceipt } from '../../activities/share/receipt/set-apart';
import { ingestWorkflowId } from '../../workflows/contract';
import { claimTimeOf, type SetApartDocument, type StoppedBatch, type StoppedShare } from './stopped-batch';
import { lookAtRun, type RunLook } from './stopped-runs';

export interface Findings {
  /** Oldest first. */
  readonly batches: readonly StoppedBatch[];
  readonly setApart: readonly SetApartDocument[];
  /** What could not be looked at, one line each. */
  readonly unreadable: readonly (UnreadableReceipt & { readonly share: string })[];
  /** How many unfinished runs were looked at, the newest, where there may be more; absent for all of them. */
  readonly limitedTo?: number;
}

type Known = Pick<StoppedBatch, 'batchId' | 'workflowId' | 'projectId' | 'shareName' | 'share' | 'sinceMs'>;

const LOOKS_AT_ONCE = 8;
const MOST_LISTED = 10_000;
const UNFINISHED = `WorkflowType = 'ingestBatchWorkflow' AND ExecutionStatus IN ('Running', 'Failed', 'TimedOut', 'Terminated', 'Canceled')`;

/**
 * @param ours the Temporal that the client asks.
 * @throws what the client throws when Temporal is away, and ShareError when a share goes away meanwhile.
 */
export async function findStopped(
  client: Client,
  shares: readonly StoppedShare[],
  ours: OurTemporal,
): Promise<Findings> {
  const batches: StoppedBatch[] = [];
  const setApart: SetApartDocument[] = [];
  const unreadable: (UnreadableReceipt & { share: string })[] = [];
  for (const share of shares) {
    await forEachLimited(await share.openBatches(), LOOKS_AT_ONCE, async open => {
      const stopped = await lookAtOpen(client, share, open, ours);
      if (stopped !== undefined) batches.push(stopped);
    });
    const apart = await share.setApart();
    setApart.push(...apart.files.map(file => ({ ...file, share })));
    unreadable.push(...apart.unreadable.map(one => ({ ...one, share: share.name })));
  }
  const elsewhere = await findElsewhere(client, shares);
  batches.push(...elsewhere.batches);
  batches.sort((one, other) => (one.batchId < other.batchId ? -1 : 1));
  return { batches, setApart, unreadable, ...(elsewhere.isCut ? { limitedTo: MOST_LISTED } : {}) };
}

async function lookAtOpen(
  client: Client,
  share: StoppedShare,
  { batchId, state, claim, why = '' }: OpenBatch,
  ours: OurTemporal,
): Promise<StoppedBatch | undefined> {
  const base = {
    batchId,
    share,
    shareName: share.name,
    projectId: share.config.project.projectId,
    workflowId: ingestWorkflowId(share.config.project, batchId),
    sinceMs: claimTimeOf(batchId),
  };
  if (state === 'not-ours') return undefined;
  if (state === 'other-key')
    return { ...base, state: 'damaged', reason: { code: 'key-differs', text: `${why} ${OTHER_KEY_ADVICE}` } };
  if (state === 'claiming') {
    if (claim !== 'abandoned') return undefined;
    const text = 'Whoever claimed its files ended before the batch was whole.';
    return { ...base, state: 'claiming', reason: { code: 'claiming', text } };
  }
  try {
    // The project that the batch was claimed for: the configuration may name another by now.
    const project = await share.projectNow(batchId);
    const known = { ...base, projectId: project.projectId, workflowId: ingestWorkflowId(project, batchId) };
    const look = await lookAtRun(client, known.workflowId);
    if (state === 'settling') return toUnmoved(known, look);
    const held = await share.temporals.holdOf(batchId, ours);
    return held === undefined || held.isOurs
      ? toStopped(known, look, held !== undefined)
      : toElsewhere(known, look, held.hold.temporal);
  } catch (error) {
    const trouble = toShareError(error);
    // Finished by its run since it was listed.
    if (trouble?.code === 'batch-unknown') return undefined;
    if (trouble === undefined || trouble.code.startsWith('share-')) throw error;
    return {
      ...base,
      state: 'damaged',
      reason: { code: codeOf(trouble) ?? 'damaged', text: trouble.message },
    };
  }
}

function toUnmoved(known: Known, look: RunLook): StoppedBatch | undefined {
  if (look.kind === 'running') return undefined;
  const text = 'Its receipt is written, but files are still to be moved.';
  return { ...known, state: 'unmoved', reason: { code: 'unmoved', text } };
}

/** Of a run here only its id is told: it may not go on while another Temporal carries the batch. */
function toElsewhere(known: Known, look: RunLook, heldBy: TemporalName): StoppedBatch {
  const text = `It is carried by another Temporal: ${describeTemporal(heldBy)}.`;
  const runId = look.kind === 'running' ? look.runId : undefined;
  return { ...known, runId, heldBy, state: 'elsewhere', reason: { code: 'BATCH_HELD', text } };
}

/**
 * Judges by its run a batch that the share calls unfinished, or one of a share that cannot be seen.
 * @param hadRun a run of this Temporal has opened it.
 */
function toStopped(known: Known, look: RunLook, hadRun = false): StoppedBatch | undefined {
  switch (look.kind) {
    case 'none': {
      const text = hadRun
        ? 'Its run ended without finishing it, and Temporal has forgotten that run.'
        : 'Claimed, but Temporal knows no run of it.';
      return { ...known, state: 'no run', reason: { code: 'no-run', text } };
    }
    case 'completed': {
      const text = 'Its run completed, but the share has no receipt of it.';
      const { runId, sinceMs } = look;
      return { ...known, runId, sinceMs, state: 'no receipt', reason: { code: 'no-receipt', text } };
    }
    case 'stopped': {
      const { runId, state, reason, sinceMs } = look;
      return { ...known, shareName: known.shareName ?? look.shareName, runId, state, reason, sinceMs };
    }
    case 'running':
      return toWaiting({ ...known, shareName: known.shareName ?? look.shareName, runId: look.runId }, look);
  }
}

function toWaiting(
  known: Known & { readonly runId: string },
  { progress, failedTasks }: Extract<RunLook, { kind: 'running' }>,
): StoppedBatch | undefined {
  if (progress === undefined) {
    const text =
      failedTasks > 0
        ? `It runs, but the worker's build cannot go on with it (tried ${failedTasks} times); see the worker's log.`
        : 'It runs, but no worker answers for it: start one.';
    return { ...known, state: 'unanswered', reason: { code: 'unanswered', text } };
  }
  const shareName = known.shareName ?? progress.share;
  const { blocked, held } = progress;
  if (blocked !== undefined) {
    return { ...known, shareName, state: 'blocked', reason: blocked.reason, sinceMs: blocked.sinceMs };
  }
  const [first] = held;
  if (first === undefined) return undefined;
  const others = held.length === 1 ? '' : ` (and ${held.length - 1} more)`;
  const text = `${first.path}${others}: ${first.reason.text}`;
  return { ...known, shareName, state: 'held', reason: { ...first.reason, text }, sinceMs: first.sinceMs };
}

/**
 * A receipt decides over everything Temporal says: batches of the shares we see
 * have been judged by the share.
 */
async function findElsewhere(
  client: Client,
  shares: readonly StoppedShare[],
): Promise<{ readonly batches: readonly StoppedBatch[]; readonly isCut: boolean }> {
  const seen = new Set(shares.map(({ name }) => name));
  const ids = new Set<string>();
  let listed = 0;
  for await (const run of client.workflow.list({ query: UNFINISHED })) {
    listed += 1;
    const shareName = typeof run.memo?.share === 'string' ? run.memo.share : undefined;
    const isOurs = run.workflowId.startsWith('ingest/');
    if (isOurs && (shareName === undefined || !seen.has(shareName))) ids.add(run.workflowId);
    if (listed >= MOST_LISTED) break;
  }
  const found: StoppedBatch[] = [];
  await forEachLimited([...ids], LOOKS_AT_ONCE, async workflowId => {
    if (await isOnOneOf(shares, workflowId)) return;
    const look = await lookAtRun(client, workflowId);
    // What has completed since it was listed, or is forgotten, is not known to be unfinished.
    if (look.kind === 'none' || look.kind === 'completed') return;
    const [, projectId = '', batchId = workflowId] = workflowId.split('/');
    const stopped = toStopped({ batchId, projectId, workflowId }, look);
    if (stopped !== undefined && !(stopped.shareName !== undefined && seen.has(stopped.shareName)))
      found.push(stopped);
  });
  return { batches: found, isCut: listed >= MOST_LISTED };
}

/** Runs that were started by hand do not name their share; those that the share knows were judged by it. */
async function isOnOneOf(shares: readonly StoppedShare[], workflowId: string): Promise<boolean> {
  const batchId = workflowId.split('/').at(-1) ?? workflowId;
  for (const share of shares) {
    try {
      await share.readSeal(batchId);
      return true;
    } catch (error) {
      if (toShareError(error)?.code !== 'batch-unknown') return true;
    }
  }
  return false;
}
