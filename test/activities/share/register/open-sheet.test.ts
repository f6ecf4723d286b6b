import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Seals } from '../../../../activities/share/files/seals';
import { Place } from '../../../../activities/share/files/share-fs';
import { openSheetFile } from '../../../../activities/share/register/open-sheet';
import { resolveLayout } from '../../../../activities/share/resolve-layout';
import { createFaultyFs, fsError } from '../faulty-fs';
import { createTestBed, SHARE_KEY, type TestBed } from '../share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

/** Opens `register.csv` as it was seen, with this error in place of its bytes. */
async function openIt(code?: string, mostBytes = 1_000, sizeBytes = 5): Promise<string> {
  await bed.drop('register.csv', 'bytes');
  const fs = createFaultyFs((operation, place) => {
    const isIt =
      operation === 'read' && place instanceof Place && String(place.path).endsWith('register.csv');
    if (isIt && code !== undefined) throw fsError(code);
  });
  const layout = await resolveLayout(bed.config, fs, new Seals(SHARE_KEY), 'all');
  const file = await open(join(layout.drop, 'register.csv'));
  const { mtimeNs } = await file.stat({ bigint: true }).finally(() => file.close());
  const seen = { path: 'register.csv', facts: { sizeBytes, mtimeNs } };
  return (await openSheetFile(layout, layout.drop, seen, mostBytes)).toString();
}

test('a sheet is read as it was seen', async () => {
  expect(await openIt()).toBe('bytes');
});

test.each([
  ['is larger than is looked at', undefined, 4, 5, 'too-large'],
  ['is another one by now', undefined, 1_000, 6, 'torn'],
  ['is open elsewhere', 'EBUSY', 1_000, 5, 'locked'],
  ['may not be read', 'EACCES', 1_000, 5, 'locked'],
  ['is gone', 'ENOENT', 1_000, 5, 'torn'],
  ['has grown', 'EFBIG', 1_000, 5, 'torn'],
  ['lies on a bad disk', 'EIO', 1_000, 5, 'torn'],
  ['lies on a share that is away', 'ENOTCONN', 1_000, 5, 'ENOTCONN'],
])('one that %s is told', async (_, code, mostBytes, sizeBytes, told) => {
  await expect(openIt(code, mostBytes, sizeBytes)).rejects.toMatchObject({ code: told });
});
