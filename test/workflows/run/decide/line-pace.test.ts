// What a line of documents costs that stands for days, by when it is looked at.
import {
  firstFrontLookAfterMs,
  frontLookAfterMs,
  turnLookAfterMs,
} from '../../../../workflows/run/decide/line-pace';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Of the batch: a timer, a workflow task, an activity, another workflow task. */
const A_LOOK = 11;
/** Of the coordinator: an update and its workflow task. */
const A_QUESTION = 5;
/** Of the coordinator, where it knows of no batch in front: a timer and a workflow task. */
const NO_LOOK = 5;

/** When it is looked, within seven days, ms since the line began. */
function looksOf(afterMs: (waitedMs: number) => number): readonly number[] {
  const looks: number[] = [];
  for (let at = afterMs(0); at <= 7 * DAY_MS; at += afterMs(at)) looks.push(at);
  return looks;
}

function onDay(looks: readonly number[], day: number): number {
  return looks.filter(at => at > (day - 1) * DAY_MS && at <= day * DAY_MS).length;
}

const ofFront = (sameMs: number): number =>
  frontLookAfterMs({ sameMs, passAfterMs: 15 * MINUTE_MS, isAnyStopped: false });

test.each([
  ['that is told of', false, A_LOOK],
  ['that nobody tells of', true, NO_LOOK],
])(
  'a day in line behind one %s is below 500 events, of batch and coordinator together',
  (_which, isUntold, each) => {
    const ofBatch = looksOf(waitedMs => turnLookAfterMs(waitedMs, isUntold));
    const ofCoordinator = looksOf(ofFront);
    for (let day = 1; day <= 7; day++) {
      const events = onDay(ofBatch, day) * (A_LOOK + A_QUESTION) + onDay(ofCoordinator, day) * each;
      expect(events).toBeLessThan(500);
      // Somebody looks all the same.
      expect(events).toBeGreaterThan(0);
    }
  },
);

test('what was a moment ago is looked at soon', () => {
  expect(turnLookAfterMs(0, true)).toBe(5_000);
  expect(turnLookAfterMs(60_000, true)).toBe(60_000);
  expect(turnLookAfterMs(60_000, false)).toBe(10 * MINUTE_MS);
  expect(ofFront(0)).toBe(5 * MINUTE_MS);
  expect(ofFront(20 * MINUTE_MS)).toBe(20 * MINUTE_MS);
  expect(ofFront(20 * HOUR_MS)).toBe(HOUR_MS);
});

test('one that stands still is looked at often enough to be passed in its time, however long the line has stood', () => {
  const stopped = { sameMs: 20 * HOUR_MS, isAnyStopped: true };
  expect(frontLookAfterMs({ ...stopped, passAfterMs: 15 * MINUTE_MS })).toBe(5 * MINUTE_MS);
  expect(frontLookAfterMs({ ...stopped, passAfterMs: 600 })).toBe(200);
  expect(frontLookAfterMs({ ...stopped, passAfterMs: DAY_MS })).toBe(HOUR_MS);
});

test('a note that nobody takes is tried the less often the longer nobody does', () => {
  expect(firstFrontLookAfterMs()).toBe(5 * MINUTE_MS);
  expect(frontLookAfterMs({ sameMs: DAY_MS, isAnyStopped: false })).toBe(HOUR_MS);
});
