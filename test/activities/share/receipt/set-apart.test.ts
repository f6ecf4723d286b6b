// Documents that were set apart: listed by our own receipts, never by what people made of
// theirs, and never overwriting.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Receipt, type ReceiptRow, sealReceipt } from '../../../../activities/share/batch/kept-receipt';
import { Seals } from '../../../../activities/share/files/seals';
import { createNodeShareFs } from '../../../../activities/share/files/share-fs';
import type { ShareLayout } from '../../../../activities/share/files/share-layout';
import { WaitingRows } from '../../../../activities/share/receipt/corrected/waiting-rows';
import { listSetApart, takeUpAgain } from '../../../../activities/share/receipt/set-apart';
import { resolveLayout } from '../../../../activities/share/resolve-layout';
import { useTemporaryFolder } from '../../../setup/temporary-folder';
import { createFaultyFs } from '../faulty-fs';
import { simpleHasher, type TestBed } from '../share-test-bed';
import { beginJob, createSheetBed, finishJob } from './sheet-test-bed';

const folder = useTemporaryFolder();
const fs = createNodeShareFs();
const seals = new Seals(Buffer.alloc(32, 7));
const BATCH = '20260131-093000-k3f7a2';
const PROJECT = { companyId: '5001', projectId: '7001' };
let layout: ShareLayout;

beforeEach(async () => {
  const config = { name: 'tender', folder: folder(), project: PROJECT } as Parameters<
    typeof resolveLayout
  >[0];
  layout = await resolveLayout(config, fs, seals, 'all');
});

function receipt(
  batchId: string,
  paths: readonly string[],
  outcomeOf: (path: string) => ReceiptRow['outcome'] = () => 'set-apart',
): string {
  const made: Receipt = {
    version: 1,
    batchId,
    share: 'tender',
    project: PROJECT,
    manifestSha256: 'a'.repeat(64),
    claimedAt: '2026-01-31T09:30:00.000Z',
    writtenAt: '2026-01-31T09:40:00.000Z',
    final: true,
    files: paths.map((path, index) => ({
      index,
      path,
      outcome: outcomeOf(path),
      reason: { code: 'DUPLICATE_REVISION', text: 'There is one.', fix: 'Raise the revision.' },
      stored: [],
      notes: [],
      sizeBytes: 3,
    })),
  };
  return JSON.stringify(sealReceipt(seals, made));
}

function setApart(batchId: string, paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(join(layout.attention, batchId, path, '..'), { recursive: true });
    writeFileSync(join(layout.attention, batchId, path), 'pdf');
  }
}

function writeReceipt(place: 'finished' | 'attention', batchId: string, text: string): void {
  const at =
    place === 'finished'
      ? join(layout.finished, batchId.slice(0, 6), batchId)
      : join(layout.attention, batchId);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'receipt.json'), text);
}

test('lists what lies there still, by our own receipt, whatever people made of theirs', async () => {
  setApart(BATCH, ['a.pdf', 'deep/b.pdf']);
  writeReceipt('finished', BATCH, receipt(BATCH, ['deep/b.pdf', 'a.pdf', 'gone.pdf']));
  writeReceipt('attention', BATCH, 'spoiled');
  mkdirSync(join(layout.attention, "somebody's folder"));
  const { files, unreadable } = await listSetApart(layout);
  expect(files.map(({ path, reason }) => [path, reason.code])).toEqual([
    ['a.pdf', 'DUPLICATE_REVISION'],
    ['deep/b.pdf', 'DUPLICATE_REVISION'],
  ]);
  expect(unreadable).toEqual([]);
});

// A batch after it may have set a file of the same path apart, in the folder that their job has in
// attention/.
test.each(['skipped', 'held'] as const)(
  'what was %s is not offered, though a file of its name lies there',
  async outcome => {
    setApart(BATCH, ['a.pdf', 'b.pdf']);
    const text = receipt(BATCH, ['a.pdf', 'b.pdf'], path => (path === 'a.pdf' ? outcome : 'set-apart'));
    writeReceipt('finished', BATCH, text);
    expect((await listSetApart(layout)).files.map(({ path }) => path)).toEqual(['b.pdf']);
  },
);

test.each([
  ['not JSON', 'spoiled', /is not JSON/],
  ['of something else', '{"version":2}', /not a file of this version/],
  ['of another batch', receipt('20260131-093000-aaaaaa', ['a.pdf']), /that of another batch/],
])('a receipt that is %s is one line, and the other batches are listed', async (_, text, why) => {
  const other = '20260201-093000-k3f7a2';
  setApart(BATCH, ['a.pdf']);
  setApart(other, ['c.pdf']);
  writeReceipt('attention', BATCH, text);
  writeReceipt('attention', other, receipt(other, ['c.pdf']));
  const { files, unreadable } = await listSetApart(layout);
  expect(files.map(({ path }) => path)).toEqual(['c.pdf']);
  expect(unreadable).toEqual([{ batchId: BATCH, why: expect.stringMatching(why) }]);
});

test('a path that leads out of its folder is not followed', async () => {
  writeFileSync(join(layout.root, 'secret.txt'), 'x');
  mkdirSync(join(layout.attention, BATCH));
  writeReceipt('attention', BATCH, receipt(BATCH, ['../../secret.txt']));
  expect((await listSetApart(layout)).files).toEqual([]);
});

test('goes back under the path it came with, once, and over nothing', async () => {
  setApart(BATCH, ['deep/b.pdf']);
  const file = { batchId: BATCH, index: 0, path: 'deep/b.pdf' };
  const deps = { hasher: simpleHasher, waiting: new WaitingRows() };
  mkdirSync(join(layout.drop, 'deep'));
  writeFileSync(join(layout.drop, 'deep', 'b.pdf'), 'newer');
  expect(await takeUpAgain(layout, file, deps)).toEqual({ kind: 'name-taken' });
  expect(readFileSync(join(layout.drop, 'deep', 'b.pdf'), 'utf8')).toBe('newer');
  rmSync(join(layout.drop, 'deep'), { recursive: true });
  expect(await takeUpAgain(layout, file, deps)).toEqual({ kind: 'in-drop' });
  expect(readFileSync(join(layout.drop, 'deep', 'b.pdf'), 'utf8')).toBe('pdf');
  expect(await takeUpAgain(layout, file, deps)).toEqual({ kind: 'gone' });
});

test('a file of a job is found in the folder of the job also where the manifest of its batch is spoilt', async () => {
  const bed = await createSheetBed();
  try {
    const share = await bed.open();
    await bed.drop('A/1.pdf');
    await finishJob(share, []);
    const [manifest = ''] = (await bed.list('.drawbridge/finished')).filter(path =>
      /batch\.json$/.test(path),
    );
    writeFileSync(join(bed.root, '.drawbridge/finished', manifest), '{');
    const later = await bed.open();
    const { files } = await later.setApart();
    expect(files.map(({ path }) => path)).toEqual(['A/1.pdf']);
    expect(await later.takeUpAgain(files[0]!)).toEqual({ kind: 'in-drop' });
    expect(await bed.list('drop')).toEqual(['A/1.pdf']);
  } finally {
    await bed.remove();
  }
});

test('of what waits each record is read once for all files of a job, and none where nothing waits', async () => {
  const bed = await createSheetBed();
  try {
    const names = ['1.pdf', '2.pdf', '3.pdf', '4.pdf'];
    for (const name of names) await bed.drop(`A/${name}`);
    const records: string[] = [];
    const counting = createFaultyFs((operation, path) => {
      if (/corrections\/[0-9a-f]{64}\.json$/.test(String(path))) records.push(operation);
    });
    const share = await bed.open();
    await finishJob(share, []);
    const { files } = await share.setApart();
    const [first, ...others] = files;
    await bed.drop('A/other.pdf');
    for (const path of ['A/1.pdf', 'A/2.pdf'])
      await share.sendAgain(first!.jobId!, { wanted: [{ path, values: { Type: 'Plan' } }], by: 'A. Novák' });
    const one = await bed.open({}, { fs: counting });
    const taken: string[] = [];
    for (const file of [first!, ...others]) taken.push((await one.takeUpAgain(file)).kind);
    expect(taken).toEqual(['waits', 'waits', 'in-drop', 'in-drop']);
    expect(records.filter(operation => operation.startsWith('read'))).toHaveLength(2);
    records.length = 0;
    rmSync(join(bed.root, 'drop/A'), { recursive: true });
    await share.takeUpCorrections();
    rmSync(join(bed.root, 'drop/A'), { recursive: true });
    await share.takeUpCorrections();
    expect(await one.takeUpAgain(first!)).toEqual({ kind: 'gone' });
    expect(records).toEqual([]);
  } finally {
    await bed.remove();
  }
});

test('what a batch on its way had set apart before the share was given another project is listed as ever', async () => {
  const bed = await createSheetBed();
  try {
    await bed.drop('A/1.pdf');
    await bed.drop('A/2.pdf');
    const share = await bed.open();
    const { batchId } = await beginJob(share);
    const reason = { code: 'x', text: 'It is wrong.', fix: 'Mend it.' };
    await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason }], { final: false });
    const listed = await (await bed.open()).setApart();
    expect(listed.files).toHaveLength(1);
    const later = await bed.open({ project: { companyId: '1', projectId: '9' } });
    expect(await later.setApart()).toEqual(listed);
  } finally {
    await bed.remove();
  }
});

describe('of two files of one path that a job has set apart', () => {
  let bed: TestBed;
  beforeEach(async () => {
    bed = await createSheetBed();
  });
  afterEach(async () => {
    await bed.remove();
  });

  const REASON = { code: 'x', text: 'It is wrong.', fix: 'Mend it.' };

  /** The job of the folder A with these as one batch each. */
  async function setApartAll(texts: readonly string[], isFinished = false) {
    const share = await bed.open();
    const batchIds: string[] = [];
    for (const [at, text] of texts.entries()) {
      await bed.drop('A/1.pdf', text);
      const { job, batchId } = await beginJob(share);
      const isLast = isFinished && at === texts.length - 1;
      if (isLast) await share.closeJob(job);
      await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason: REASON }], { final: true });
      if (isLast) await share.settleJob(job.jobId);
      batchIds.push(batchId);
    }
    const { files } = await share.setApart();
    return { share, files: batchIds.map(batchId => files.find(file => file.batchId === batchId)) };
  }

  test('each goes back as the file that it was, whichever is asked for', async () => {
    const { share, files } = await setApartAll(['older', 'newer one']);
    expect(await bed.list('attention')).toEqual(expect.arrayContaining(['A/1.pdf', 'A/1 (2).pdf']));
    expect(files).toHaveLength(2);
    expect(await share.takeUpAgain(files[1]!)).toEqual({ kind: 'in-drop' });
    expect(await bed.read('drop/A/1.pdf')).toBe('newer one');
    expect((await share.setApart()).files.map(({ batchId }) => batchId)).toEqual([files[0]!.batchId]);
    expect(await share.takeUpAgain(files[1]!)).toEqual({ kind: 'gone' });
    rmSync(join(bed.root, 'drop/A/1.pdf'));
    expect(await share.takeUpAgain(files[0]!)).toEqual({ kind: 'in-drop' });
    expect(await bed.read('drop/A/1.pdf')).toBe('older');
  });

  test('each goes only with what was asked for it, and not for the other one', async () => {
    const { share, files } = await setApartAll(['older', 'newer one'], true);
    await bed.drop('A/other.pdf');
    const { batchId, index, jobId } = files[0]!;
    const wanted = [{ path: 'A/1.pdf', batchId, index, values: { Type: 'Plan' } }];
    expect(await share.sendAgain(jobId!, { wanted, by: 'A. Novák' })).toMatchObject([{ kind: 'waits' }]);
    expect(await share.takeUpAgain(files[0]!)).toMatchObject({ kind: 'waits' });
    expect(await share.takeUpAgain(files[1]!)).toEqual({ kind: 'in-drop' });
    expect(await bed.read('drop/A/1.pdf')).toBe('newer one');
    expect(await bed.read('attention/A/1.pdf')).toBe('older');
  });

  test('no more names are looked at than there are files, as the page asks for all of them again and again', async () => {
    const { files } = await setApartAll(['older', 'newer one', 'the newest of all']);
    const looked: string[] = [];
    const counting = createFaultyFs((operation, path) => {
      if (operation === 'look' && /attention\/A\/1/.test(String(path))) looked.push(String(path));
    });
    const share = await bed.open({}, { fs: counting });
    expect((await share.setApart()).files).toHaveLength(files.length);
    expect(looked).toHaveLength(files.length);
  });

  test('the later ones are there also where the first was taken up and a hole is in the row of names', async () => {
    const { share, files } = await setApartAll(['older', 'newer one', 'the newest of all']);
    await share.takeUpAgain(files[0]!);
    rmSync(join(bed.root, 'drop/A/1.pdf'));
    await share.takeUpAgain(files[1]!);
    expect((await share.setApart()).files.map(({ batchId }) => batchId)).toEqual([files[2]!.batchId]);
  });

  test('nothing goes where one of them was mended in its place, for nobody can tell which', async () => {
    const { share, files } = await setApartAll(['older', 'newer one']);
    writeFileSync(join(bed.root, 'attention/A/1 (2).pdf'), 'mended');
    expect(await share.takeUpAgain(files[1]!)).toEqual({ kind: 'unclear', names: ['1.pdf', '1 (2).pdf'] });
    expect((await share.setApart()).files).toHaveLength(2);
    expect(await share.takeUpAgain(files[0]!)).toEqual({ kind: 'in-drop' });
    expect(await bed.read('drop/A/1.pdf')).toBe('older');
  });

  test('one that came back as it was is there once', async () => {
    const { share, files } = await setApartAll(['one']);
    await share.takeUpAgain(files[0]!);
    const { batchId } = await beginJob(share);
    await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason: REASON }], { final: true });
    expect((await share.setApart()).files.map(file => file.batchId)).toEqual([batchId]);
  });

  test('one that came back as it was is there once, also beside another one that is called "1 (2).pdf"', async () => {
    const share = await bed.open();
    await bed.drop('A/1.pdf', 'one');
    await bed.drop('A/1 (2).pdf', 'another');
    const both = await beginJob(share);
    const outcomes = [0, 1].map(index => ({ index, kind: 'set-apart' as const, reason: REASON }));
    await share.settleUp(both.batchId, outcomes, { final: true });
    const { files } = await share.setApart();
    await share.takeUpAgain(files.find(({ path }) => path === 'A/1.pdf')!);
    const { batchId } = await beginJob(share);
    await share.settleUp(batchId, outcomes.slice(0, 1), { final: true });
    const lying = (await share.setApart()).files.map(file => [file.path, file.batchId]);
    expect(lying.sort()).toEqual([
      ['A/1 (2).pdf', both.batchId],
      ['A/1.pdf', batchId],
    ]);
  });

  test('the later one is there also where it has the name of another one, which was moved after it', async () => {
    const { share, files } = await setApartAll(['older', 'newer one']);
    await bed.drop('A/1 (2).pdf', 'another');
    const { batchId } = await beginJob(share);
    await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason: REASON }], { final: true });
    expect(await bed.read('attention/A/1 (2).pdf')).toBe('newer one');
    const lying = (await share.setApart()).files.map(file => file.batchId);
    expect(lying.sort()).toEqual([...files.map(file => file!.batchId), batchId].sort());
  });
});

describe('what a move of an earlier version, or one that was cut, has left under the name of a document', () => {
  const EARLIER = 'Drawbridge is about to move a file here.\n';
  const LEFT = [EARLIER, EARLIER.slice(0, 10), ''];
  let bed: TestBed;
  beforeEach(async () => {
    bed = await createSheetBed();
  });
  afterEach(async () => {
    await bed.remove();
  });

  async function setOneApart() {
    const share = await bed.open();
    await bed.drop('A/1.pdf', 'the document');
    const { batchId } = await beginJob(share);
    const reason = { code: 'x', text: 'It is wrong.', fix: 'Mend it.' };
    await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason }], { final: true });
    return { share, files: (await share.setApart()).files };
  }

  test.each(LEFT)('is never sent in its place: %j', async left => {
    const { share, files } = await setOneApart();
    await bed.drop('../attention/A/1 (2).pdf', 'the document');
    await bed.drop('../attention/A/1.pdf', left);
    expect((await share.setApart()).files).toEqual(files);
    expect(await share.takeUpAgain(files[0]!)).toEqual({ kind: 'in-drop' });
    expect(await bed.read('drop/A/1.pdf')).toBe('the document');
    expect((await share.setApart()).files).toEqual([]);
    expect(await share.takeUpAgain(files[0]!)).toMatchObject({ kind: 'gone' });
  });
});

test('an empty file that was set apart as such goes back', async () => {
  const bed = await createSheetBed();
  try {
    const share = await bed.open();
    await bed.drop('A/1.pdf', '');
    await bed.drop('A/2.pdf', 'x');
    await finishJob(share, ['2.pdf']);
    const { files } = await share.setApart();
    expect(files.map(({ path }) => path)).toEqual(['A/1.pdf']);
    expect(await share.takeUpAgain(files[0]!)).toEqual({ kind: 'in-drop' });
  } finally {
    await bed.remove();
  }
});

test('what came with a register is never moved without its row, whether its job goes on or has its receipt', async () => {
  const bed = await createSheetBed();
  try {
    const share = await bed.open();
    await bed.drop('A/register.csv', 'File,Revision\n1.pdf,P03\n');
    await bed.drop('A/1.pdf');
    const { job, batchId } = await beginJob(share);
    const reason = { code: 'storage-refused', text: 'It was refused.', fix: 'Mend it.' };
    await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason }], { final: true });
    const expectStays = async (withRow: string) => {
      const [file] = (await share.setApart()).files;
      expect(file).toMatchObject({ jobId: job.jobId, withRow });
      expect(await share.takeUpAgain(file!)).toEqual({ kind: 'needs-row', withRow });
    };
    await expectStays('later');
    await share.closeJob(job);
    await share.settleJob(job.jobId);
    await expectStays('now');
    expect(await bed.list('drop')).toEqual([]);
  } finally {
    await bed.remove();
  }
});
