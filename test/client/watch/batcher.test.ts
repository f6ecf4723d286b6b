// When settled files become a batch: once it is quiet, and after ten quiet times even where it never is.

import type { BatchState, OpenBatch } from '../../../activities/share/claim/open-batches';
import { ShareError } from '../../../activities/share/files/share-error';
import type { Share } from '../../../activities/share/share';
import { SHARE_DEFAULTS } from '../../../activities/share/share-config';
import { Batcher } from '../../../client/watch/batcher';
import { EmptiedFolders } from '../../../client/watch/watch-folders';
import { ShareHealth } from '../../../client/watch/watch-health';
import type { StartQueue } from '../../../client/watch/watch-starts';
import { SettleTracker } from '../../../client/watch/watch-tracker';

const SETTLE_MS = 100;
const QUIET_MS = 1_000;

/** A tracker whose files settle on a clock of the test's own, and a share that only notes what is claimed. */
function bench(
  why = 'gone',
  openJob = async (folder: string): Promise<unknown> => ({ name: folder }),
  {
    quietMs = QUIET_MS,
    isMarked = false,
    readRegister = async (): Promise<object | undefined> => ({}),
  }: { quietMs?: number; isMarked?: boolean; readRegister?: () => Promise<object | undefined> } = {},
) {
  const told: unknown[] = [];
  let nowMs = 0;
  const clock = () => nowMs;
  const claimed: { readonly atMs: number; readonly paths: readonly string[] }[] = [];
  let openFault: Error | undefined;
  let open: readonly OpenBatch[] = [];
  const share = {
    config: { ...SHARE_DEFAULTS, quietMs },
    readRegister,
    openJob,
    openBatches: async () => {
      if (openFault !== undefined) throw openFault;
      return open;
    },
    claim: async (entries: readonly { readonly path: string }[]) => {
      claimed.push({ atMs: nowMs, paths: entries.map(({ path }) => path) });
      return { batch: undefined, notClaimed: entries.map(({ path }) => ({ path, why })) };
    },
  } as unknown as Share;
  const tracker = new SettleTracker({ settleMs: SETTLE_MS, capacity: 1_000, nowMs: clock });
  const batcher = new Batcher({
    share,
    tracker,
    starts: {} as StartQueue,
    folders: new EmptiedFolders(share, 1_000, clock),
    health: new ShareHealth(event => told.push(event), clock),
    tell: event => told.push(event),
    nowMs: clock,
    isMarked: () => isMarked,
    onJob: () => undefined,
    hashSignal: new AbortController().signal,
    onDone: () => undefined,
    onAbandoned: () => undefined,
  });
  const look = (path: string, mtimeNs = 1n) =>
    tracker.observe({ path }, { path, kind: 'file', sizeBytes: 1, mtimeNs, identity: path });
  return {
    told,
    claimed,
    tracker,
    look,
    nowMs: clock,
    /** What the share answers when its open batches are counted. */
    failsToCount(fault: Error | undefined): void {
      openFault = fault;
    },
    /** What else the share has open, all of one state. */
    has(count: number, state: BatchState): void {
      open = Array.from({ length: count }, (_, index) => ({
        batchId: `20260131-093000-${index}`,
        state,
        isProven: true,
        isStopped: false,
      }));
    },
    /** A file comes and settles, and the batcher is asked. */
    async comes(path: string): Promise<void> {
      tracker.note({ path }, 0);
      look(path);
      nowMs += SETTLE_MS;
      look(path);
      await batcher.pump();
      await batcher.finish();
    },
    async passes(ms: number): Promise<number> {
      nowMs += ms;
      const askAgainMs = await batcher.pump();
      await batcher.finish();
      return askAgainMs - nowMs;
    },
  };
}

test('files that have settled are claimed together, a quiet time after the last one', async () => {
  const { claimed, comes, passes } = bench();
  await comes('a.pdf');
  await comes('b.pdf');
  expect(await passes(QUIET_MS - 1)).toBe(1);
  expect(claimed).toEqual([]);
  await passes(1);
  expect(claimed.map(({ paths }) => paths)).toEqual([['a.pdf', 'b.pdf']]);
});

test('a share that blinks while its open batches are counted keeps no file back: it is claimed when it is there again', async () => {
  const { claimed, tracker, comes, passes, failsToCount } = bench();
  await comes('a.pdf');
  failsToCount(Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE' }));
  await expect(passes(QUIET_MS)).rejects.toThrow('ESTALE');
  expect(claimed).toEqual([]);
  expect(tracker.pathsOf('')).toEqual(['a.pdf']);
  failsToCount(undefined);
  await passes(QUIET_MS);
  expect(claimed.map(({ paths }) => paths)).toEqual([['a.pdf']]);
});

test('however many batches wait for people, the next job begins', async () => {
  const { claimed, told, comes, passes, has } = bench();
  has(1_001, 'waiting');
  await comes('a.pdf');
  await passes(QUIET_MS);
  expect(claimed.map(({ paths }) => paths)).toEqual([['a.pdf']]);
  expect(told).toEqual([]);
});

test('behind as many batches on their way as may be, it waits and says so, and begins when they wait for people', async () => {
  const { claimed, told, comes, passes, has } = bench();
  const { maxOpenBatches } = SHARE_DEFAULTS;
  has(maxOpenBatches, 'ready');
  await comes('a.pdf');
  await passes(QUIET_MS);
  expect(claimed).toEqual([]);
  expect(told).toEqual([{ event: 'batches-full', open: maxOpenBatches, waiting: 1 }]);
  has(maxOpenBatches, 'waiting');
  await passes(QUIET_MS);
  expect(claimed.map(({ paths }) => paths)).toEqual([['a.pdf']]);
});

test('a file that is gone when it is claimed is forgotten, and not claimed again', async () => {
  const { claimed, tracker, comes, passes } = bench();
  await comes('a.pdf');
  await passes(QUIET_MS);
  await passes(QUIET_MS);
  expect(claimed).toHaveLength(1);
  expect(tracker.size).toBe(0);
});

test('a file that looks changed at each claim is mentioned, once, when that does not end', async () => {
  const { told, claimed, comes, passes } = bench('changed');
  const waits = { event: 'file-waiting', path: 'a.pdf', why: 'changed' };
  const toldAt: number[] = [];
  while (claimed.length < 8) {
    await comes('a.pdf');
    await passes(QUIET_MS);
    if (told.length > toldAt.length) toldAt.push(claimed.length);
  }
  expect([told, toldAt]).toEqual([[waits], [5]]);
});

test('where files trickle in steadily, the first one waits for company ten quiet times and no longer', async () => {
  const { claimed, comes, passes } = bench();
  let count = 0;
  while (claimed.length === 0 && count < 100) {
    await comes(`${count}.pdf`);
    count += 1;
    await passes(QUIET_MS / 2);
  }
  expect(claimed[0]?.paths).toContain('0.pdf');
  expect(claimed[0]?.paths.length).toBeGreaterThan(10);
  expect(claimed[0]?.atMs).toBeGreaterThanOrEqual(10 * QUIET_MS);
  expect(claimed[0]?.atMs).toBeLessThan(11 * QUIET_MS);
});

test('a job whose record cannot be opened is told with its folder, and keeps no other one waiting', async () => {
  const why = 'The record of the job of "Job" cannot be opened just now.';
  let isLocked = true;
  const { told, claimed, comes, passes } = bench('gone', async folder => {
    if (isLocked && folder === 'Job') throw new ShareError('unreadable-now', why);
    return { name: folder };
  });
  await comes('Job/a.pdf');
  await passes(QUIET_MS);
  expect(told).toEqual([{ event: 'file-waiting', path: 'Job', why }]);
  await comes('Other/b.pdf');
  await passes(QUIET_MS);
  expect(claimed.map(({ paths }) => paths)).toEqual([['Other/b.pdf']]);
  isLocked = false;
  await comes('Job/a.pdf');
  await passes(QUIET_MS);
  expect(claimed.map(({ paths }) => paths)).toEqual([['Other/b.pdf'], ['Job/a.pdf']]);
  expect(told).toHaveLength(1);
});

describe('a folder whose register could not be read when it was to go', () => {
  const FILES = ['Job/1.pdf', 'Job/2.pdf', 'Job/register.csv'];
  /** All of it settles, is to go, and has to settle anew, for its register is being saved. */
  async function putOff(isMarked: boolean) {
    const answers = [undefined];
    const readRegister = async () => (answers.length > 0 ? answers.pop() : {});
    const at = bench('gone', undefined, { quietMs: 50, isMarked, readRegister });
    for (const path of FILES) at.tracker.note({ path }, 0);
    for (const path of FILES) at.look(path);
    await at.passes(SETTLE_MS);
    for (const path of FILES) at.look(path);
    await at.passes(50);
    expect([answers, at.claimed]).toEqual([[], []]);
    return at;
  }

  test('waits until the register has settled as it was saved', async () => {
    const { claimed, look, passes } = await putOff(false);
    for (const path of FILES) look(path);
    await passes(SETTLE_MS);
    for (const path of FILES) look(path, path.endsWith('.csv') ? 2n : 1n);
    await passes(60);
    expect(claimed).toEqual([]);
    await passes(40);
    look('Job/register.csv', 2n);
    await passes(50);
    expect(claimed.map(({ paths }) => paths)).toEqual([FILES]);
  });

  test('and that a person has marked goes when all of it has settled, not with what did so first', async () => {
    const { claimed, look, passes } = await putOff(true);
    for (const path of FILES) {
      look(path);
      await passes(10);
    }
    await passes(SETTLE_MS - 30);
    for (const path of FILES) {
      look(path);
      await passes(10);
    }
    expect(claimed.map(({ paths }) => paths)).toEqual([FILES]);
  });

  test('is tried again later each time, however many of its batches were to go', async () => {
    const readRegister = jest.fn(async () => undefined);
    const at = bench('gone', undefined, { isMarked: true, readRegister });
    const paths = Array.from({ length: 150 }, (_, index) => `Job/${index}.pdf`);
    for (const path of paths) at.tracker.note({ path }, 0);
    const delays: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { nextMs } = at.tracker.due(0);
      delays.push(nextMs === Number.POSITIVE_INFINITY ? 0 : nextMs - at.nowMs());
      await at.passes(Math.max(0, delays.at(-1) ?? 0));
      for (const path of paths) at.look(path);
      await at.passes(SETTLE_MS);
      for (const path of paths) at.look(path);
      await at.passes(0);
    }
    expect(readRegister).toHaveBeenCalledTimes(3);
    expect(delays).toEqual([0, 0, SETTLE_MS]);
    expect(at.claimed).toEqual([]);
    // Whoever watches learns why nothing goes, and once.
    expect(at.told).toEqual([
      { event: 'file-waiting', path: 'Job', why: 'its register cannot be read just now' },
    ]);
  });
});

test('a share that is full is told as trouble of the share', async () => {
  const { told, comes, passes } = bench('gone', async () => {
    throw new ShareError('share-full', 'The share has no room left.');
  });
  await comes('Job/a.pdf');
  await passes(QUIET_MS);
  expect(told).toEqual([{ event: 'share-refuses', why: 'The share has no room left.' }]);
});

/** A share where batches end when the test says so, and what is begun there. */
function road(maxOpenBatches: number) {
  let nowMs = 0;
  const open: { readonly batchId: string; readonly top: string; readonly files: number }[] = [];
  const share = {
    config: { ...SHARE_DEFAULTS, quietMs: QUIET_MS, maxOpenBatches },
    readRegister: async () => ({}),
    openJob: async (folder: string) => ({ name: folder }),
    openBatches: async () =>
      open.map(batch => ({ ...batch, state: 'ready', isProven: true, isStopped: false })),
    claim: async (entries: readonly { readonly path: string }[]) => {
      const top = entries[0]?.path.split('/')[0] ?? '';
      const batch = { batchId: `${top}-${nowMs}-${open.length}`, top, files: entries.length };
      open.push(batch);
      return { batch: { ...batch, entries }, notClaimed: [] };
    },
    writeManifest: async ({ batchId }: { readonly batchId: string }) => ({
      batchId,
      manifest: { files: [], project: {} },
      manifestSha256: '',
      returned: [],
    }),
  } as unknown as Share;
  const clock = () => nowMs;
  const tracker = new SettleTracker({ settleMs: 0, capacity: 12_000, nowMs: clock });
  const batcher = new Batcher({
    share,
    tracker,
    starts: { add: () => undefined } as unknown as StartQueue,
    folders: new EmptiedFolders(share, 1_000, clock),
    health: new ShareHealth(() => undefined, clock),
    tell: () => undefined,
    nowMs: clock,
    isMarked: () => false,
    onJob: () => undefined,
    hashSignal: new AbortController().signal,
    onDone: () => undefined,
    onAbandoned: () => undefined,
  });
  return {
    open,
    drop(top: string, count: number): void {
      for (let index = 0; index < count; index += 1) {
        const path = `${top}/${index}.pdf`;
        tracker.note({ path }, 0);
        for (let look = 0; look < 2; look += 1)
          tracker.observe({ path }, { path, kind: 'file', sizeBytes: 1, mtimeNs: 1n, identity: path });
      }
    },
    /** As much time as it takes until all that may be begun is begun. */
    async passes(ms: number): Promise<void> {
      for (let endMs = nowMs + ms; nowMs < endMs; nowMs += 500) {
        await batcher.pump();
        await batcher.finish();
      }
    },
  };
}

test('a job of 20 behind one of 5,000 does not wait: the last place on the road is kept for it', async () => {
  const { open, drop, passes } = road(8);
  drop('large', 5_000);
  await passes(10_000);
  expect(open.map(({ top }) => top)).toEqual(Array(7).fill('large'));
  drop('small', 20);
  // Not one batch of the large job has ended: it takes the small one's own quiet time, and no more.
  await passes(QUIET_MS + 1_000);
  expect(open.slice(7)).toMatchObject([{ top: 'small', files: 20 }]);
});

test('two large jobs share the road: neither has more than one batch more than the other', async () => {
  const { open, drop, passes } = road(8);
  drop('one', 3_000);
  await passes(5_000);
  drop('two', 3_000);
  for (let ended = 0; ended < 30; ended += 1) {
    await passes(2_000);
    const [first] = open.splice(0, 1);
    expect(first).toBeDefined();
  }
  await passes(2_000);
  const onTheRoad = (top: string) => open.filter(batch => batch.top === top).length;
  expect(Math.abs(onTheRoad('one') - onTheRoad('two'))).toBeLessThanOrEqual(1);
});

test('where only a few batches may be on their way, none of the places is kept', async () => {
  const { open, drop, passes } = road(2);
  drop('large', 500);
  await passes(10_000);
  expect(open).toHaveLength(2);
});
