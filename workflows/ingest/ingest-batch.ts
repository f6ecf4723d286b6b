// A batch from its claimed files to its receipt: each document becomes a revision, or is set apart with the
// reason. This file can be read from top to bottom. What a document does at each step stands in stages/, and
// how it changes in document-state.ts.

import {
  allHandlersFinished,
  condition,
  continueAsNew,
  log,
  patched,
  workflowInfo,
} from '@temporalio/workflow';
import type { SettleUpInput } from '../../activities';
import type { ProjectRef } from '../contract';
import { ActivityCalls } from '../run/activity-calls';
import { countOf } from '../run/decide/count-of';
import { parseInput } from '../run/parse-input';
import { writeAnswers } from './answers';
import { BatchState } from './batch-state';
import type { CarryOver } from './carry-over';
import { untilReadyToContinueAsNew } from './continue-as-new';
import { explainAnswered } from './decide/describe-answer';
import { explainSetApart } from './decide/explain-set-apart';
import { isUnderway } from './document-facts';
import type { AnsweredDocument, DocumentState } from './document-state';
import {
  type BatchSummary,
  type IngestBatchInput,
  ingestBatchInput,
  type KnownProgress,
} from './ingest-contract';
import { noteUploads, seeHoldAgain } from './journal';
import { handleMessages } from './messages';
import { Opening, readConfigurationAgain } from './opening';
import { analyseAndFinish } from './stages/analyse';
import { completeStage } from './stages/complete';
import { ANSWERS_TOLD, holdAgain, holdDocument } from './stages/hold';
import { linkStage } from './stages/link';
import { planStage } from './stages/plan';
import { lookAt, readStage } from './stages/read';
import { submitStage } from './stages/submit';
import { waitOutConflicts } from './stages/wait-out-conflicts';

/** How often documents that ended up without an outcome are carried again before they are set apart. */
const MOST_LEFT_ROUNDS = 2;

const EXAMPLE = { share: 'tender', batchId: '20260131-093000-k3f9a2' };

/**
 * Carries one claimed batch to its end. Ends when every document is submitted or set apart and the receipt is
 * on the share; a batch whose receipt exists ends at once. Waits, without limit, for what is only away.
 */
export async function ingestBatchWorkflow(rawInput: IngestBatchInput): Promise<BatchSummary> {
  const input = parseInput(ingestBatchInput, rawInput, EXAMPLE);
  const calls = new ActivityCalls(input.share);
  const signedIn = calls.service.refreshToken(() => ({}), 'Make sure of a usable token');
  // Awaited below; until then a rejection must not count as unhandled.
  signedIn.catch(() => undefined);
  const opening = new Opening(input);
  const opened = await opening.open();
  if (opened.kind === 'settled') return opened.summary;
  if (opened.kind === 'moved') return endMoved(input.batchId, opened.project);

  // Made by the run before, of this build or of one that it was compatible with.
  const carried = input.carried as CarryOver | undefined;
  const batch = new BatchState(input, opened, calls, carried);
  calls.whenBlocked(
    batch,
    () => readConfigurationAgain(batch, input),
    () => seeHoldAgain(batch),
  );
  // A batch that was open and is not there now lies on a share that is not mounted just now.
  calls.blockOn('BATCH_UNUSABLE');
  handleMessages(batch, opening);
  setApartUnsendable(batch);
  if (carried === undefined) {
    logOpened(batch);
    skipUnneeded(batch);
    holdDoubted(batch);
  }

  await signedIn;
  const end = await Promise.race([
    // Ends when the receipt is written.
    processBatch(batch, carried === undefined ? undefined : opened.known),
    // Never ends: documents that waited in the background come back one after the other.
    processHandedBack(batch),
    waitOutConflicts(batch),
    untilReadyToContinueAsNew(batch).then(carriedOn => ({ carriedOn })),
    condition(() => batch.movedTo !== undefined).then(() => 'moved' as const),
  ]);
  if (end === 'moved') return endMoved(input.batchId, batch.movedTo);
  if (!('carriedOn' in end)) return end;
  return await continueAsNew<typeof ingestBatchWorkflow>({ ...input, carried: end.carriedOn });
}

function setApartUnsendable(batch: BatchState): void {
  for (const state of batch.documents) {
    if (state.document.refused !== undefined && state.outcome === undefined)
      batch.setApart(state, state.document.refused);
  }
}

/** Of what a run before this one has begun, nothing is skipped: its submission may have been heard. */
function skipUnneeded(batch: BatchState): void {
  for (const state of batch.documents) {
    const { document, outcome, uploadId } = state;
    if (document.skip !== undefined && outcome === undefined && uploadId === undefined)
      batch.skip(state, document.skip);
  }
}

/** Before anything is sent; of what an earlier run has begun, doubts are told when its turn comes. */
function holdDoubted(batch: BatchState): void {
  for (const state of batch.documents) {
    const { document, outcome, uploadId } = state;
    if (document.doubt !== undefined && outcome === undefined && uploadId === undefined)
      holdDocument(batch, state, 'duplicate', document.doubt);
  }
}

function logOpened(batch: BatchState): void {
  log.info(`Batch ${batch.batchId} with ${countOf(batch.documents.length, 'document')}`, {
    event: 'batch-opened',
    ...batch.ref,
    documents: batch.documents.length,
    workflowId: workflowInfo().workflowId,
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

/** @param known what the share says of documents; only in a run that goes on in the place of another. */
async function processBatch(
  batch: BatchState,
  known: readonly KnownProgress[] | undefined,
): Promise<BatchSummary> {
  holdAgain(batch);
  if (known !== undefined) await noteMissingRecords(batch, known);
  const uploaded = batch.underway.filter(state => state.uploadId !== undefined);
  await lookAt(batch, uploaded);
  await processDocuments(batch, batch.underway);
  await settleWhileAnyWaits(batch);
  await processLeftOver(batch);
  const summary = await settleUp(batch, true);
  await condition(allHandlersFinished);
  return summary;
}

/**
 * Documents that waited in the background are carried on as their wait ends: an answer came, a late file is
 * sent or was released, an upload that was not shown was found, a pause is over.
 */
async function processHandedBack(batch: BatchState): Promise<never> {
  for (;;) {
    const { documents, answered, begin } = await batch.background.nextHandedBack();
    if (answered.length > 0) begin(() => processAnswered(batch, answered));
    else begin(() => processDocuments(batch, documents));
  }
}

/** The run before may have ended after it was told of an upload and before that was noted. */
async function noteMissingRecords(batch: BatchState, known: readonly KnownProgress[]): Promise<void> {
  const knownOf = new Map(known.map(progress => [progress.index, progress]));
  const open = batch.documents.filter(state => state.outcome === undefined);
  // An upload with another file's bytes is not noted as this document's before they are replaced.
  const isNew = ({ document, uploadId, relink }: DocumentState): boolean =>
    !relink && uploadId !== knownOf.get(document.index)?.uploadId;
  const isComplete = ({ document }: DocumentState): boolean => {
    const progress = knownOf.get(document.index);
    return progress?.completed === true || progress?.intended === true;
  };
  await noteUploads(batch, 'created', open.filter(isNew));
  await noteUploads(
    batch,
    'completed',
    open.filter(state => state.completed && (isNew(state) || !isComplete(state))),
  );
}

/**
 * No receipt is final while a document has no outcome: whatever left it without one, it is carried again, and
 * set apart in the end.
 */
async function processLeftOver(batch: BatchState): Promise<void> {
  for (let round = 0; batch.underway.length > 0; round++) {
    log.error(
      `${countOf(batch.underway.length, 'document')} of batch ${batch.batchId} ended without an outcome`,
      {
        event: 'documents-left',
        ...batch.ref,
        round,
      },
    );
    if (round < MOST_LEFT_ROUNDS) await processDocuments(batch, batch.underway);
    else {
      for (const state of batch.underway) batch.setApart(state, explainSetApart('not-carried'));
    }
    await settleWhileAnyWaits(batch);
  }
}

/** Takes documents from wherever they stand to their end. Afterwards each has an outcome or is held. */
async function processDocuments(batch: BatchState, documents: readonly DocumentState[]): Promise<void> {
  const planned = await planStage(batch, documents);
  const known = new Set(planned.filter(state => state.completed));
  const linked = await linkStage(batch, planned);
  // What we know nothing of (taken up from the journal) is treated as if it needed the analysis.
  const waiting = linked.filter(state => !state.analysed && (state.plan?.needsAnalysis ?? true));
  const ready = linked.filter(state => !waiting.includes(state));
  await Promise.all([
    // Seen COMPLETED: from now on, a missing upload that we did not submit means that a person acted.
    noteUploads(
      batch,
      'completed',
      linked.filter(state => !known.has(state)),
    ),
    finish(batch, ready),
    analyseAndFinish(batch, waiting),
  ]);
  // Those that got another document's upload, or were seen INCOMPLETE, are sent and linked again.
  const again = linked.filter(state => !state.completed && isUnderway(state) && state.inLine === undefined);
  if (again.length > 0) await processDocuments(batch, again);
}

async function finish(batch: BatchState, documents: readonly DocumentState[]): Promise<void> {
  if (documents.length === 0) return;
  const { found } = await readStage(batch, documents);
  await submitStage(batch, await completeStage(batch, found));
}

/** Documents that were answered for, from wherever they stand to their end, or until they are held again. */
async function processAnswered(batch: BatchState, answered: readonly AnsweredDocument[]): Promise<void> {
  batch.busy++;
  try {
    await writeAnswers(batch, answered);
  } finally {
    batch.busy--;
  }
  await processDocuments(batch, answered.map(({ state }) => state).filter(isGoingOn));
}

function isGoingOn({ outcome, held }: DocumentState): boolean {
  return outcome === undefined && held === undefined;
}

/**
 * A batch of which nothing has ended is settled up for files that are late only once they are so for long:
 * from then on it stands in nobody's way. While it counted as on its way, no later file could be taken in,
 * and without a later one that is released nothing tells whether the service keeps this one back.
 */
function isAnyWaiting(batch: BatchState): boolean {
  const isAnyLate = batch.lateNow.length > 0 && (batch.outcomes.length > 0 || batch.isReleaseLate);
  return batch.heldNow.length > 0 || batch.waitingForTurn.length > 0 || isAnyLate;
}

/**
 * Returns when nothing goes on in the background. Meanwhile what has ended is settled up, each time that more
 * has: others may wait for a document whose end is not on the share yet.
 */
async function settleWhileAnyWaits(batch: BatchState): Promise<void> {
  const wasAnyWaiting = isAnyWaiting(batch);
  // A batch of big files alone comes here before any of them is sent.
  const mustSettle = (): boolean => wasAnyWaiting || patched('settled-when-waiting-begins-later');
  let settled = -1;
  for (let ended = batch.background.ended; ; ended = batch.background.ended) {
    const hasMore = isAnyWaiting(batch) && batch.outcomes.length !== settled && mustSettle();
    if (hasMore || batch.isAnswerUntold || isAskedAgain(batch)) {
      settled = batch.outcomes.length;
      await settleUp(batch, false);
    }
    if (!(await batch.background.untilAnotherEnds(ended))) return;
  }
}

/** The share says of one that it was answered, and by now a person is asked once more. */
function isAskedAgain(batch: BatchState): boolean {
  const isAny = batch.documents.some(
    ({ document, held, answered }) =>
      held !== undefined && answered === undefined && batch.toldAnswered.includes(document.index),
  );
  return isAny && patched(ANSWERS_TOLD);
}

function toSkippedText({ skipped = 0 }: BatchSummary): string {
  return skipped === 0 ? '' : `, ${skipped} skipped`;
}

/** What the share is to say of documents that have not ended, and wait or were answered. */
function listOpen(batch: BatchState): Pick<SettleUpInput, 'held' | 'goingOn'> {
  const answered = batch.answeredNow.flatMap(({ index, answer }) =>
    answer === undefined ? [] : [{ index, reason: explainAnswered(answer) }],
  );
  batch.toldAnswered = answered.map(({ index }) => index);
  const others = batch.documents.filter(
    ({ document: { index }, outcome }) => outcome === undefined && !batch.toldAnswered.includes(index),
  );
  const held = others.flatMap(({ document: { index }, held }) =>
    held === undefined ? [] : [{ index, reason: held.reason }],
  );
  const inLine = others.flatMap(({ document: { index }, held, inLine }) =>
    held !== undefined || inLine === undefined ? [] : [{ index, reason: inLine.reason }],
  );
  const goingOn = [...answered, ...inLine];
  return { held, ...(goingOn.length === 0 ? {} : { goingOn }) };
}

async function settleUp(batch: BatchState, final: boolean): Promise<BatchSummary> {
  batch.isAnswerUntold = false;
  const summary = await batch.calls.share.settleUp(
    () => ({
      ...batch.ref,
      outcomes: batch.outcomes,
      ...listOpen(batch),
      final,
    }),
    final ? 'Write the receipt and move the files' : 'Write the receipt so far and move what is finished',
  );
  log.info(
    `Batch ${batch.batchId}: ${summary.submitted} submitted, ${summary.setApart} set apart${toSkippedText(summary)}`,
    {
      event: final ? 'batch-finished' : 'batch-settled-so-far',
      share: batch.share,
      ...summary,
      held: batch.heldNow.length,
    },
  );
  return summary;
}
