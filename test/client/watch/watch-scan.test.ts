import type { Share } from '../../../activities/share/share';
import { Doorbell } from '../../../client/watch/watch-doorbell';
import { Scanner } from '../../../client/watch/watch-scan';
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

async function discover(): Promise<{ readonly isWhole: boolean; readonly paths: string[] }> {
  const doorbell = new Doorbell({
    polling: false,
    pollEveryMs: 100,
    nowMs,
    onRing: () => undefined,
    onTrouble: () => undefined,
  });
  const scanner = new Scanner({ share, tracker, doorbell, tell: () => undefined, nowMs, marker: '.ready' });
  const isWhole = await scanner.discover(new AbortController().signal);
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
