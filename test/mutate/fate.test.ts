import { type Bug, type Fate, isNoticed, type Judged, scoreOf } from './bug';
import { fateOfFailed, fateOfFirst, patternFor } from './fate';
import { type Run, toRun } from './workshop';

const run = (more: Partial<Extract<Run, { kind: 'ended' }>> = {}): Run => {
  const failed = more.failedTests?.length ?? 0;
  return {
    kind: 'ended',
    passed: 3,
    failed,
    broken: 0,
    detail: 'why',
    failedTests: [],
    timedOut: 0,
    ...more,
  };
};
const HUNG: Run = { kind: 'hung' };
const red = (...failedTests: string[]) => run({ failedTests });

test.each([
  ['no test failed', run(), 'survived'],
  ['it did not end', HUNG, 'hung'],
  ['the process of the tests ended', run({ passed: 0, broken: 1 }), 'proves nothing'],
  ['a test failed, which is looked at again', red('a'), undefined],
  [
    'a test failed beside a file that could not be loaded',
    run({ failedTests: ['a'], failed: 1, broken: 1 }),
    undefined,
  ],
])('at first: %s', (_, first, fate) => {
  expect(fateOfFirst(first)?.fate).toBe(fate);
});

test.each([
  ['the same test fails again, and not without the bug', red('a'), red('a'), run(), 'killed'],
  ['one of two does', red('a', 'b'), red('b'), red('a'), 'killed'],
  ['it failed once only', red('a'), run(), run(), 'survived'],
  ['another one fails the second time', red('a'), red('b'), run(), 'survived'],
  ['it fails without the bug as well', red('a'), red('a'), red('a'), 'proves nothing'],
  ['which has no name', run({ failed: 1 }), run(), run(), 'proves nothing'],
  ['nothing ran without the bug', red('a'), red('a'), run({ passed: 0 }), 'proves nothing'],
  ['without the bug it does not end', red('a'), red('a'), HUNG, 'proves nothing'],
  ['with the bug it does not end the second time', red('a'), HUNG, run(), 'hung'],
])('a test failed: %s', (_, first, again, without, fate) => {
  expect(fateOfFailed(first, again, without).fate).toBe(fate);
});

test.each([
  ['no test stood still', { failed: 1, failedTests: ['a'], timedOut: 0 }, 'ended'],
  ['one did, and another one failed', { failed: 2, failedTests: ['a'], timedOut: 1 }, 'ended'],
  ['those that failed stood still', { failed: 2, failedTests: [], timedOut: 2 }, 'hung'],
])('a run in which %s', (_, outcome, kind) => {
  expect(toRun({ passed: 3, broken: 0, detail: '', ...outcome }).kind).toBe(kind);
});

test('tests are run again by their whole names, whatever stands in them', () => {
  const names = ['a (1) + b?', 'a|b', 'c [d] $ \\ ^ * . {}'];
  const pattern = new RegExp(patternFor(names), 'i');
  expect(names.every(name => pattern.test(name))).toBe(true);
  expect(pattern.test('a (1) + b? more')).toBe(false);
  expect(pattern.test('b')).toBe(false);
});

const judged = (fate: Fate, remark: Partial<Bug> = {}): Judged => ({
  bug: { room: 'share', file: 'f', tests: [], why: 'w', from: 'a', to: 'b', ...remark },
  fate,
  seconds: 1,
});

test('a hang is told apart from what a test has noticed, unless that is how the bug shows', () => {
  const all = [
    judged('killed'),
    judged('hung'),
    judged('hung', { hangs: 'it waits without end' }),
    judged('survived'),
    judged('survived', { harmless: 'nothing changes' }),
    judged('proves nothing'),
  ];
  expect(scoreOf(all)).toMatchObject({ noticed: 2, hung: 1, survived: 1, counted: 5, percent: 40 });
  expect(all.map(isNoticed)).toEqual([true, false, true, false, false, false]);
});
