// Batches that only wait for a person are no reason to take nothing in, however many they are.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Batcher, type BatcherDeps } from '../../client/watch/batcher';
import type { WatchEvent } from '../../client/watch/watch-events';
import { SettleTracker } from '../../client/watch/watch-tracker';
import { sealedManifest } from '../activities/share/sealed-manifest';
import { createTestBed, SHARE_KEY, type TestBed } from '../activities/share/share-test-bed';

/** More than a thousand, which is what a list of them may once have been cut at. */
const WAITING = 1_101;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => {
  await bed.remove();
});

/** As far as counting them goes, these files are all there is to such a batch. */
function leaveWaiting(): void {
  for (let number = 1; number <= WAITING; number++) {
    const code = [number >> 10, number >> 5, number].map(part => LETTERS[part % LETTERS.length]).join('');
    const id = `20260131-093000-aaa${code}`;
    const folder = join(bed.root, '.drawbridge/batches', id);
    mkdirSync(folder);
    writeFileSync(join(folder, 'batch.json'), sealedManifest(id, SHARE_KEY));
    writeFileSync(join(folder, 'receipt-so-far.json'), '');
  }
}

test('claiming goes on beside more than a thousand batches that wait', async () => {
  const share = await bed.open({ maxOpenBatches: 1, quietMs: 0, settleMs: 1 });
  leaveWaiting();
  await bed.drop('a.pdf');
  let nowMs = 0;
  const told: WatchEvent[] = [];
  const tracker = new SettleTracker({ settleMs: 0, capacity: 10, nowMs: () => nowMs });
  tracker.note({ path: 'a.pdf' }, 0);
  for (nowMs = 1; nowMs <= 2; nowMs++)
    tracker.observe({ path: 'a.pdf' }, await share.look({ path: 'a.pdf' }));
  const batcher = new Batcher({
    share,
    tracker,
    tell: (event: WatchEvent) => void told.push(event),
    starts: { add: () => undefined },
    folders: { noteClaim: () => undefined },
    health: {
      mayClaim: () => true,
      worked: () => undefined,
      failed: (error: unknown) => Promise.reject(error),
    },
    nowMs: () => nowMs,
    isMarked: () => false,
    hashSignal: new AbortController().signal,
    onDone: () => undefined,
    onAbandoned: () => undefined,
  } as unknown as BatcherDeps);

  await batcher.pump();
  await batcher.finish();

  const open = await share.openBatches();
  expect(open.filter(({ state }) => state === 'waiting')).toHaveLength(WAITING);
  expect(open.filter(({ state }) => state === 'ready')).toHaveLength(1);
  expect(told).toEqual([
    expect.objectContaining({ event: 'file-claimed', path: 'a.pdf' }),
    expect.objectContaining({ event: 'batch-claimed', files: 1 }),
  ]);
});
