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

describe('documents that the service fails for by its own word', () => {
  const FOR_EVER = Number.POSITIVE_INFINITY;

  /** One response names these, after it took so many. */
  function answer(health: StepHealth, atMs: number, named: readonly number[], taken = 0): void {
    health.pass(taken, atMs);
    for (const index of named) health.name(index, atMs);
  }

  /** Waits as often as it is worth it, and is named again each time; returns how often. */
  function countWaits(health: StepHealth, isAlone: boolean, afterMs: number): number {
    for (let waits = 0; waits < 20; waits++) {
      if (!health.isToWaitFor(1, isAlone)) return waits;
      health.countWait(1);
      answer(health, afterMs + waits, [1]);
    }
    return FOR_EVER;
  }

  test.each([
    ['several, and nobody was taken: an outage, however long', 0, false, FOR_EVER],
    ['one, and nobody was taken: an outage of some minutes', 0, true, 2],
    ['several beside others that it took: an outage of some minutes', 3, false, 2],
    ['one beside others that it took: this document', 3, true, 0],
  ])('%s', (_, taken, isAlone, waits) => {
    const health = new StepHealth();
    answer(health, 10, [1, 2], taken);
    expect(countWaits(health, isAlone, 20)).toBe(waits);
  });

  test('others that pass between two responses that name it count as those of one', () => {
    const health = new StepHealth();
    answer(health, 10, [1, 2]);
    health.pass(1, 15);
    answer(health, 20, [1, 2]);
    expect(countWaits(health, false, 30)).toBe(2);
    expect(health.isToWaitFor(1, true)).toBe(false);
  });

  test('what passed before it was named first says nothing of it', () => {
    const health = new StepHealth();
    health.pass(5, 9);
    answer(health, 10, [1, 2]);
    expect(countWaits(health, false, 20)).toBe(FOR_EVER);
  });

  test('it gets its tries back once it was waited for, and others have passed since it was named last', () => {
    const health = new StepHealth();
    answer(health, 10, [1, 2], 3);
    health.pass(1, 20);
    expect(health.beginAnew(1)).toBe(false);
    health.countWait(1);
    expect([health.beginAnew(1), health.beginAnew(1), health.beginAnew(7)]).toEqual([true, false, false]);
    answer(health, 30, [1]);
    health.countWait(1);
    expect(health.beginAnew(1)).toBe(false);
  });

  test('once others have passed, it is waited for some minutes each time that others pass, five times', () => {
    const health = new StepHealth();
    const waited: number[] = [];
    for (let time = 1; time <= 6; time++) {
      answer(health, time * 100, [1, 2]);
      waited.push(countWaits(health, false, time * 100 + 1));
      health.noteElsewhere(`pass ${time - 1}`, undefined);
      health.noteElsewhere(`pass ${time}`, time * 100 + 50);
      health.beginAnew(1);
    }
    expect(waited).toEqual([FOR_EVER, 2, 2, 2, 2, 0]);
  });

  test('one that was named with others in an outage is no document alone when the others have ended', () => {
    const health = new StepHealth();
    answer(health, 10, [1, 2]);
    expect(health.isToWaitFor(1, false)).toBe(true);
    for (let wait = 0; wait < 5; wait++) health.countWait(1);
    expect(health.isToWaitFor(1, true)).toBe(true);
  });

  test('what it was named for before it was answered for otherwise says nothing of it', () => {
    const health = new StepHealth();
    answer(health, 10, [1, 2]);
    expect(health.unname(1)).toBe(false);
    health.pass(1, 20);
    answer(health, 30, [1]);
    expect(countWaits(health, false, 40)).toBe(FOR_EVER);
    expect(health.unname(1)).toBe(true);
  });

  test('nobody else waits while those are tried that were named; these wait for one that is tried for all', async () => {
    const health = new StepHealth();
    const ends: (() => void)[] = [];
    const probe = () => new Promise<void>(resolve => void ends.push(resolve));
    const named = health.waitOutOutage(probe, true);
    expect(await health.untilNoProbe()).toBe(false);
    const all = health.waitOutOutage(probe);
    expect(ends).toHaveLength(2);
    for (const end of ends) end();
    await Promise.all([named, all]);
    expect(await health.untilNoProbe()).toBe(false);
  });
});

describe('those that are tried together', () => {
  test('go on as one with whoever came before the wait was over; who comes later begins another', () => {
    const { together } = new StepHealth();
    const carried: Promise<void>[] = [];
    const carry = () => {
      carried.push(Promise.resolve());
      return carried.at(-1)!;
    };
    expect(together.join([1, 2], carry)).toEqual({ carrying: carried[0], isFirst: true });
    expect(together.join([3], carry)).toEqual({ carrying: carried[0], isFirst: false });
    expect(together.end()).toEqual(new Set([1, 2, 3]));
    expect(together.join([4], carry)).toEqual({ carrying: carried[1], isFirst: true });
    expect(together.end()).toEqual(new Set([4]));
  });

  test('are those that had come when it was asked last; of the others it is told when they wait too long', () => {
    const { together } = new StepHealth();
    const carry = async () => undefined;
    together.join([1], carry);
    expect(together.take()).toEqual(new Set([1]));
    together.join([2, 3], carry);
    expect([together.hasTaken([1]), together.hasTaken([2, 3])]).toEqual([true, false]);
    together.change();
    expect(together.changes).toBe(1);
    expect(together.take()).toEqual(new Set([1, 2, 3]));
    expect(together.hasTaken([2, 3])).toBe(true);
    together.join([4], carry);
    together.end();
    // They go on, with the others.
    expect(together.hasTaken([4])).toBe(true);
  });
});
