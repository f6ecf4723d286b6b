// What `resume --set-apart` brings to the drop folder again, on a real share: what came with a register never
// without its row.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Share } from '../../../activities/share/share';
import { putBack } from '../../../client/resume/put-back';
import { beginJob, createSheetBed, finishJob } from '../../activities/share/receipt/sheet-test-bed';
import { claimAll, type TestBed } from '../../activities/share/share-test-bed';

const REGISTER = 'File,Revision,Title\n1.pdf,P03,Ground\n2.pdf,P04,First\nsub/3.pdf,P05,Roof\n';
const REASON = { code: 'storage-refused', text: 'The storage refused it.', fix: 'Drop it again.' };

let bed: TestBed;
let share: Share;

beforeEach(async () => {
  bed = await createSheetBed();
  share = await bed.open();
});
afterEach(async () => {
  await bed.remove();
});

async function dropAll(): Promise<void> {
  await bed.drop('A/register.csv', REGISTER);
  for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf']) await bed.drop(`A/${name}`);
}

async function putAllBack(): Promise<readonly (readonly [path: string, kind: string])[]> {
  const documents = (await share.setApart()).files.map(file => ({ ...file, share }));
  return [...(await putBack(documents, 'max'))].map(([{ path }, { kind }]) => [path, kind]);
}

test('of a job with a register they go together, with a register of their rows', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf'], 'storage-refused');
  expect(await putAllBack()).toEqual([
    ['A/2.pdf', 'in-drop'],
    ['A/sub/3.pdf', 'in-drop'],
  ]);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']);
  expect(await bed.read('drop/A/register.csv')).toBe(
    'File,Revision,Title\n2.pdf,P04,First\nsub/3.pdf,P05,Roof\n',
  );
});

test('while a job with a register has no receipt nothing of it goes, and why is told', async () => {
  await dropAll();
  const { job, batchId } = await beginJob(share);
  await share.closeJob(job);
  const held = [{ index: 0, reason: REASON }];
  await share.settleUp(batchId, [{ index: 1, kind: 'set-apart', reason: REASON }], { final: false, held });
  const [file] = (await share.setApart()).files;
  expect(file).toMatchObject({ path: 'A/2.pdf', jobId: job.jobId, withRow: 'later' });
  expect(await putAllBack()).toEqual([['A/2.pdf', 'needs-row']]);
  expect(await bed.list('drop')).toEqual([]);
  expect(await bed.read('attention/A/2.pdf')).toBe('content of A/2.pdf');
});

test.each(['manifest', 'receipt'])(
  'loose files that came with a register stay, as the %s tells',
  async from => {
    await bed.drop('register.csv', 'File,Revision\nplan.pdf,P03\n');
    await bed.drop('plan.pdf');
    const { batchId, manifest } = await claimAll(share);
    const outcomes = manifest.files.map(({ index }) => ({
      index,
      kind: 'set-apart' as const,
      reason: REASON,
    }));
    await share.settleUp(batchId, outcomes, { final: true });
    if (from === 'receipt') {
      const [spoilt = ''] = (await bed.list('.drawbridge/finished')).filter(path =>
        /batch\.json$/.test(path),
      );
      await writeFile(join(bed.root, '.drawbridge/finished', spoilt), '{');
      share = await bed.open();
    }
    expect(await putAllBack()).toEqual([['plan.pdf', 'needs-row']]);
    expect(await bed.list('drop')).toEqual([]);
  },
);

test('files whose register cannot be used stay, for alone they would go without what it is to say', async () => {
  await bed.drop('A/register.csv', 'Name,Revision\n1.pdf,P03\n');
  await bed.drop('A/1.pdf');
  const { job, batchId, manifest } = await beginJob(share);
  expect(manifest.files.map(({ refused }) => refused?.code)).toEqual(Array(2).fill('register-unusable'));
  await share.closeJob(job);
  const outcomes = manifest.files.map(({ index, refused }) => ({
    index,
    kind: 'set-apart' as const,
    reason: refused!,
  }));
  await share.settleUp(batchId, outcomes, { final: true });
  await share.settleJob(job.jobId);
  expect(new Set((await putAllBack()).map(([, kind]) => kind))).toEqual(new Set(['needs-row']));
  expect(await bed.list('drop')).toEqual([]);
});

test('what came without a register goes as it came, and never over another', async () => {
  for (const name of ['A/1.pdf', 'A/2.pdf']) await bed.drop(name);
  await finishJob(share, [], 'storage-refused');
  await bed.drop('A/1.pdf', 'another');
  expect(await putAllBack()).toEqual([
    ['A/1.pdf', 'name-taken'],
    ['A/2.pdf', 'in-drop'],
  ]);
  expect(await bed.list('drop')).toEqual(['A/1.pdf', 'A/2.pdf']);
});

test('they wait while something else has the name of their folder, with the reason', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf', 'sub/3.pdf'], 'storage-refused');
  await bed.drop('A/other.pdf');
  expect(await putAllBack()).toEqual([['A/2.pdf', 'waits']]);
  expect(await bed.list('drop')).toEqual(['A/other.pdf']);
});

test('where only some went, each is told of as what became of it', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf'], 'storage-refused');
  // A person has put another file in its place, of the same size.
  await bed.drop('../attention/A/2.pdf', 'CONTENT of A/2.pdf');
  expect(await putAllBack()).toEqual([
    ['A/2.pdf', 'failed'],
    ['A/sub/3.pdf', 'in-drop'],
  ]);
  expect(await bed.list('drop')).toEqual(['A/register.csv', 'A/sub/3.pdf']);
});
