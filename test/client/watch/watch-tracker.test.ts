import type { DropEntry } from '../../../activities/share/drop/scan-drop';
import { SettleTracker } from '../../../client/watch/watch-tracker';

let nowMs = 0;
let tracker: SettleTracker;

beforeEach(() => {
  nowMs = 0;
  tracker = new SettleTracker({ settleMs: 1_000, capacity: 3, nowMs: () => nowMs });
  tracker.beginScan();
});

const seen = (changes: Partial<DropEntry> = {}): DropEntry => ({
  path: 'a.pdf',
  kind: 'file',
  sizeBytes: 1,
  mtimeNs: 5n,
  identity: '1:1',
  ...changes,
});

const settled = () => [...tracker.settled().values()].flatMap(({ entries }) => entries);
const settledPaths = () => settled().map(entry => entry.path);

/** Notes the file, then looks at it each half second as the given looks say. */
function watch(...looks: (DropEntry | undefined)[]): boolean[] {
  tracker.note({ path: 'a.pdf' }, 0);
  return looks.map(entry => {
    const hasSettled = tracker.observe({ path: 'a.pdf' }, entry) !== undefined;
    nowMs += 500;
    return hasSettled;
  });
}

describe('SettleTracker', () => {
  test('settles a file that stood still for the settle time of our own clock', () => {
    expect(watch(seen(), seen(), seen())).toEqual([false, false, true]);
    expect(settledPaths()).toEqual(['a.pdf']);
  });

  test.each([
    ['grows', { sizeBytes: 2 }],
    ['is written without growing', { mtimeNs: 6n }],
    ['is replaced', { identity: '1:2' }],
    ['becomes something else', { kind: 'symlink' as const }],
  ])('begins anew when the file %s', (_what, change) => {
    expect(watch(seen(), seen(), seen(change), seen(change), seen(change))).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  test('does not care how old or new the file says it is', () => {
    const future = seen({ mtimeNs: 9_999_999_999_999_999_999n });
    expect(watch(future, future, future)).toEqual([false, false, true]);
  });

  test('learns that a share’s inode numbers are no identity', () => {
    const looks = Array.from({ length: 8 }, (_, index) => seen({ identity: `1:${index}` }));
    expect(watch(...looks).at(-1)).toBe(true);
    expect(settled()[0]?.identity).toBe('');
  });

  test('forgets what is gone', () => {
    watch(seen(), undefined);
    expect(tracker.size).toBe(0);
  });

  test('asks for a look when it is due, and says when the next one is', () => {
    tracker.note({ path: 'a.pdf' }, 0);
    expect(tracker.due(10).names).toEqual([{ path: 'a.pdf' }]);
    tracker.observe({ path: 'a.pdf' }, seen());
    expect(tracker.due(10)).toEqual({ names: [], nextMs: 1_000 });
  });

  test('keeps no more than its capacity in mind', () => {
    for (const path of ['a', 'b', 'c']) expect(tracker.note({ path }, 0)).toBe('new');
    expect(tracker.note({ path: 'd' }, 0)).toBe('no-room');
    expect(tracker.note({ path: 'a' }, 0)).toBe('known');
  });

  test('keeps room for every top folder: the largest one gives way, with what it was given last', () => {
    for (const path of ['a/1', 'a/2', 'a/3']) expect(tracker.note({ path }, 0)).toBe('new');
    expect(tracker.note({ path: 'zzz/urgent.pdf' }, 0)).toBe('new');
    expect(tracker.size).toBe(3);
    expect(tracker.note({ path: 'a/1' }, 0)).toBe('known');
    expect(tracker.note({ path: 'a/3' }, 0)).toBe('no-room');
    // Of two that have as much as they can have alike, none gives way.
    expect(tracker.note({ path: 'zzz/other.pdf' }, 0)).toBe('no-room');
  });

  test('keeps what may be a register, whoever needs room, and makes room for it in its own folder', () => {
    tracker.note({ path: 'a/1' }, 0);
    tracker.note({ path: 'a/register.csv' }, 0, 9);
    tracker.note({ path: 'a/2' }, 0);
    expect(tracker.note({ path: 'b/1' }, 0)).toBe('new');
    expect(tracker.note({ path: 'b/2' }, 0)).toBe('no-room');
    expect(tracker.note({ path: 'b/register.csv' }, 0, 9)).toBe('new');
    expect([...tracker.pathsOf('a'), ...tracker.pathsOf('b')]).toEqual([
      'a/1',
      'a/register.csv',
      'b/register.csv',
    ]);
    expect(tracker.note({ path: 'b/1' }, 0)).toBe('no-room');
    // Nothing of its folder can give way: there is no more room than there is.
    expect(tracker.note({ path: 'b/Register.csv' }, 0, 9)).toBe('no-room');
    tracker.evictStuck();
    expect(tracker.pathsOf('a')).toEqual(['a/register.csv']);
  });

  test('keeps no more than so many of a folder that may be its register', () => {
    tracker = new SettleTracker({ settleMs: 0, capacity: 30, nowMs: () => nowMs });
    for (let index = 0; index < 30; index += 1) tracker.note({ path: `a/register ${index}.csv` }, 0, 20);
    // Others count up to another number.
    tracker.note({ path: 'a/list.csv' }, 0, 25);
    for (let index = 0; index < 30; index += 1) tracker.note({ path: `b/${index}` }, 0);
    expect(tracker.pathsOf('a')).toHaveLength(21);
    expect(tracker.pathsOf('a').slice(19)).toEqual(['a/register 19.csv', 'a/list.csv']);
  });

  test('takes what may be a register, and had no room before, for news of its folder', () => {
    for (const path of ['a/1', 'a/2', 'a/3', 'a/4']) tracker.note({ path }, 0);
    tracker.beginScan();
    nowMs = 5_000;
    tracker.note({ path: 'a/register.csv' }, 0, 9);
    for (const path of ['a/1', 'a/2', 'a/3']) tracker.observe({ path }, seen({ path }));
    nowMs = 6_000;
    for (const path of ['a/1', 'a/2', 'a/3']) tracker.observe({ path }, seen({ path }));
    expect(tracker.settled().get('a')).toMatchObject({ isMoving: true });
  });

  test('keeps in mind what is being claimed, whoever needs room', () => {
    for (const path of ['a/1', 'a/2', 'a/3']) tracker.note({ path }, 0);
    tracker.take([{ path: 'a/2' }, { path: 'a/3' }]);
    expect(tracker.note({ path: 'zzz/urgent.pdf' }, 0)).toBe('new');
    tracker.take([{ path: 'zzz/urgent.pdf' }]);
    expect(tracker.note({ path: 'b/1' }, 0)).toBe('no-room');
    expect(tracker.size).toBe(3);
  });

  test('says since when a file has been in sight, however often it could not be claimed', () => {
    nowMs = 100;
    watch(seen(), seen(), seen());
    tracker.postpone({ path: 'a.pdf' });
    for (let look = 0; look < 3; look += 1) {
      tracker.observe({ path: 'a.pdf' }, seen());
      nowMs += 1_000;
    }
    expect(settled()).toMatchObject([{ path: 'a.pdf', sinceMs: 100 }]);
  });

  test('forgets what a whole scan did not meet, but not what is being claimed', () => {
    watch(seen(), seen(), seen());
    tracker.note({ path: 'b.pdf' }, 0);
    tracker.take([{ path: 'a.pdf' }]);
    tracker.beginScan();
    tracker.forgetUnmet();
    expect(tracker.size).toBe(1);
    expect(settledPaths()).toEqual([]);
    tracker.release([{ path: 'a.pdf' }]);
    expect(settledPaths()).toEqual(['a.pdf']);
  });

  test('waits longer each time a file could not be claimed', () => {
    watch(seen(), seen(), seen());
    const delays = [1, 2, 3].map(tries => {
      expect(tracker.postpone({ path: 'a.pdf' })).toBe(tries);
      const dueMs = tracker.due(0).nextMs;
      const delayMs = Math.max(0, dueMs - nowMs);
      nowMs += delayMs;
      for (let look = 0; look < 3; look += 1) {
        tracker.observe({ path: 'a.pdf' }, seen());
        nowMs += 500;
      }
      expect(settledPaths()).toEqual(['a.pdf']);
      return delayMs;
    });
    expect(delays).toEqual([0, 1_000, 3_000]);
  });

  test.each([
    ['between the first two looks after that', [1n, 2n]],
    ['before the first of them', [2n, 2n]],
  ])('waits for a file that could not be claimed only once it is written, %s', (_when, mtimes) => {
    for (const path of ['A/1', 'A/2']) tracker.note({ path }, 0);
    const look = (path: string, mtimeNs = 1n) => tracker.observe({ path }, seen({ path, mtimeNs }));
    for (const path of ['A/1', 'A/2']) look(path);
    nowMs = 1_000;
    for (const path of ['A/1', 'A/2']) look(path);
    tracker.postpone({ path: 'A/2' });
    expect(tracker.settled().get('A')).toMatchObject({ isMoving: false });
    for (const mtimeNs of mtimes) look('A/2', mtimeNs);
    expect(tracker.settled().get('A')).toMatchObject({ isMoving: true, newestMs: 1_000 });
  });

  test('takes what there was no room for as no news of its folder, unless it changes', () => {
    const meet = (path: string) => {
      const met = tracker.note({ path }, 0);
      tracker.observe({ path }, seen({ path }));
      return met;
    };
    expect(['A/1', 'A/2', 'A/3', 'A/4'].map(meet)).toEqual(['new', 'new', 'new', 'no-room']);
    nowMs = 1_000;
    for (const path of ['A/1', 'A/2', 'A/3']) tracker.observe({ path }, seen({ path }));
    tracker.forget({ path: 'A/3' });
    nowMs = 2_000;
    tracker.beginScan();
    expect(meet('A/4')).toBe('new');
    expect(tracker.settled().get('A')).toMatchObject({ newestMs: 1_000, isMoving: false, isFilling: true });
    nowMs = 3_000;
    tracker.observe({ path: 'A/4' }, seen({ path: 'A/4' }));
    expect(tracker.settled().get('A')).toMatchObject({ newestMs: 1_000, isMoving: false, isFilling: false });
    // That scan left nothing: what comes after it is new.
    tracker.forget({ path: 'A/1' });
    tracker.beginScan();
    meet('A/5');
    expect(tracker.settled().get('A')).toMatchObject({ newestMs: 3_000, isMoving: true, isFilling: false });
  });

  test('takes what there was no room for, and is still written, as any other', () => {
    for (const path of ['A/1', 'A/2', 'A/3', 'A/4']) tracker.note({ path }, 0);
    tracker.forget({ path: 'A/3' });
    tracker.beginScan();
    tracker.note({ path: 'A/4' }, 0);
    tracker.observe({ path: 'A/4' }, seen({ path: 'A/4' }));
    nowMs = 1_000;
    tracker.observe({ path: 'A/4' }, seen({ path: 'A/4', sizeBytes: 2 }));
    for (const path of ['A/1', 'A/2']) tracker.forget({ path });
    tracker.beginScan();
    expect(tracker.settled().size).toBe(0);
    nowMs = 2_000;
    tracker.observe({ path: 'A/4' }, seen({ path: 'A/4', sizeBytes: 2 }));
    expect(tracker.settled().get('A')).toMatchObject({ newestMs: 2_000 });
  });

  test('tells names in bytes from names in text', () => {
    tracker.note({ path: 'a\uFFFD', bytes: Buffer.from([0x61, 0xff]) }, 0);
    expect(tracker.note({ path: 'a\uFFFD', bytes: Buffer.from([0x61, 0xfe]) }, 0)).toBe('new');
    expect(tracker.note({ path: 'a\uFFFD' }, 0)).toBe('new');
  });

  test('answers of a folder where nothing has changed with what it answered before', () => {
    for (const path of ['one/a.pdf', 'two/a.pdf']) {
      tracker.note({ path }, 0);
      tracker.observe({ path }, seen({ path }));
    }
    nowMs += 1_000;
    for (const path of ['one/a.pdf', 'two/a.pdf']) tracker.observe({ path }, seen({ path }));
    const before = tracker.settled();
    expect([...before.keys()]).toEqual(['one', 'two']);
    tracker.take([{ path: 'two/a.pdf' }]);
    expect(tracker.settled().get('one')).toBe(before.get('one'));
    expect(tracker.settled().has('two')).toBe(false);
    tracker.release([{ path: 'two/a.pdf' }]);
    expect(tracker.settled().get('two')).toEqual(before.get('two'));
    // What comes to it, is put off or goes is seen at once.
    tracker.note({ path: 'one/b.pdf' }, 0);
    expect(tracker.settled().get('one')).toMatchObject({ isMoving: true, newestMs: nowMs });
    tracker.observe({ path: 'one/b.pdf' }, undefined);
    expect(tracker.settled().get('one')).toEqual(before.get('one'));
    tracker.postpone({ path: 'one/a.pdf' });
    expect(tracker.settled().has('one')).toBe(false);
    tracker.forget({ path: 'two/a.pdf' });
    expect(tracker.settled().size).toBe(0);
  });
});
