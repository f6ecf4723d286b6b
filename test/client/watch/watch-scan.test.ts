import { ShareError } from '../../../activities/share/files/share-error';
import type { Share } from '../../../activities/share/share';
import { Doorbell } from '../../../client/watch/watch-doorbell';
import { NameWalks, Scanner } from '../../../client/watch/watch-scan';
import { SettleTracker } from '../../../client/watch/watch-tracker';
import { createTestBed, type TestBed } from '../../activities/share/share-test-bed';

const CAPACITY = 10;
const nowMs = () => performance.now();

let bed: TestBed;
let share: Share;
let tracker: SettleTracker;

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open();
  tracker = new SettleTracker({ settleMs: 20, capacity: CAPACITY, nowMs });
});

afterEach(async () => bed.remove());

function createScanner(walks?: NameWalks): Scanner {
  const doorbell = new Doorbell({
    polling: false,
    pollEveryMs: 100,
    nowMs,
    onRing: () => undefined,
    onTrouble: () => undefined,
  });
  const deps = { share, tracker, doorbell, tell: () => undefined, nowMs, marker: '.ready' };
  return new Scanner({ ...deps, walks });
}

async function discover(walks?: NameWalks): Promise<{ readonly isWhole: boolean; readonly paths: string[] }> {
  const isWhole = await createScanner(walks).discover(new AbortController().signal);
  return { isWhole, paths: tracker.due(100).names.map(({ path }) => path) };
}

describe('a drop larger than our memory', () => {
  test.each([
    ['one folder', 'big/'],
    ['many folders in one', 'big/sub-#/'],
    ['loose files', ''],
  ])('of %s keeps no other folder out of it', async (_what, folder) => {
    for (let index = 0; index < 40; index += 1) {
      await bed.drop(`${folder.replace('#', String(index % 8))}${index}.pdf`);
    }
    for (const other of ['aaa/urgent.pdf', 'zzz/urgent.pdf', 'zzz/deep/urgent.pdf']) await bed.drop(other);
    const { isWhole, paths } = await discover();
    expect(isWhole).toBe(false);
    expect(paths).toHaveLength(CAPACITY);
    expect(paths).toEqual(
      expect.arrayContaining(['aaa/urgent.pdf', 'zzz/urgent.pdf', 'zzz/deep/urgent.pdf']),
    );
  });

  test('is shared fairly by those that are too large alike, also over many scans', async () => {
    for (let index = 0; index < 40; index += 1) {
      await bed.drop(`one/${index}.pdf`);
      await bed.drop(`two/${index}.pdf`);
    }
    await discover();
    const { paths } = await discover();
    expect(paths.filter(path => path.startsWith('one/'))).toHaveLength(CAPACITY / 2);
    expect(paths.filter(path => path.startsWith('two/'))).toHaveLength(CAPACITY / 2);
  });

  test('is left as soon as there is no room: no walk through all of it', async () => {
    for (let index = 0; index < 30; index += 1) await bed.drop(`big/${index}/a.pdf`);
    await bed.drop('zzz/urgent.pdf');
    const entered: string[] = [];
    const scan = share.scan.bind(share);
    share.scan = options => scan({ ...options, onFolder: path => entered.push(path) });
    await discover();
    expect(entered.length).toBeLessThan(20);
    expect(entered).toContain('zzz');
  });

  test('is told from one that fits: that is a whole scan', async () => {
    await bed.drop('a/1.pdf');
    expect(await discover()).toEqual({ isWhole: true, paths: ['a/1.pdf'] });
  });
});

test('a round that meets a share that is away has ended when it says so, and has looked at nothing since', async () => {
  for (let index = 0; index < CAPACITY; index += 1) await bed.drop(`a/${index}.pdf`);
  const scanner = createScanner();
  await scanner.discover(new AbortController().signal);
  let looks = 0;
  let underWay = 0;
  share.look = async () => {
    looks += 1;
    if (looks === 1) throw new ShareError('share-away', 'The share does not answer.');
    underWay += 1;
    await new Promise(setImmediate);
    underWay -= 1;
    return { sizeBytes: 1, mtimeNs: '1', inode: '1' } as never;
  };
  await expect(scanner.settle(new AbortController().signal)).rejects.toMatchObject({ code: 'share-away' });
  expect({ looks, underWay }).toEqual({ looks: 8, underWay: 0 });
});

describe('what may be the register of a folder that there is no room for all of', () => {
  const QUIET_MS = 100;
  const mostKept = (path: string) => (/register/.test(path) ? 5 : 0);
  let clockMs = 0;
  let walks: NameWalks;

  beforeEach(() => {
    clockMs = 0;
    const { signal } = new AbortController();
    const clock = () => clockMs;
    walks = new NameWalks({ share, tracker, nowMs: clock, quietMs: QUIET_MS, mostKept, signal });
  });

  async function dropTwo(): Promise<void> {
    for (let index = 0; index < 10; index += 1) {
      await bed.drop(`one/${index}.pdf`);
      await bed.drop(`two/${index}.pdf`);
    }
  }

  /** Asks until it may begin. @returns how many walks that took. */
  async function countWalks(top: string, isMarked = false): Promise<number> {
    for (let walked = 0; ; walked += 1) {
      if (walks.mayBegin(top, 0, isMarked)) return walked;
      await walks.end();
      clockMs += 1_000;
    }
  }

  test('comes into sight, whatever else has no room, before anything of it may begin', async () => {
    await dropTwo();
    for (const top of ['one', 'two']) await bed.drop(`${top}/register.csv`);
    await discover(walks);
    for (const top of ['one', 'two']) await countWalks(top);
    const { paths } = await discover(walks);
    expect(paths).toHaveLength(CAPACITY);
    expect(paths).toEqual(expect.arrayContaining(['one/register.csv', 'two/register.csv']));
  });

  test('is looked for until no more names come, at once in a folder that a person has marked, and then no more', async () => {
    await dropTwo();
    await discover(walks);
    const [cut = ''] = ['one', 'two'].filter(top => walks.isCutShort(top));
    await walks.end();
    // One walk is not enough: it may still be being copied.
    expect(walks.mayBegin(cut, 0, false)).toBe(false);
    clockMs = 1_000;
    await bed.drop(`${cut}/10.pdf`);
    expect(walks.mayBegin(cut, 0, false)).toBe(false);
    await walks.end();
    expect(walks.mayBegin(cut, 0, false)).toBe(false);
    clockMs = 2_000;
    await bed.drop(`${cut}/register.csv`);
    expect(await countWalks(cut)).toBe(2);
    expect(tracker.pathsOf(cut)).toContain(`${cut}/register.csv`);
    // What moved since is looked past once it has begun: the next portion does not wait.
    expect(walks.mayBegin(cut, clockMs, false)).toBe(false);
    await walks.end();
    walks.noteBegun(cut);
    expect(walks.mayBegin(cut, clockMs + 1, false)).toBe(true);
    walks.keepOnly(new Set());
    walks.keepOnly(new Set([cut]));
    expect(await countWalks(cut, true)).toBe(1);
  });

  test('is not looked for where all of a folder is in sight', async () => {
    await bed.drop('one/1.pdf');
    await discover(walks);
    expect([walks.isCutShort('one'), walks.mayBegin('one', 0, false)]).toEqual([false, true]);
  });
});

test('a file that cannot be looked at is told of once, tried later, and holds up no other', async () => {
  await bed.drop('bad.pdf');
  await bed.drop('good.pdf');
  const look = share.look.bind(share);
  const looked: string[] = [];
  share.look = async name => {
    looked.push(name.path);
    if (name.path === 'bad.pdf') throw Object.assign(new Error('EINVAL'), { code: 'EINVAL' });
    return await look(name);
  };
  const told: object[] = [];
  const doorbell = { hasHeard: () => true } as unknown as Doorbell;
  const scanner = new Scanner({
    share,
    tracker,
    doorbell,
    tell: event => void told.push(event),
    nowMs,
    marker: '.ready',
  });
  const { signal } = new AbortController();
  await scanner.discover(signal);
  await scanner.settle(signal);
  await scanner.settle(signal);
  expect(looked.filter(path => path === 'good.pdf').length).toBeGreaterThan(0);
  expect(told).toEqual([{ event: 'file-waiting', path: 'bad.pdf', why: 'unreadable' }]);
});

test('a marker in a top folder is met, and is no document, whatever it is called', async () => {
  await bed.drop('A/.ready', '');
  await bed.drop('B/sub/.ready', '');
  await bed.drop('C/READY.txt', '');
  await bed.drop('.ready', '');
  // Folders of its name are none.
  await bed.drop('D/.ready/a.pdf');
  await bed.drop('E/READY.txt/.a', '');
  const idle = {
    polling: false,
    pollEveryMs: 100,
    nowMs,
    onRing: () => undefined,
    onTrouble: () => undefined,
  };
  const deps = { share, tracker, doorbell: new Doorbell(idle), tell: () => undefined, nowMs };
  const marked: Record<string, string[]> = {};
  for (const marker of ['.ready', 'READY.txt']) {
    const scanner = new Scanner({ ...deps, marker });
    await scanner.discover(new AbortController().signal);
    marked[marker] = ['A', 'B', 'C', 'D', 'E', ''].filter(top => scanner.isMarked(top));
    if (marker === 'READY.txt') expect(tracker.due(9).names).toEqual([]);
    else tracker.forget({ path: 'C/READY.txt' });
  }
  expect(marked).toEqual({ '.ready': ['A'], 'READY.txt': ['C'] });
});
