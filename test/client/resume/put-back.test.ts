// What `resume --set-apart` brings to the drop folder again, on a real share: what came with a register never
// without its row.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Share } from '../../../activities/share/share';
import { putBack } from '../../../client/resume/put-back';
import { createFaultyFs } from '../../activities/share/faulty-fs';
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

describe('while something else has the name of their folder', () => {
  const WAITS =
    'what was asked for before is still on its way, and nothing else goes beside it (attention/A/receipt-register.csv)';

  /** Corrects a row in the receipt, and has it read: it waits. */
  async function correct(): Promise<void> {
    const made = await bed.read('attention/A/receipt-register.csv');
    await writeFile(join(bed.root, 'attention/A/receipt-register.csv'), made.replace('First', 'First floor'));
    const news = [];
    for (let round = 0; round < 3; round += 1) news.push(...(await share.takeUpCorrections()));
    expect(news).toContainEqual(expect.objectContaining({ kind: 'waits' }));
  }

  test('a row that was corrected goes once, as it was corrected, however often it is put back', async () => {
    await dropAll();
    await finishJob(share, ['1.pdf'], 'missing-values');
    await bed.drop('A/other.pdf');
    await correct();
    const documents = (await share.setApart()).files.map(file => ({ ...file, share }));
    for (let round = 0; round < 2; round += 1) {
      const results = [...(await putBack(documents, 'max')).values()];
      expect(results[0]).toEqual({ kind: 'waits', why: WAITS });
      expect(results[1]).toMatchObject({ kind: 'waits' });
    }
    await rm(join(bed.root, 'drop/A'), { recursive: true });
    const rows: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      await share.takeUpCorrections();
      rows.push(await bed.read('drop/A/register.csv').catch(() => ''));
      await rm(join(bed.root, 'drop/A'), { recursive: true, force: true });
    }
    const gone = rows.join('').split('\n');
    expect(gone.filter(row => row.startsWith('2.pdf'))).toEqual(['2.pdf,P04,First floor']);
    expect(gone.filter(row => row.startsWith('sub/3.pdf'))).toEqual(['sub/3.pdf,P05,Roof']);
  });

  test('of those that are refused at once it is told why, and of the others that they wait', async () => {
    await dropAll();
    await finishJob(share, ['1.pdf'], 'storage-refused');
    await bed.drop('A/other.pdf');
    const documents = (await share.setApart()).files.map(file => ({ ...file, share }));
    const unknown = { ...documents[0]!, path: 'A/9.pdf', index: 99 };
    const results = [...(await putBack([unknown, ...documents], 'max')).values()];
    expect(results).toEqual([
      { kind: 'failed', why: '"A/9.pdf" is none of those that were set apart.' },
      { kind: 'waits', why: 'something else is in the drop folder under A' },
      { kind: 'waits', why: 'something else is in the drop folder under A' },
    ]);
  });

  test('without a register, too, a file does not go without what was asked for it before', async () => {
    await bed.drop('A/2.pdf');
    await finishJob(share, [], 'storage-refused');
    await bed.drop('A/other.pdf');
    const [file] = (await share.setApart()).files;
    const wanted = [{ path: 'A/2.pdf', values: { Revision: 'P05' } }];
    expect(await share.sendAgain(file!.jobId!, { wanted, by: 'A. Novák' })).toMatchObject([
      { kind: 'waits' },
    ]);
    expect(await putAllBack()).toEqual([['A/2.pdf', 'waits']]);
    expect(await bed.list('drop')).toEqual(['A/other.pdf']);
  });
});

test('where a watcher brings them on their way meanwhile, that they went is told of none that nobody saw go', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf'], 'storage-refused');
  // A person has put another file in its place, of the same size.
  await bed.drop('../attention/A/2.pdf', 'CONTENT of A/2.pdf');
  let isCarried = false;
  const watcher = share;
  const fs = createFaultyFs(async (operation, from) => {
    if (isCarried || operation !== 'link' || !String(from).includes(' taken/')) return;
    isCarried = true;
    await watcher.takeUpCorrections();
  });
  share = await bed.open({}, { fs });
  const documents = (await share.setApart()).files.map(file => ({ ...file, share }));
  const results = [...(await putBack(documents, 'max')).values()];
  expect(isCarried).toBe(true);
  expect(results).toEqual([
    {
      kind: 'failed',
      why: 'Row 3: "2.pdf" lies there still. Why is told in corrections.txt of its folder.',
    },
    { kind: 'gone' },
  ]);
  expect(await bed.list('drop')).toEqual(['A/register.csv', 'A/sub/3.pdf']);
  expect(await bed.read('attention/A/corrections.txt')).toContain('"2.pdf" is another file');
});
