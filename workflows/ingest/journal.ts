// Notes facts of the batch on its share, where they survive the loss of everything Temporal knows.
import { condition, patched } from '@temporalio/workflow';
import type { HoldLook } from '../../activities';
import type { UploadId } from '../contract';
import { Table } from '../run/decide/table';
import type { BatchState } from './batch-state';
import type { DocumentState } from './document-state';
import type {
  AppliedRequirement,
  AppliedRequirements,
  JournalRecord,
  TransferredFile,
} from './ingest-contract';
import { holdDocument } from './stages/hold';
import { endedOf, explainPassing, type WaitingForTurns } from './stages/revision-order';

/** Returns once the record is durable on the share. */
export async function noteUploads(
  batch: BatchState,
  kind: 'created' | 'completed',
  documents: readonly DocumentState[],
): Promise<void> {
  const uploads = uploadsOf(documents);
  if (uploads.length === 0) return;
  const record: JournalRecord = { kind, uploads };
  await batch.calls.share.appendRecord(() => ({ ...batch.ref, record }), SUMMARIES[kind]);
}

/** Notes files that became available while nobody was at the share. */
export async function noteReleased(batch: BatchState, files: readonly TransferredFile[]): Promise<void> {
  if (files.length === 0) return;
  const record: JournalRecord = { kind: 'transferred', files };
  await batch.calls.share.appendRecord(() => ({ ...batch.ref, record }), 'Note the files on the share');
}

/**
 * Notes the intent to submit those whose turn it is: once the share says so, a missing upload can mean
 * "submitted"; before that it cannot. Returns the documents that have to wait; no intent is noted for them,
 * nor for those that were overtaken, are skipped or are in doubt.
 */
export async function noteIntent(
  batch: BatchState,
  documents: readonly DocumentState[],
): Promise<WaitingForTurns> {
  const eventIds = new Map(documents.map(({ document, eventId }) => [document.index, eventId]));
  const uploads = uploadsOf(documents).map(upload => {
    const eventId = eventIds.get(upload.index);
    return eventId === undefined ? upload : { ...upload, eventId };
  });
  const record: JournalRecord = { kind: 'intent', uploads };
  const turns = batch.turns;
  // The coordinator's `overtaken` and the ledger's `later-there` are the same question: an answer to either
  // counts for both.
  const confirmed = documents.flatMap(({ document, overtaken, meant }) =>
    overtaken?.isConfirmed === true || meant?.includes('later-there') === true ? [document.index] : [],
  );
  const putAside = documents.flatMap(({ document: { index }, meant }) =>
    meant === undefined ? [] : [{ index, codes: meant }],
  );
  const result = await batch.calls.share.appendRecord(
    () => ({
      ...batch.ref,
      record,
      inTurn: {
        ended: endedOf(batch),
        ...matchesOf(documents),
        ...requiredOf(documents),
        ...(confirmed.length === 0 ? {} : { confirmed }),
        ...(batch.tellsDoubts ? { meant: putAside } : {}),
      },
    }),
    SUMMARIES.intent,
  );
  batch.holdSeenMs = Date.now();
  const waiting = result?.waiting ?? [];
  for (const notice of result?.notices ?? []) batch.noteOnce(documents, notice);
  for (const { index, by } of result?.overtaken ?? []) {
    for (const state of documents) if (state.document.index === index) state.overtakenBy(by);
  }
  const skipped = result?.skipped ?? [];
  for (const { index, reason } of skipped) {
    for (const state of documents) if (state.document.index === index) batch.skip(state, reason);
  }
  const doubted = result?.doubted ?? [];
  for (const { index, reason } of doubted) {
    for (const state of documents)
      if (state.document.index === index) holdDocument(batch, state, 'duplicate', reason);
  }
  const stopped = [...waiting, ...(result?.overtaken ?? []), ...skipped, ...doubted];
  const late = new Set(stopped.map(({ index }) => index));
  for (const state of documents) {
    const { index } = state.document;
    state.intentNoted(!late.has(index));
    const passing = result?.passing?.find(one => one.index === index);
    if (passing !== undefined) state.note(explainPassing(batch, passing.before));
  }
  return { waiting, turns };
}

/** Younger than any time in which another Temporal takes a batch over by itself. */
const HOLD_IS_SEEN_MS = 10_000;

/**
 * Whether the share has not said for a while that the batch is still ours: what was let go then may have been
 * taken over since, and answered for otherwise by whoever has it now.
 */
export function isHoldToSee({ tellsHold, holdSeenMs }: BatchState): boolean {
  return tellsHold && Date.now() - holdSeenMs > HOLD_IS_SEEN_MS;
}

/** Ends only while the batch is ours. In runs from before, nobody asks. */
export async function seeHold(batch: BatchState): Promise<void> {
  if (patched('hold-seen-before-each-submission'))
    await batch.calls.share.requireHold(() => batch.ref, 'See whether the batch is still carried from here');
  batch.holdSeenMs = Date.now();
}

/** Before a submission that stood still is asked for again; undefined where there is nothing to see to. */
export function seeHoldAgain(batch: BatchState): Promise<void> | undefined {
  if (!isHoldToSee(batch) || !patched('hold-seen-before-what-stood-still-is-submitted')) return undefined;
  return seeHold(batch);
}

/** How an activity that looks at the hold itself went on so far. */
export interface HoldUnseen {
  readonly attempts: number;
  /** How often in a row it ended because it did not see the hold, after one attempt at most. */
  readonly inARow: number;
}
export const NOT_UNSEEN: HoldUnseen = { attempts: 0, inARow: 0 };

/** So many of its tries lie close together all the same. */
const MOST_CLOSE = 8;
/**
 * Where no process that asks the service serves the share, each try of a long outage costs fourteen events:
 * so far apart, a day of them stays below 2,000.
 */
const UNSEEN_PAUSE_MS = 10 * 60_000;

/**
 * An activity did not see the batch to be ours: the share is to be asked, however short ago it said so. Where
 * that goes on and on it waits before, until somebody says `resume`; a share that was away for a moment is no
 * reason to.
 * @param attempts made so far.
 */
export async function noteUnseen(
  batch: BatchState,
  before: HoldUnseen,
  attempts: number,
): Promise<HoldUnseen> {
  const inARow = attempts - before.attempts > 1 ? 1 : before.inARow + 1;
  if (inARow >= MOST_CLOSE) {
    const { resumes } = batch;
    await condition(() => batch.resumes !== resumes || batch.isToBeLeft(), UNSEEN_PAUSE_MS);
  }
  batch.holdSeenMs = 0;
  return { attempts, inARow };
}

/** For activities that look at the hold themselves, and say so where they do not see the batch to be ours. */
export function toHoldLook(batch: BatchState, attemptsBefore = 0): HoldLook {
  if (!batch.tellsHold) return {};
  return {
    batch: batch.ref,
    ...(isHoldToSee(batch) ? { isHoldToSee: true } : {}),
    ...(attemptsBefore > 0 ? { attemptsBefore } : {}),
  };
}

/**
 * Notes how these ended, unless that is noted: an id that was told is told once, and Temporal's memory may be
 * lost.
 */
export async function noteOutcomes(batch: BatchState, documents: readonly DocumentState[]): Promise<void> {
  const outcomes = documents.flatMap(({ document: { index }, outcome }) =>
    outcome === undefined || batch.noted.has(index) ? [] : [outcome],
  );
  if (outcomes.length === 0) return;
  const record: JournalRecord = { kind: 'outcome', outcomes };
  await batch.calls.share.appendRecord(() => ({ ...batch.ref, record }), SUMMARIES.outcome);
  for (const { index } of outcomes) batch.noted.add(index);
}

function matchesOf(documents: readonly DocumentState[]): {
  matches?: readonly { index: number; matches: string }[];
} {
  const matches = documents.flatMap(({ document: { index }, matches: text }) =>
    text === undefined ? [] : [{ index, matches: text }],
  );
  return matches.length === 0 ? {} : { matches };
}

function requiredOf(documents: readonly DocumentState[]): { required?: AppliedRequirements } {
  const table = new Table<AppliedRequirement>();
  const placed = documents.flatMap(({ document: { index }, required }) =>
    required === undefined ? [] : [{ index, requirement: table.place(required) }],
  );
  return placed.length === 0 ? {} : { required: { requirements: table.entries, documents: placed } };
}

function uploadsOf(documents: readonly DocumentState[]): { index: number; uploadId: UploadId }[] {
  return documents.flatMap(({ document, uploadId }) =>
    uploadId === undefined ? [] : [{ index: document.index, uploadId }],
  );
}

const SUMMARIES = {
  created: 'Note the uploads on the share',
  completed: 'Note the completed uploads on the share',
  intent: 'Note the intent to submit on the share',
  outcome: 'Note on the share what has ended',
} as const;
