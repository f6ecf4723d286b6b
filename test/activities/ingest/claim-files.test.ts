// Files that somebody asks for by name or by folder: claimed, and what they leave empty goes with them.
import { mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { claimFiles } from '../../../activities/ingest/claim-on-demand';
import { createTestBed, type TestBed } from '../share/share-test-bed';

let bed: TestBed;
const scope = { signal: new AbortController().signal };

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

test('leaves no empty folders behind, and no folder that is not empty is touched', async () => {
  const share = await bed.open();
  await bed.drop('Package A/deep/a.pdf');
  await bed.drop('Package B/b.pdf');
  await bed.drop('Package B/.hidden');
  const { batchIds } = await claimFiles(
    share,
    { share: 'tender', key: 'run', paths: ['Package A/deep/a.pdf', 'Package B/b.pdf'] },
    scope,
  );
  expect(batchIds).toHaveLength(1);
  expect(await readdir(join(bed.root, 'drop'))).toEqual(['Package B']);
});

test('a folder as large as a batch is one, its register besides', async () => {
  const share = await bed.open({ maxBatchFiles: 3 });
  for (const name of ['1.pdf', '2.pdf', '3.pdf']) await bed.drop(`A/${name}`);
  await bed.drop('A/register.csv', 'File,Number\n1.pdf,a\n2.pdf,b\n3.pdf,c\n');
  const { batchIds, refused } = await claimFiles(share, { share: 'tender', key: 'run', folder: 'A' }, scope);
  expect([batchIds.length, refused]).toEqual([1, []]);
  const { manifest } = await share.readBatch(batchIds[0] ?? '');
  expect(manifest.files.map(({ path }) => path)).toEqual(['A/1.pdf', 'A/2.pdf', 'A/3.pdf']);
});

test('removes no folder behind a link', async () => {
  const share = await bed.open();
  await bed.drop('sub/empty/a.pdf');
  await mkdir(join(bed.root, 'outside/empty'), { recursive: true });
  await rename(join(bed.root, 'drop/sub'), join(bed.root, 'moved'));
  await symlink(join(bed.root, 'outside'), join(bed.root, 'drop/sub'));
  expect(await share.removeEmptyFolder('sub/empty')).toBe(false);
  expect(await readdir(join(bed.root, 'outside'))).toEqual(['empty']);
});
