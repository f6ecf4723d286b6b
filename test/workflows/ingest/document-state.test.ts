// A document changes by named transitions, and each of them leaves whole what others rely on.
import type { EventId, FileUploadId, UploadId } from '../../../workflows/contract';
import { isAnswered } from '../../../workflows/ingest/document-facts';
import { DocumentState } from '../../../workflows/ingest/document-state';
import type { BatchDocument, HeldDocument } from '../../../workflows/ingest/ingest-contract';
import { FakeWorld, reason } from '../fake-activities';

const U1 = 'U1' as UploadId;
const SENT = { fileUploadId: 'F1' as FileUploadId, openedAtMs: 1 };
const QUESTION: HeldDocument = {
  index: 0,
  path: 'A.pdf',
  question: 'missing-values',
  reason: reason('missing-values'),
  sinceMs: 1_000,
  untilMs: 2_000,
};

let state: DocumentState;
let document: BatchDocument;
beforeEach(() => {
  [document] = new FakeWorld(1).documents as [BatchDocument];
  state = new DocumentState(document);
});

test('nobody else can write a field', () => {
  const change = (): void => {
    // @ts-expect-error A field of a document is read-only.
    state.uploadId = U1;
    // @ts-expect-error Its tries are counted by a transition.
    state.tries.link = 1;
  };
  expect(change).toBeDefined();
});

test('what was about to be submitted may have been, and had been looked at', () => {
  state = new DocumentState(document, { index: 0, uploadId: U1, intended: true });
  expect(state).toMatchObject({ completed: true, exposed: true, mayBeSubmitted: true, verified: true });
  expect(state.linksAsked).toBe(1);
});

test('tries are counted by what is tried, each up to its bound, and a new document begins at none', () => {
  expect([1, 2, 3].map(() => state.mayTry('link', 2))).toEqual([true, true, false]);
  expect(state.tries).toMatchObject({ link: 3, submit: 0 });
  state.forgetTries('link');
  expect(state.mayTry('link', 1)).toBe(true);
  expect(new DocumentState(document).tries.link).toBe(0);
});

test('an upload with another file in it is no longer COMPLETED, and the file goes out again', () => {
  state.uploadCreated(U1);
  state.fileSent(SENT);
  state.linked();
  state.swapUpload({ uploadId: 'U2' as UploadId, linksAsked: 1 });
  expect(state).toMatchObject({ uploadId: 'U2', relink: true, completed: false, exposed: false });
  expect(state).toMatchObject({ fileUploadId: undefined, openedAtMs: undefined, eventId: undefined });
  state.linked();
  expect(state).toMatchObject({ relink: false, completed: true, exposed: true });
});

test('while an answer is checked no other one is, and refused it leaves the question open', () => {
  state.hold(QUESTION);
  const asked = state.checkAnswer();
  expect(asked).toBeDefined();
  expect(state.checkAnswer()).toBeUndefined();
  if (asked !== undefined) state.refuseAnswer(asked);
  expect(state.held !== undefined && isAnswered(state.held)).toBe(false);
  expect(state.heldSinceMs).toBe(1_000);
});

test('an answer that is taken starts the clock anew, and the end of its check does not take it back', () => {
  state.hold(QUESTION);
  const asked = state.checkAnswer();
  if (asked === undefined) throw new RangeError('The question cannot be answered');
  const termination = { reason: 'Superseded', statusId: '7', status: 'Superseded' };
  const kept = { atMs: 2_000, sinceMs: 1_000, question: 'workflow-conflict', said: 'end them' };
  state.takeAnswer(asked, { document: 0, decision: 'terminate' }, { termination, answers: undefined, kept });
  state.refuseAnswer(asked);
  expect(state.held?.answer).toMatchObject({ decision: 'terminate' });
  expect(state).toMatchObject({ termination, heldSinceMs: undefined, answered: kept });
  // What was said to one question is no answer to the next.
  state.hold(QUESTION);
  expect(state).toMatchObject({ termination: undefined, answered: undefined });
});

test('what a person agreed to end is said for a time, and taken back alone', () => {
  const agreed = { reason: 'Superseded', statusId: '7', status: 'Superseded' };
  state.sayAgreed(5_000);
  expect(state.termination).toBeUndefined();
  state.hold(QUESTION);
  const asked = state.checkAnswer();
  if (asked === undefined) throw new RangeError('The question cannot be answered');
  const kept = { atMs: 2_000, sinceMs: 1_000, question: 'workflow-conflict', said: 'end them' };
  state.takeAnswer(asked, { document: 0, decision: 'terminate' }, { agreed, answers: undefined, kept });
  state.sayAgreed(5_000);
  expect(state.termination).toEqual({ ...agreed, untilMs: 5_000 });
  state.withdrawAgreedTermination();
  expect(state).toMatchObject({ termination: undefined, agreed });
  state.hold(QUESTION);
  expect(state.agreed).toBeUndefined();
  // What the share's configuration says has no end.
  state.allowTermination(agreed);
  state.withdrawAgreedTermination();
  expect(state.termination).toEqual(agreed);
});

test('values that were written are linked instead of the planned ones', () => {
  state.planFor({ now: [{ fieldId: '1', values: ['old'] }], needsAnalysis: false });
  state.valuesWritten({ Type: 'Drawing' }, [{ fieldId: '1', values: ['new'] }]);
  expect(state.plan?.now).toEqual([{ fieldId: '1', values: ['new'] }]);
  expect(state.values).toEqual({ ...document.values, Type: 'Drawing' });
});

test('of values that were written under several names the last comes last', () => {
  state.valuesWritten({ Rev: 'B' }, []);
  state.valuesWritten({ revision: 'C' }, []);
  state.valuesWritten({ Rev: 'D' }, []);
  expect(Object.entries(state.values).slice(-2)).toEqual([
    ['revision', 'C'],
    ['Rev', 'D'],
  ]);
});

test('a configuration that was read again changes no value that a person gave', () => {
  state.reconfigure({ ...document, values: { Type: 'Report' } });
  expect(state.values).toEqual({ Type: 'Report' });
  state.replan({ Type: 'Drawing' });
  state.reconfigure({ ...document, values: { Type: 'Sketch' } });
  expect(state.values).toEqual({ Type: 'Drawing' });
});

test('the end takes along what the receipt says, and nothing is held or looked for any more', () => {
  state.uploadCreated(U1);
  state.note('A note.');
  state.missed();
  state.hold(QUESTION);
  state.end({ kind: 'set-apart', index: 0, reason: reason('x') });
  expect(state.outcome).toMatchObject({ kind: 'set-apart', uploadId: U1, notes: ['A note.'] });
  expect(state).toMatchObject({ held: undefined, absent: false, stage: 'set-apart' });
});

test('its end has what the analysis came to, what it waited for, and the latest five answers', () => {
  state.keepWaits([{ what: 'in-line', sinceMs: 1, untilMs: 2, why: 'x' }]);
  state.analysisEnded({ waitedMs: 9, found: [{ label: 'Type', value: 'Letter' }] });
  for (let atMs = 0; atMs < 7; atMs++) {
    state.keepAnswer({ atMs, sinceMs: 0, question: 'missing-values', said: 'try again' });
  }
  state.seen({
    matches: '',
    eventId: 'E' as EventId,
    stored: [{ label: 'Type', value: 'Drawing', from: 'person' }],
  });
  state.end({ index: 0, kind: 'set-apart', reason: reason('x') });
  expect(state.outcome).toMatchObject({
    analysis: { waitedMs: 9, found: ['Type'], replaced: [{ label: 'Type', value: 'Letter' }] },
    answers: [2, 3, 4, 5, 6].map(atMs => ({ atMs })),
    waits: [{ what: 'in-line', sinceMs: 1, untilMs: 2, why: 'x' }],
  });
});

test('what was found in a file is not said of another one that goes to its upload', () => {
  state.analysisEnded({ waitedMs: 9, found: [] });
  state.swapUpload({ uploadId: U1, linksAsked: 1 });
  state.end({ index: 0, kind: 'set-apart', reason: reason('x') });
  expect(state.outcome).not.toHaveProperty('analysis');
});
