// Finished batches without a revision are looked at once, and again where that was lost.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeenBatches } from '../../../activities/ledger/seen-batches';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seen-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('what was seen is known to the next process, once it is saved', async () => {
  const seen = await SeenBatches.read(folder);
  seen.add('20260131-093000-aaaaaa');
  expect((await SeenBatches.read(folder)).has('20260131-093000-aaaaaa')).toBe(false);
  await seen.save();
  const next = await SeenBatches.read(folder);
  expect(next.has('20260131-093000-aaaaaa')).toBe(true);
  expect(next.has('20260131-093000-bbbbbb')).toBe(false);
});

test('a name that was cut off is that of no batch', async () => {
  writeFileSync(join(folder, 'without-revisions.txt'), '20260131-093000-aaaaaa\n20260131-0930');
  const seen = await SeenBatches.read(folder);
  expect(seen.has('20260131-093000-aaaaaa')).toBe(true);
  expect(seen.has('20260131-093000-bbbbbb')).toBe(false);
});
