// What people find beside a folder of `test/` that cannot be tested.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { readSheet } from '../../../activities/registers/sheet/read-sheet';
import type { ShareFs } from '../../../activities/share/files/share-fs';
import type { Share } from '../../../activities/share/share';
import { createTestRunActivities, type TestRunDeps } from '../../../activities/test-run/test-run-activities';
import { createTestBed, simpleHasher, type TestBed } from '../share/share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => {
  await bed.remove();
});

/** A folder that goes on and on. */
function endless(fs: ShareFs): ShareFs {
  const of: Partial<ShareFs> = {
    entries: async function* () {
      for (let at = 0; ; at += 1) yield { name: Buffer.from(`${at}.pdf`), kind: 'file' };
    },
    look: async () => ({ kind: 'file', sizeBytes: 1, mtimeNs: 1n }) as Awaited<ReturnType<ShareFs['look']>>,
  };
  return new Proxy(fs, {
    get: (target, key) => Reflect.get(key in of ? of : target, key),
  });
}

async function check(share: Share) {
  const unasked = new Proxy({}, { get: () => expect('the service was asked').toBe('') });
  const { checkFiles } = createTestRunActivities({
    share: {
      ...share,
      openTest: async name => {
        const folder = await share.openTest(name);
        return { ...folder, fs: endless(folder.fs) };
      },
    },
    lookups: unasked as TestRunDeps['lookups'],
    limits: () => [],
    hasher: simpleHasher,
    ledgers: { findStops: async () => new Map() },
    draining: new AbortController().signal,
  });
  const run = () => checkFiles({ share: 'tender', folder: 'A' });
  return (await new MockActivityEnvironment().run(run)) as Awaited<ReturnType<typeof run>>;
}

test('a folder with very many files has a sheet that says so, and the next result takes its place', async () => {
  const share = await bed.open();
  await bed.drop('../test/A/1.pdf');
  const why = '"A" has more than 20,000 files, so it was not tested. Test a part of it at a time.';
  expect(await check(share)).toMatchObject({ sheet: 'test/A-TEST.xlsx', sum: why, faults: [] });
  const { grids } = await readSheet(await readFile(join(bed.root, 'test/A-TEST.xlsx')), 'A-TEST.xlsx');
  expect(grids[0]?.rows.map(row => row.map(({ text }) => text))).toEqual([['TEST of A'], [why]]);
  expect(await share.putTestResult('A', { format: 'xlsx', bytes: Buffer.from('the result') })).toBe(
    'test/A-TEST.xlsx',
  );
  expect(await bed.list('test')).toEqual(['A-TEST.xlsx', 'A/1.pdf']);
});
