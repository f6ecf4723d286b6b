// The batch's story, top to bottom: claimed files become document revisions, or are set apart with the reason.

import { allHandlersFinished, condition, continueAsNew, log, workflowInfo } from '@temporalio/workflow';
import {
  type BatchSummary,
  type IngestBatchInput,
  ingestBatchInput,
  type KnownProgress,
  type ProjectRef,
} from '../contract';
import { ActivityCalls } from '../run/activity-calls';
import { countOf } from '../run/decide/count-of';
import { parseInput } from '../run/parse-input';
import { writeAnswers } from './answers';
import { BatchState } from './batch-state';
import { type CarryOver, packDocuments } from './carry-over';
import { explainSetApart } from './decide/explain-set-apart';
import type { DocumentState } from './document-state';
import { noteUploads } from './journal';
import { isLong, untilLeaving } from './leave';
import { handleMessages } from './messages';
import { Opening } from './opening';
import { analyseAndFinish } from './stages/analyse';
import { completeStage } from './stages/complete';
import { type AnsweredDocument, attendHeld } from './stages/hold';
import { linkStage } from './stages/link';
import { planStage } from './stages/plan';
import { lookAt, readStage } from './stages/read';
import { submitStage } from './stages/submit';

/** How often documents that were dropped on the way are carried again before they are set apart. */
const MOST_LEFT_ROUNDS = 2;

const EXAMPLE = { share: 'tender', batchId: '20260131-093000-k3f9a2' };

/**
 * Carries one claimed batch to its end. Ends when every document is submitted or set apart and the receipt is on the
 * share; a batch whose receipt exists ends at once. Waits, without limit, for what is only away.
 */
export async function ingestBatchWorkflow(rawInput: IngestBatchInput): Promise<BatchSummary> {
  const input = parseInput(ingestBatchInput, rawInput, EXAMPLE);
  const calls = new ActivityCalls(input.share);
  // Calls of its own: those of `calls` that are blocked wait until the batch is open and can tell of it.
  const opener = new ActivityCalls(input.share);
  opener.whenBlocked(new Opening(input));
  const signedIn = calls.service.refreshToken(() => ({}), 'Make sure of a usable token');
  // Collected below; until then a rejection must not count as unhandled.
  signedIn.catch(() => undefined);
  const { share, batchId, manifestSha256 } = input;
  const wanted = { share, batchId, ...(manifestSha256 === undefined ? {} : { manifestSha256 }) };
  const opened = await opener.share.openBatch(() => wanted, `Open batch ${batchId}`);
  if (opened.kind === 'settled') return opened.summary;
  if (opened.kind === 'moved') return endMoved(batchId, opened.project);

  // Made by the run before, of this build or of one that it was compatible with.
  const carried = input.carried as CarryOver | undefined;
  const batch = new BatchState(input, opened, carried);
  let movedTo: ProjectRef | undefined;
  batch.wantsToLeave = () => isLong(input.continueAfterEvents);
  calls.whenBlocked(batch, async () => {
    const again = await calls.share.openBatch(() => wanted, 'Read the configuration again');
    if (again.kind === 'open') batch.reconfigure(again);
    if (again.kind !== 'moved') return;
    // Whatever stood still here stands still for good.
    calls.close();
    movedTo = again.project;
  });
  calls.blockOn('BATCH_UNUSABLE');
  batch.attendHeld = () => attendHeld(batch, answered => goOn(batch, calls, answered));
  batch.carryOn = states => carry(batch, calls, states);
  handleMessages(batch, calls);
  for (const state of batch.documents) {
    if (state.document.refused !== undefined && state.outcome === undefined)
      batch.setApart(state, state.document.refused);
  }
  if (carried === undefined) {
    log.info(`Batch ${batchId} with ${countOf(batch.documents.length, 'document')}`, {
      event: 'batch-opened',
      share: batch.share,
      batchId: batch.batchId,
      documents: batch.documents.length,
      workflowId: workflowInfo().workflowId,
    });
  }

  await signedIn;
  const summary = await Promise.race([
    carryToTheEnd(batch, calls, carried === undefined ? undefined : opened.known),
    untilLeaving(batch, calls).then(() => 'left' as const),
    condition(() => movedTo !== undefined).then(() => 'moved' as const),
  ]);
  if (summary === 'moved') return endMoved(batchId, movedTo);
  if (summary !== 'left') return summary;
  return await continueAsNew<typeof ingestBatchWorkflow>({
    ...input,
    carried: packDocuments(batch.documents),
  });
}

/** The share has another project than the one this batch was claimed for, and nothing of it was sent. */
function endMoved(batchId: string, project: ProjectRef | undefined): BatchSummary {
  const movedTo = project?.projectId ?? '';
  log.info(`Batch ${batchId} was claimed for another project; it goes on in project ${movedTo}`, {
    event: 'batch-moved',
    batchId,
    projectId: movedTo,
  });
  return { batchId, submitted: 0, setApart: 0, receipts: [], movedTo };
}

/** @param known what the share says, in a run that goes on for another. */
async function carryToTheEnd(
  batch: BatchState,
  calls: ActivityCalls,
  known: readonly KnownProgress[] | undefined,
): Promise<BatchSummary> {
  batch.holdOn();
  if (known !== undefined) await noteWhatIsNot(batch, calls, known);
  await lookAt(
    batch,
    calls,
    batch.underway.filter(state => state.uploadId !== undefined),
  );
  await carry(batch, calls, batch.underway);
  if (isAnyWaiting(batch)) {
    const settle = settleOneByOne(batch, calls);
    batch.afterStrand = async () => {
      if (isAnyWaiting(batch)) await settle();
    };
    await settle();
  }
  await batch.waitForHeld();
  await carryWhatIsLeft(batch, calls);
  const summary = await settleUp(batch, calls, true);
  await condition(allHandlersFinished);
  return summary;
}

/** The run before may have been left between what it was told of an upload and the noting of it. */
async function noteWhatIsNot(
  batch: BatchState,
  calls: ActivityCalls,
  known: readonly KnownProgress[],
): Promise<void> {
  const knownOf = new Map(known.map(progress => [progress.index, progress]));
  const open = batch.documents.filter(state => state.outcome === undefined);
  // One with another file's bytes is not called this document's before they are replaced.
  const isNew = ({ document, uploadId, relink }: DocumentState): boolean =>
    !relink && uploadId !== knownOf.get(document.index)?.uploadId;
  const isComplete = ({ document }: DocumentState): boolean => {
    const progress = knownOf.get(document.index);
    return progress?.completed === true || progress?.intended === true;
  };
  await noteUploads(batch, calls, 'created', open.filter(isNew));
  await noteUploads(
    batch,
    calls,
    'completed',
    open.filter(state => state.completed && (isNew(state) || !isComplete(state))),
  );
}

/** Nothing is settled finally while a document has no outcome: whatever dropped it, the others do not wait for its cause. */
async function carryWhatIsLeft(batch: BatchState, calls: ActivityCalls): Promise<void> {
  for (let round = 0; batch.underway.length > 0; round++) {
    log.error(
      `${countOf(batch.underway.length, 'document')} of batch ${batch.batchId} ended without an outcome`,
      {
        event: 'documents-left',
        share: batch.share,
        batchId: batch.batchId,
        round,
      },
    );
    if (round < MOST_LEFT_ROUNDS) await carry(batch, calls, batch.underway);
    else {
      for (const state of batch.underway) batch.setApart(state, explainSetApart('not-carried'));
    }
    await batch.waitForHeld();
  }
}

/** Takes documents from wherever they stand to their end. Afterwards each has an outcome or is held. */
async function carry(
  batch: BatchState,
  calls: ActivityCalls,
  documents: readonly DocumentState[],
): Promise<void> {
  const planned = await planStage(batch, calls, documents);
  const known = new Set(planned.filter(state => state.completed));
  const linked = await linkStage(batch, calls, planned);
  // What we know nothing of (taken up from the journal) is treated as if it needed the analysis.
  const waiting = linked.filter(state => !state.analysed && (state.plan?.needsAnalysis ?? true));
  const ready = linked.filter(state => !waiting.includes(state));
  await Promise.all([
    // Seen COMPLETED: from now on, a missing upload that we did not submit means that a person acted.
    noteUploads(
      batch,
      calls,
      'completed',
      linked.filter(state => !known.has(state)),
    ),
    finish(batch, calls, ready),
    analyseAndFinish(batch, calls, waiting),
  ]);
  // Put right with another one's upload, or seen INCOMPLETE: sent and linked again.
  const again = linked.filter(
    ({ completed, outcome, held, inLine, absent }) =>
      !completed && !absent && outcome === undefined && held === undefined && inLine === undefined,
  );
  if (again.length > 0) await carry(batch, calls, again);
}

async function finish(
  batch: BatchState,
  calls: ActivityCalls,
  documents: readonly DocumentState[],
): Promise<void> {
  if (documents.length === 0) return;
  const { found } = await readStage(batch, calls, documents);
  await submitStage(batch, calls, await completeStage(batch, calls, found));
}

/** Documents that were answered for, from wherever they stand to their end, or until they are held again. */
async function goOn(
  batch: BatchState,
  calls: ActivityCalls,
  answered: readonly AnsweredDocument[],
): Promise<void> {
  batch.busy++;
  try {
    await writeAnswers(batch, calls, answered);
  } finally {
    batch.busy--;
  }
  await carry(batch, calls, answered.map(({ state }) => state).filter(isGoingOn));
}

function isGoingOn({ outcome, held }: DocumentState): boolean {
  return outcome === undefined && held === undefined;
}

function isAnyWaiting(batch: BatchState): boolean {
  const isAnyLate = batch.lateNow.length > 0 && batch.outcomes.length > 0;
  return batch.heldNow.length > 0 || batch.inLineNow.length > 0 || isAnyLate;
}

/**
 * Settles so far, once at a time, and again only when more documents have ended: others may wait for the one whose end
 * is not on the share yet.
 */
function settleOneByOne(batch: BatchState, calls: ActivityCalls): () => Promise<void> {
  let settled = -1;
  let last: Promise<void> = Promise.resolve();
  return async () => {
    last = last.then(async () => {
      if (batch.outcomes.length === settled) return;
      settled = batch.outcomes.length;
      await settleUp(batch, calls, false);
    });
    await last;
  };
}

async function settleUp(batch: BatchState, calls: ActivityCalls, final: boolean): Promise<BatchSummary> {
  const summary = await calls.share.settleUp(
    () => ({
      share: batch.share,
      batchId: batch.batchId,
      outcomes: batch.outcomes,
      held: batch.documents.flatMap(({ document, held, inLine, outcome }) => {
        const reason = outcome === undefined ? (held?.reason ?? inLine?.reason) : undefined;
        return reason === undefined ? [] : [{ index: document.index, reason }];
      }),
      final,
    }),
    final ? 'Write the receipt and move the files' : 'Write the receipt so far and move what is finished',
  );
  log.info(`Batch ${batch.batchId}: ${summary.submitted} submitted, ${summary.setApart} set apart`, {
    event: final ? 'batch-finished' : 'batch-settled-so-far',
    share: batch.share,
    ...summary,
    held: batch.heldNow.length,
  });
  return summary;
}
