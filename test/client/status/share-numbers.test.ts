import { mkdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '../../../activities/host/metrics';
import { addShareMetrics, SharesInNumbers } from '../../../client/status/share-numbers';
import { claimAll, createTestBed, type TestBed } from '../../activities/share/share-test-bed';

let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => bed.remove());

test('what lies in the drop folder and in batches is told in numbers; a share that is away is left out', async () => {
  const share = await bed.open();
  await bed.drop('first.pdf');
  await claimAll(share);
  await bed.drop('a.pdf');
  await bed.drop('b.pdf');
  // A copy keeps the time of its original: it says nothing of how long it has been here.
  utimesSync(join(share.dropFolder, 'a.pdf'), 1_000, 1_000);
  const metrics = new Metrics();
  let nowMs = 0;
  addShareMetrics(
    metrics,
    new SharesInNumbers(
      () => [share],
      () => nowMs,
    ),
  );
  const text = await metrics.render();
  expect(text).toContain(`drawbridge_drop_files{share="${share.name}"} 2`);
  expect(text).toMatch(/drawbridge_drop_oldest_seconds\{share="[^"]+"\} [0-2]\n/);
  expect(text).toContain(`drawbridge_batches{share="${share.name}",state="ready"} 1`);
  rmSync(share.config.folder, { recursive: true });
  mkdirSync(share.config.folder);
  nowMs += 60_000;
  expect(await metrics.render()).toBe('');
});
