import { createNodeShareFs, type ShareFs } from '../../../../activities/share/files/share-fs';
import { createTestBed, type TestBed } from '../share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

/** How often the share is asked for what while so many files of two folders are claimed and sealed. */
async function countOperations(files: number) {
  const counts: Record<string, number> = {};
  const real = createNodeShareFs();
  const counted = Object.entries(real).map(([operation, run]) => [
    operation,
    (...input: unknown[]) => {
      counts[operation] = (counts[operation] ?? 0) + 1;
      return (run as (...input: unknown[]) => unknown)(...input);
    },
  ]);
  for (let at = 0; at < files; at += 1) await bed.drop(`${files}/Part ${at % 2}/${at}.pdf`);
  const share = await bed.open({}, { fs: Object.fromEntries(counted) as ShareFs });
  const wanted = Array.from({ length: files }, (_, at) => `${files}/Part ${at % 2}/${at}.pdf`);
  const entries = await Promise.all(wanted.map(path => share.look({ path })));
  for (const operation of Object.keys(counts)) counts[operation] = 0;
  const { batch } = await share.claim(entries.map(entry => entry!));
  const sealed = await share.writeManifest(batch!);
  expect(sealed.batchId !== undefined && sealed.manifest.files).toHaveLength(files);
  return counts;
}

test('a file costs a move and two looks: its folder is opened once for all of them', async () => {
  const [few, many] = [await countOperations(10), await countOperations(90)];
  const more = Object.entries(many).map(([operation, count]) => [operation, count - (few[operation] ?? 0)]);
  expect(Object.fromEntries(more.filter(([, count]) => count !== 0))).toEqual({ rename: 80, look: 160 });
});
