// Documents that wait for a person: asked, answered by the update `answer`, or set apart when the time is
// over.
//
// Under the policy `wait`, a held document in conflict is also tried again by itself, in one of two ways:
//   beside    (`waitsBeside`) wait-out-conflicts.ts: one activity reads and submits all of them, again and
//             again
//   in turns  in a run that replays what it did before the patch: here, each look ends the hold of all of
//             them as if somebody had answered `retry`, and they go the usual way
// The field `retried` of a document says how the first way stands with it:
//   now        the activity of wait-out-conflicts.ts has it just now, and may submit it at any moment
//   untold     that activity was cut before it could tell what became of it
//   undefined  neither: what became of it is known
// wait-out-conflicts.ts sets all three. `endRetries` (conflict-request.ts) waits until none is `now`, looks
// once at those that are `untold`, and makes them undefined: this task calls it before it takes up an answer
// or sets an expired document apart. accept-answers.ts checks no answer to a document that is `now`. The next
// run has the field from the carry-over.
import { condition, patched } from '@temporalio/workflow';
import type { Reason } from '../../contract';
import type { BatchState } from '../batch-state';
import { ASK_AGAIN } from '../decide/ask-again';
import { explainSetApart } from '../decide/explain-set-apart';
import { isAnswered } from '../document-facts';
import type { AnsweredDocument, DocumentState } from '../document-state';
import type { HintListener } from '../hints';
import type { BatchDocument, HeldDocument } from '../ingest-contract';
import { endRetries, retriedDocuments } from './conflict-request';

/** How long the next group of answers is gathered while the one before is carried. */
const GATHER_MS = 5_000;
/**
 * Each look at what is in conflict comes after another third of the time waited, and an hour later at the
 * latest.
 */
const WAIT_DIVISOR = 3;
const LONGEST_LOOK_MS = 60 * 60_000;
/**
 * An event about one of them brings the next look forward, to so long after the last one: each look submits.
 */
const HINTED_LOOK_MS = 60_000;

/** The patch by which the receipt so far says what was answered, and what is asked again. */
export const ANSWERS_TOLD = 'answers-on-their-way-are-told';

interface LastLook {
  atMs: number;
  /** Documents that events came for since then. */
  readonly listener: HintListener;
}

/** A document lacks required values: held or set apart, as the share's policy says. */
export function lackValues(
  batch: BatchState,
  state: DocumentState,
  reason: Reason,
  missing: readonly string[],
): void {
  if (batch.policy.missing === 'set-apart') batch.setApart(state, reason);
  else holdDocument(batch, state, 'missing-values', reason, missing);
}

/** The service does not take values of this document: whoever gave some is asked again, else it ends here. */
export function refuseValues(batch: BatchState, state: DocumentState, reason: Reason): void {
  const isAnswered = state.values !== state.document.values;
  if (isAnswered) askAgain(batch, state, 'missing-values', reason);
  else batch.setApart(state, reason);
}

/** Something of a person's answer was refused: the same question is asked again, with the refusal. */
export function askAgain(
  batch: BatchState,
  state: DocumentState,
  question: HeldDocument['question'],
  reason: Reason,
  missing?: readonly string[],
): void {
  holdDocument(batch, state, question, { ...reason, fix: ASK_AGAIN }, missing);
}

export function holdDocument(
  batch: BatchState,
  state: DocumentState,
  question: HeldDocument['question'],
  reason: Reason,
  missing?: readonly string[],
): void {
  // Waiting on under the policy `wait` is one wait, however often we try in between.
  const sinceMs = isAskedAnew(state, question) ? Date.now() : (state.heldSinceMs ?? Date.now());
  batch.hold(state, {
    index: state.document.index,
    path: state.document.path,
    question,
    reason,
    ...(missing === undefined ? {} : { missing }),
    sinceMs,
    untilMs: sinceMs + batch.policy.holdMs,
  });
  waitForPeople(batch);
}

/** What a conflict has waited for is no time in which a person could have answered something else. */
function isAskedAnew({ heldSinceMs, heldFor }: DocumentState, question: HeldDocument['question']): boolean {
  if (heldSinceMs === undefined || heldFor === undefined || heldFor === question) return false;
  return patched('another-question-has-a-time-of-its-own');
}

/** Those that were held when the run before was left are asked for again. */
export function holdAgain(batch: BatchState): void {
  batch.move(batch.heldNow, 'held');
  waitForPeople(batch);
}

/** One task with one timer waits for all answers, however many documents are held. */
function waitForPeople(batch: BatchState): void {
  if (batch.isAsking || batch.heldNow.length === 0) return;
  batch.isAsking = true;
  batch.background.run(untilNoneIsHeld(batch));
}

/**
 * Runs until nothing is held. Documents that were answered in the same moment go on together; under the
 * policy `wait` so do those in conflict, whose workflows may have ended by now.
 */
async function untilNoneIsHeld(batch: BatchState): Promise<void> {
  const look: LastLook = { atMs: Date.now(), listener: batch.hints.listen(() => waitingForWorkflows(batch)) };
  let isBeside = batch.waitsBeside;
  while (batch.heldNow.length > 0) {
    const seen = batch.resumes;
    // Asked only where it matters: each patch that a run takes is an event.
    if (!isBeside && retriedDocuments(batch).length > 0)
      batch.waitsBeside = isBeside = patched('conflicts-waited-out-by-one-activity');
    await untilSomethingIsDue(batch, look, seen, isBeside);
    if (isBeside) await endRetries(batch, batch.heldNow.filter(isEnding));
    const unlooked = isBeside ? findUnlooked(batch) : [];
    const due = batch.heldNow.filter(state => !unlooked.includes(state));
    setApartExpired(batch, due);
    const isTime = !isBeside && (Date.now() >= nextLookMs(batch, look) || batch.resumes !== seen);
    if (isTime) {
      look.atMs = Date.now();
      look.listener.hinted.clear();
    }
    const answered = due.flatMap(state => takeUpAnswer(batch, state, isTime));
    if (answered.length === 0) continue;
    const { begun, ended } = batch.background.handBack(
      answered.map(({ state }) => state),
      answered,
    );
    let isThrough = false;
    batch.background.run(
      ended.finally(() => {
        isThrough = true;
      }),
    );
    await begun;
    // Who answers a hundred questions answers one after the other: what comes meanwhile is the next group.
    const isSoon = await condition(() => isThrough, GATHER_MS);
    if (!isSoon) tellLateAnswers(batch);
  }
  look.listener.close();
  batch.isAsking = false;
}

/** What was answered takes longer than a moment: until the share is told, it says that a person is asked. */
function tellLateAnswers(batch: BatchState): void {
  const isAnyUntold = batch.answeredNow.some(
    ({ index, answer }) => answer !== undefined && !batch.toldAnswered.includes(index),
  );
  if (!isAnyUntold || !patched(ANSWERS_TOLD)) return;
  batch.isAnswerUntold = true;
  batch.background.nudge();
}

function isEnding({ held }: DocumentState): boolean {
  if (held === undefined) return false;
  return held.answer !== undefined || (!isAnswered(held) && held.untilMs <= Date.now());
}

/**
 * Answered, or their time over, only while others were looked for: what became of their own last submission
 * is not known yet. They are looked for in the next round, which comes at once.
 */
function findUnlooked(batch: BatchState): readonly DocumentState[] {
  const unlooked = batch.heldNow.filter(state => isEnding(state) && state.retried !== undefined);
  // A run from before took them up unlooked, and asks for the same when it is replayed.
  return unlooked.length > 0 && patched('what-ends-during-a-look-is-looked-for') ? unlooked : [];
}

async function untilSomethingIsDue(
  batch: BatchState,
  look: LastLook,
  seen: number,
  isBeside: boolean,
): Promise<void> {
  const findDueMs = (): number => (isBeside ? nextEndMs(batch) : nextDueMs(batch, look));
  const dueMs = findDueMs();
  const isToLook = (): boolean =>
    !isBeside && batch.resumes !== seen && waitingForWorkflows(batch).length > 0;
  const isDue = (): boolean =>
    batch.heldNow.length === 0 ||
    batch.heldNow.some(({ held }) => held?.answer !== undefined) ||
    isToLook() ||
    findDueMs() < dueMs;
  // Infinity: each question has an answer that is being checked, and nothing is due before that is over.
  if (dueMs === Number.POSITIVE_INFINITY) await condition(isDue);
  else await condition(isDue, Math.max(1, dueMs - Date.now()));
}

/** The end of somebody's time, or the next look at what is in conflict. */
function nextDueMs(batch: BatchState, look: LastLook): number {
  return Math.min(nextLookMs(batch, look), nextEndMs(batch));
}

function nextEndMs(batch: BatchState): number {
  return Math.min(
    ...batch.heldNow.map(({ held }) =>
      held === undefined || held.answering ? Number.POSITIVE_INFINITY : held.untilMs,
    ),
  );
}

/**
 * When documents in conflict are looked at next, Unix ms. The longer they have waited, the less a while more
 * matters; each document costs a request at the most.
 */
function nextLookMs(batch: BatchState, { atMs, listener }: LastLook): number {
  const waiting = waitingForWorkflows(batch);
  if (waiting.length === 0) return Number.POSITIVE_INFINITY;
  const sinceMs = Math.max(...waiting.map(({ held }) => held?.sinceMs ?? 0));
  const longestMs = Math.max(LONGEST_LOOK_MS, waiting.length * 60_000);
  const grownMs = Math.min(longestMs, Math.round((atMs - sinceMs) / WAIT_DIVISOR));
  const usualMs = Math.max(batch.policy.conflictRetryMs, grownMs);
  return atMs + (listener.hinted.size > 0 ? Math.min(usualMs, HINTED_LOOK_MS) : usualMs);
}

function waitingForWorkflows(batch: BatchState): readonly DocumentState[] {
  if (batch.policy.conflict.kind !== 'wait') return [];
  return batch.heldNow.filter(({ held }) => held?.question === 'workflow-conflict');
}

function setApartExpired(batch: BatchState, due: readonly DocumentState[]): void {
  for (const state of due) {
    const { held } = state;
    if (held === undefined || isAnswered(held) || held.untilMs > Date.now()) continue;
    const expired = explainSetApart('hold-expired');
    batch.setApart(state, { ...expired, text: `${held.reason.text} ${expired.text}`, fix: held.reason.fix });
  }
}

/**
 * Returns the document, its hold ended, if it goes on now; nothing if a person sets it apart, or nobody has
 * answered.
 */
function takeUpAnswer(batch: BatchState, state: DocumentState, isTime: boolean): readonly AnsweredDocument[] {
  const { held } = state;
  const isRetried = isTime && waitingForWorkflows(batch).includes(state);
  const answer = held?.answer ?? (isRetried ? { decision: 'retry' as const } : undefined);
  if (held === undefined || held.answering || answer === undefined) return [];
  if (answer.decision === 'set-apart') {
    const decided = explainSetApart('set-apart-by-person');
    batch.setApart(state, { ...decided, text: `${held.reason.text} ${decided.text}` });
    return [];
  }
  state.endHold();
  return [{ state, held }];
}

/**
 * The held documents that a person may mean by an index, a path or a file name. A whole path is that of one,
 * whatever others are called.
 */
export function findMeant(batch: BatchState, name: number | string): readonly DocumentState[] {
  const fitting = batch.heldNow.filter(({ document }) => isNamed(document, name));
  const exact = fitting.filter(({ document: { path } }) => path === name);
  return exact.length > 0 ? exact : fitting;
}

/**
 * The same, for answers that are taken already: a release before took the first one that fits, and a run of
 * it does so when it is replayed.
 */
export function findTaken(batch: BatchState, name: number | string): readonly DocumentState[] {
  const meant = findMeant(batch, name);
  const first = batch.heldNow.find(({ document }) => isNamed(document, name));
  if (first === undefined || (meant.length === 1 && meant[0] === first)) return meant;
  return patched('a-name-that-fits-several-is-refused') ? meant : [first];
}

export function isNamed({ index, path, fileName }: BatchDocument, name: number | string): boolean {
  return index === name || path === name || fileName === name || String(index) === name;
}

/** Why an answer by a name that fits all of these cannot be used. */
export function explainSeveral(meant: readonly DocumentState[]): string {
  const paths = meant.map(({ document }) => document.path);
  return `Several have this name: ${paths.join(', ')}. Name the one that is meant by its path.`;
}
