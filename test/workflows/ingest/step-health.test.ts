import { StepHealth } from '../../../workflows/ingest/step-health';

const ALONE = { isEach: true, isDated: true } as const;

test('one passing is one strike, however often it fails after that', () => {
  const health = new StepHealth();
  const fail = (atMs: number) => health.fail([7], { ...ALONE, atMs });
  expect(fail(10)).toBe(false);
  health.pass(1, 20);
  expect([fail(30), health.isSuspect(7), health.strikes(7)]).toEqual([true, true, 1]);
  expect([fail(40), health.isSuspect(7), health.strikes(7)]).toEqual([false, false, 1]);
  health.pass(1, 50);
  expect([fail(60), health.isSuspect(7), health.strikes(7)]).toEqual([true, true, 2]);
});

test('what passed before the last failure and is noted after it is no strike, nor what has no time', () => {
  const health = new StepHealth();
  const fail = (atMs: number) => health.fail([7], { ...ALONE, atMs });
  health.noteElsewhere('a', 5);
  fail(10);
  health.noteElsewhere('b', 9);
  expect(fail(20)).toBe(false);
  health.noteElsewhere('c', undefined);
  expect(fail(30)).toBe(false);
  // The mark that was read before is no other passing, whatever time it names.
  health.noteElsewhere('c', 35);
  expect(fail(40)).toBe(false);
  health.noteElsewhere('d', 45);
  expect(fail(50)).toBe(true);
});

test('the failure of a request of several is a strike of none of them', () => {
  const health = new StepHealth();
  const options = { isEach: false, isDated: true };
  health.fail([1, 2], { ...options, atMs: 10 });
  health.pass(1, 20);
  expect(health.fail([1, 2], { ...options, atMs: 30 })).toBe(true);
  expect([health.strikes(1), health.strikes(2)]).toEqual([0, 0]);
});

test('a run from before strikes blames for any passing since the first failure', () => {
  const health = new StepHealth();
  const options = { isEach: true, isDated: false };
  health.fail([7], { ...options, atMs: 10 });
  health.noteElsewhere('a', undefined);
  health.noteElsewhere('b', undefined);
  health.fail([7], { ...options, atMs: 20 });
  health.fail([7], { ...options, atMs: 30 });
  expect(health.isSuspect(7)).toBe(true);
});
