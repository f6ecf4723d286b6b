import {
  createLimit,
  createSharedRoom,
  forEachLimited,
  type Limit,
  mapLimited,
} from '../../../activities/host/concurrency';

test('at most so many work at once, in the order they came', async () => {
  const limit = createLimit(2);
  const begun: number[] = [];
  let atOnce = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 9 }, (_, index) =>
      limit(async () => {
        begun.push(index);
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise(setImmediate);
        atOnce -= 1;
      }),
    ),
  );
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(most).toBe(2);
});

test('a slot comes back when its work fails', async () => {
  const limit = createLimit(1);
  const failed = new Error('failed');
  await expect(limit(() => Promise.reject(failed))).rejects.toBe(failed);
  await expect(limit(async () => 'next')).resolves.toBe('next');
});

test('a slot comes back when its user is ended while at work', async () => {
  const limit = createLimit(1);
  const abort = new AbortController();
  const ended = limit(async () => abort.abort(new Error('enough')), abort.signal);
  await expect(ended).resolves.toBeUndefined();
  await expect(limit(async () => 'next')).resolves.toBe('next');
});

test('who gives up waiting takes no slot with it', async () => {
  const limit = createLimit(1);
  const abort = new AbortController();
  const reason = new Error('enough');
  let release: () => void = () => undefined;
  const first = limit(() => new Promise<void>(resolve => (release = resolve)));
  const second = limit(async () => 'never', abort.signal);
  abort.abort(reason);
  await expect(second).rejects.toBe(reason);
  await expect(limit(async () => 'never', abort.signal)).rejects.toBe(reason);
  release();
  await first;
  const nobody = new Promise(resolve => setImmediate(resolve, 'nobody has the slot'));
  expect(await Promise.race([limit(async () => 'next'), nobody])).toBe('next');
});

test('a list is worked through in order, so many at a time', async () => {
  const begun: (number | undefined)[] = [];
  let atOnce = 0;
  let most = 0;
  await forEachLimited([1, undefined, 3, 4, 5], 2, async item => {
    begun.push(item);
    most = Math.max(most, ++atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
  });
  expect({ begun, most }).toEqual({ begun: [1, undefined, 3, 4, 5], most: 2 });
});

test('after an error nothing new is begun, and what runs is waited for', async () => {
  const failed = new Error('failed');
  const ended: number[] = [];
  const all = forEachLimited([1, 2, 3, 4], 2, async item => {
    await new Promise(setImmediate);
    if (item === 1) throw failed;
    await new Promise(setImmediate);
    ended.push(item);
  });
  await expect(all).rejects.toBe(failed);
  expect(ended).toEqual([2]);
});

test('of nothing there is nothing to do', async () => {
  await expect(forEachLimited([], 3, () => Promise.reject(new Error('asked')))).resolves.toBeUndefined();
});

test('results have the order of the items, and one that is slow keeps nothing behind it', async () => {
  const begun: number[] = [];
  let release: () => void = () => undefined;
  const slow = new Promise<void>(resolve => (release = resolve));
  const all = mapLimited([1, 2, 3, 4, 5], 2, async item => {
    begun.push(item);
    if (item === 5) release();
    await (item === 1 ? slow : undefined);
    return item * 10;
  });
  await expect(all).resolves.toEqual([10, 20, 30, 40, 50]);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
});

describe('room that many share', () => {
  /** Begins so many pieces of work; `begun` counts them, and each ends when it is let go. */
  function occupy(limit: Limit, count: number) {
    const ends: (() => void)[] = [];
    const begun = () => ends.length;
    for (let at = 0; at < count; at++) void limit(() => new Promise<void>(resolve => ends.push(resolve)));
    return { begun, endOne: () => ends.shift()?.() };
  }

  test('nobody has more of it than is left free, nor more than his most', async () => {
    const open = createSharedRoom(12, 5);
    const [first, second, third] = [open(), open(), open()].map(limit => occupy(limit, 20));
    await new Promise(setImmediate);
    expect([first, second, third].map(one => one?.begun())).toEqual([5, 4, 2]);
  });

  test('who waits goes on in turns, in the order each of them came, when room is given back', async () => {
    const open = createSharedRoom(2, 2);
    const [one, other] = [open(), open()];
    const said: string[] = [];
    const work = (name: string) => async () => {
      said.push(name);
      await new Promise(setImmediate);
    };
    await Promise.all([one(work('a')), one(work('b')), one(work('c')), other(work('x')), other(work('y'))]);
    expect(said).toEqual(['a', 'x', 'b', 'y', 'c']);
  });

  test('who is ended while waiting takes none of it', async () => {
    const open = createSharedRoom(1, 1);
    const [one, other] = [open(), open()];
    const held = occupy(one, 1);
    const abort = new AbortController();
    const waiting = other(async () => 'begun', abort.signal);
    const next = other(async () => 'next');
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    held.endOne();
    await expect(next).resolves.toBe('next');
    await expect(one(async () => 'free')).resolves.toBe('free');
  });
});
