// The lock of shares without hard links, while a share stalls, a process is killed, and others wait. Time is
// what the test says it is.
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withFolderLock } from '../../../../activities/share/files/folder-lock';
import { moveFile } from '../../../../activities/share/files/move-file';
import { createNodeShareFs, Place } from '../../../../activities/share/files/share-fs';
import { writeOnce } from '../../../../activities/share/files/write-whole';
import { useTemporaryFolder } from '../../../setup/temporary-folder';
import { createFaultyFs, fsError, type Operation } from '../faulty-fs';

const LOCK = '.drawbridge-moving';
const folder = useTemporaryFolder();
let passedMs = 0;

beforeEach(async () => {
  passedMs = 0;
  const real = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => real() + passedMs);
  for (const name of ['one', 'two', 'drop']) await mkdir(join(folder(), name));
  await writeFile(join(folder(), 'one/plan.pdf'), 'first');
  await writeFile(join(folder(), 'two/plan.pdf'), 'second');
});

afterEach(() => {
  jest.restoreAllMocks();
});

function noLinks(before: (operation: Operation, path: string) => void | Promise<void> = () => undefined) {
  return createFaultyFs(async (operation, path) => {
    if (operation === 'link') throw fsError('ENOTSUP');
    await before(operation, String(path));
  });
}

async function giveBack(fs: ReturnType<typeof noLinks>, from: string) {
  const into = await fs.openFolder(folder(), join(folder(), 'drop'));
  try {
    return await moveFile(fs, join(folder(), from), new Place(into, 'plan.pdf'), { isDrop: true });
  } finally {
    await into.close();
  }
}

async function dropped() {
  const names = (await readdir(join(folder(), 'drop'))).filter(name => name !== LOCK).toSorted();
  return await Promise.all(names.map(async name => await readFile(join(folder(), 'drop', name), 'utf8')));
}

/** Counts the tries for the lock, and tells when one of them has been made. */
function createWaiter(before: Parameters<typeof noLinks>[0] = () => undefined) {
  const state = { tries: 0 };
  const fs = noLinks(async (operation, path) => {
    if (operation === 'makeFolder') state.tries += 1;
    await before(operation, path);
  });
  const untilTried = async (times: number, run: Promise<unknown>) => {
    let isOver = false;
    const done = () => {
      isOver = true;
    };
    run.then(done, done);
    for (const target = state.tries + times; state.tries < target && !isOver; ) await delay(5);
  };
  return { fs, untilTried };
}

test('whoever waits for a share that stalls does not go in before the other is out', async () => {
  const waiter = createWaiter();
  let second: Promise<unknown> | undefined;
  const first = noLinks(async (operation, from) => {
    if (operation !== 'rename' || !from.endsWith('one/plan.pdf')) return;
    second = giveBack(waiter.fs, 'two/plan.pdf');
    await waiter.untilTried(2, second);
    passedMs += 20_000;
    await waiter.untilTried(5, second);
  });
  await giveBack(first, 'one/plan.pdf');
  await second;
  expect((await dropped()).toSorted()).toEqual(['first', 'second']);
  expect(await readdir(join(folder(), 'drop'))).not.toContain(LOCK);
});

test('after a stall in which others may have broken its lock, its holder moves nothing', async () => {
  let isStalled = false;
  const first = noLinks(async (operation, path) => {
    if (operation !== 'look' || !path.endsWith('drop/plan.pdf') || isStalled) return;
    isStalled = true;
    // Long enough for the second one to take the lock for what a crash has left.
    const waiter = createWaiter();
    const second = giveBack(waiter.fs, 'two/plan.pdf');
    await waiter.untilTried(2, second);
    passedMs += 130_000;
    await second;
    // And a third one is at work.
    await mkdir(join(folder(), 'drop', LOCK));
  });
  await expect(giveBack(first, 'one/plan.pdf')).rejects.toMatchObject({ code: 'unreadable-now' });
  expect(await dropped()).toEqual(['second']);
  expect(await readFile(join(folder(), 'one/plan.pdf'), 'utf8')).toBe('first');
  // Nor does it take away a lock that is another's.
  expect(await readdir(join(folder(), 'drop'))).toContain(LOCK);
});

test('a turn ends by itself, also while nobody waits', async () => {
  const lock = join(folder(), 'lock');
  const work = withFolderLock(createNodeShareFs(), lock, async lastLook => {
    passedMs += 40_000;
    return await lastLook(Promise.resolve('free'));
  });
  await expect(work).rejects.toMatchObject({ code: 'unreadable-now' });
});

test('a lock that was taken away meanwhile is told by its look, whatever the clock says', async () => {
  const lock = join(folder(), 'lock');
  const fs = createNodeShareFs();
  const work = withFolderLock(fs, lock, async lastLook => {
    await fs.removeFolder(lock);
    await fs.makeFolder(lock);
    await utimes(lock, 1, 1);
    return await lastLook(Promise.resolve('free'));
  });
  await expect(work).rejects.toMatchObject({ code: 'unreadable-now' });
  expect(await readdir(folder())).toContain('lock');
});

test('what a killed process has left is taken away once it has stood for long', async () => {
  await mkdir(join(folder(), 'drop', LOCK));
  const waiter = createWaiter();
  const run = giveBack(waiter.fs, 'two/plan.pdf');
  await waiter.untilTried(3, run);
  expect(await dropped()).toEqual([]);
  passedMs += 130_000;
  await run;
  expect(await dropped()).toEqual(['second']);
  expect(await readdir(join(folder(), 'drop'))).toEqual(['plan.pdf']);
});

test('a file of ours is still written once where a killed process has left its lock', async () => {
  await mkdir(join(folder(), 'hold.json.lock'));
  const waiter = createWaiter();
  const run = writeOnce(waiter.fs, join(folder(), 'hold.json'), 'ours');
  await waiter.untilTried(2, run);
  passedMs += 130_000;
  expect(await run).toBe(true);
  expect((await readdir(folder())).toSorted()).toEqual(['drop', 'hold.json', 'one', 'two']);
});

test('locks that come and go are not one that stands for long', async () => {
  const lock = join(folder(), 'drop', LOCK);
  await mkdir(lock);
  const waiter = createWaiter();
  const run = giveBack(waiter.fs, 'two/plan.pdf');
  for (let made = 1; made <= 4; made += 1) {
    await utimes(lock, made, made);
    await waiter.untilTried(2, run);
    passedMs += 70_000;
  }
  // So often that whoever took it away by now would be through with it.
  await waiter.untilTried(3, run);
  expect(await dropped()).toEqual([]);
  passedMs += 130_000;
  await run;
});

test('of two who take an old lock away, the later one leaves the new one of the other', async () => {
  const lock = join(folder(), 'drop', LOCK);
  await mkdir(lock);
  await utimes(lock, 1, 1);
  let isNew = false;
  const waiter = createWaiter(async (operation, path) => {
    if (operation !== 'rename' || !path.endsWith(LOCK) || isNew) return;
    isNew = true;
    await utimes(lock, 2, 2);
  });
  let isIn = false;
  const run = withFolderLock(waiter.fs, lock, async () => {
    isIn = true;
  });
  await waiter.untilTried(2, run);
  passedMs += 130_000;
  while (!isNew) await delay(5);
  await waiter.untilTried(3, run);
  expect(isIn).toBe(false);
  expect(await readdir(join(folder(), 'drop'))).toEqual([LOCK]);
  passedMs += 130_000;
  await run;
  expect(await readdir(join(folder(), 'drop'))).toEqual([]);
});
