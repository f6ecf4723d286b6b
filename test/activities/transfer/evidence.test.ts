// What tells a file that is at fault from an outage: strikes, each with another file that got through since
// the one before.
import { Evidence, type Place } from '../../../activities/transfer/evidence';

const ours: Place = { call: 'open', file: 'ours.pdf' };
const others: Place = { call: 'open', file: 'others.pdf' };

let evidence: Evidence;

beforeEach(() => {
  evidence = new Evidence();
});

test.each<[string, string, number]>([
  ['fails alone, however often', 'xxxxxxxxxx', 1],
  ['fails after others have passed', 'ooox', 1],
  ['fails as an outage begins raggedly, and on to its end', 'xoxxxxxxxxxx', 2],
  ['fails in one outage after the other', 'xxxxoxxxxoxxxx', 3],
  ['fails each time, and others pass each time', 'xoxoxoxoxoxoxox', 8],
  ['fails each time, and many pass between', 'xoooxoooxooox', 4],
])('a file that %s (%s) has %3$d strikes', (_, course, strikes) => {
  for (const [atMs, what] of [...course].entries()) {
    if (what === 'o') evidence.passed(others, atMs);
    else evidence.failed(ours, atMs);
  }
  expect(evidence.strikes(ours)).toBe(strikes);
});

test('what was let in before it failed last is no evidence, though it ends well afterwards', () => {
  evidence.failed(ours, 10);
  evidence.passed(others, 5);
  evidence.failed(ours, 20);
  evidence.passed(others, 15);
  evidence.failed(ours, 30);
  expect(evidence.strikes(ours)).toBe(1);
  expect(evidence.haveOthersPassed(ours)).toBe(false);
});

test('a pass of its own takes all back', () => {
  evidence.failed(ours, 1);
  evidence.passed(others, 2);
  evidence.failed(ours, 3);
  evidence.passed(ours, 4);
  expect(evidence.strikes(ours)).toBe(0);
  expect(evidence.hasFailed(ours.file)).toBe(false);
});

test('a pass at another call says nothing', () => {
  evidence.failed(ours, 1);
  evidence.passed({ call: 'look', file: 'others.pdf' }, 2);
  evidence.failed(ours, 3);
  expect(evidence.strikes(ours)).toBe(1);
});
