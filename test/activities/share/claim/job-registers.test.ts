// Registers among claimed files, from the drop folder to the receipt, on a real share.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '../../../../activities/share/files/share-fs';
import { createFaultyFs, fsError } from '../faulty-fs';
import { claimAll, createTestBed, POLICY, submitted, type TestBed } from '../share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

const LIST = 'File,Number\nb.pdf,N-1\na.pdf,N-2\ngone.pdf,N-3\n';

async function dropJob(name = 'Job', list = LIST): Promise<void> {
  await bed.drop(`${name}/register.csv`, list);
  await bed.drop(`${name}/a.pdf`);
  await bed.drop(`${name}/b.pdf`);
}

describe('a register that comes with its files', () => {
  test('is no document: they come in its order, each with its row', async () => {
    await dropJob();
    const { manifest } = await claimAll(await bed.open());
    expect(manifest.files.map(({ path, entry }) => [path, entry?.row?.cells])).toEqual([
      ['Job/b.pdf', ['b.pdf', 'N-1']],
      ['Job/a.pdf', ['a.pdf', 'N-2']],
    ]);
    expect(manifest.registers).toMatchObject([{ path: 'Job/register.csv', headers: ['File', 'Number'] }]);
  });

  test('goes back to people beside its documents, and the receipt names it and what it lists in vain', async () => {
    await dropJob();
    const share = await bed.open();
    const { batchId } = await claimAll(share);
    const settled = await share.settleUp(batchId, [0, 1].map(submitted), { final: true });
    expect(settled.done).toBe(2);
    expect(await bed.list('drop')).toEqual([]);
    const done = join('done', batchId);
    expect(await bed.list(done)).toEqual(
      expect.arrayContaining(['Job/a.pdf', 'Job/b.pdf', 'Job/register.csv']),
    );
    const csv = await bed.read(join(done, 'receipt.csv'));
    expect(csv).toContain('register.csv,Job,register,');
    expect(csv).toContain('gone.pdf,Job,"listed, not there",');
    expect(JSON.parse(await bed.read(join(done, 'receipt.json')))).toMatchObject({
      files: [
        { path: 'Job/b.pdf', row: 2 },
        { path: 'Job/a.pdf', row: 3 },
      ],
      registers: [{ path: 'Job/register.csv', notThere: [{ row: 4, file: 'gone.pdf' }] }],
    });
  });

  test('is one of its own folder: others are not concerned', async () => {
    await dropJob('One');
    await dropJob('Two', 'File,Number\na.pdf,N-9\n');
    await bed.drop('loose.pdf');
    const { manifest } = await claimAll(await bed.open());
    expect(manifest.registers?.map(({ path }) => path)).toEqual(['One/register.csv', 'Two/register.csv']);
    const rows = manifest.files.map(({ path, entry }) => [path, entry?.register, entry?.row?.cells[1]]);
    expect(rows).toEqual([
      ['One/b.pdf', 0, 'N-1'],
      ['One/a.pdf', 0, 'N-2'],
      ['Two/a.pdf', 1, 'N-9'],
      ['Two/b.pdf', 1, undefined],
      ['loose.pdf', undefined, undefined],
    ]);
  });
});

test('revisions of one document are lined up by their rows, also where their names say otherwise', async () => {
  await dropJob('Job', 'File,Number,Revision\nb.pdf,N-1,A\na.pdf,N-1,B\n');
  const share = await bed.open({ fileNamePattern: '^(?<Number>[^.]+)' });
  const { batchId } = await claimAll(share);
  const turns = await share.findWaiting({ batchId, indexes: [0, 1], ended: [] });
  expect(turns.waiting).toMatchObject([{ index: 1, behind: { index: 0, path: 'Job/b.pdf', revision: 'A' } }]);
});

test('and by the Name of their rows, where their files are called otherwise', async () => {
  await dropJob('Job', 'File,Name,Revision\nb.pdf,A-101,P02\na.pdf,A-101,P01\n');
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  const turns = await share.findWaiting({ batchId, indexes: [0, 1], ended: [] });
  expect(turns.waiting).toMatchObject([
    { index: 0, behind: { index: 1, path: 'Job/a.pdf', revision: 'P01' } },
  ]);
});

test('a Name that a pattern reads is not taken for the file that a column Name stands for', async () => {
  await dropJob('Job', 'Name,Revision\nb.pdf,P02\na.pdf,P01\n');
  const share = await bed.open({
    folderPattern: '^(?<Name>[^/]+)',
    policy: { ...POLICY, register: { synonyms: { Name: 'File' }, emptyWord: '-', unlisted: 'process' } },
  });
  const { manifest } = await claimAll(share);
  expect(manifest.files.map(({ path, values }) => [path, values])).toEqual([
    ['Job/b.pdf', { Name: 'Job', revision: 'P02' }],
    ['Job/a.pdf', { Name: 'Job', revision: 'P01' }],
  ]);
});

describe('a register that cannot be used', () => {
  test('keeps its files from being sent without what it says', async () => {
    await dropJob('Job', 'Number\nN-1\n');
    const { manifest } = await claimAll(await bed.open());
    expect(manifest.registers).toBeUndefined();
    expect(manifest.files.map(({ path, refused }) => [path, refused?.code])).toEqual([
      ['Job/a.pdf', 'register-unusable'],
      ['Job/b.pdf', 'register-unusable'],
      ['Job/register.csv', 'register-unusable'],
    ]);
    expect(manifest.files[0]?.refused?.text).toContain('no column that says which file');
  });

  test('is set apart when nothing came with it', async () => {
    await bed.drop('register.csv', LIST);
    const { manifest } = await claimAll(await bed.open());
    expect(manifest.files).toMatchObject([{ path: 'register.csv', refused: { code: 'register-alone' } }]);
  });

  test('nor is a receipt that came back a document, beside whatever loose files', async () => {
    const receipt = `Outcome,File,Folder,Receipt row\nSet apart,x.pdf,,${'0'.repeat(20)}\n`;
    await bed.drop('receipt.csv', receipt);
    await bed.drop('plan.pdf');
    const { manifest } = await claimAll(await bed.open());
    expect(manifest.files.map(({ path, refused }) => [path, refused?.code])).toEqual([
      ['plan.pdf', undefined],
      ['receipt.csv', 'receipt-alone'],
    ]);
  });

  test('and is open elsewhere goes back with all its files, until it is free or never is', async () => {
    await dropJob();
    const fs = createFaultyFs((operation, place) => {
      if (operation === 'read' && String((place as Place).path ?? place).endsWith('register.csv')) {
        throw fsError('EBUSY');
      }
    });
    const share = await bed.open({}, { fs });
    const seal = async () => {
      const { batch } = await share.claim(['Job/a.pdf', 'Job/b.pdf', 'Job/register.csv']);
      return await share.writeManifest(batch!);
    };
    expect((await seal()).batchId).toBeUndefined();
    expect(await bed.list('drop')).toEqual(['Job/a.pdf', 'Job/b.pdf', 'Job/register.csv']);
    await seal();
    expect((await seal()).batchId).toBeDefined();
  });
});

test('loose files go back with a sheet that may be their register and is open elsewhere, and then without it', async () => {
  await bed.drop('TR-0142.csv', 'File,Number\na.pdf,N-1\n');
  await bed.drop('a.pdf');
  const fs = createFaultyFs((operation, place) => {
    if (operation === 'read' && String((place as Place).path ?? place).endsWith('.csv'))
      throw fsError('EBUSY');
  });
  const share = await bed.open({}, { fs });
  const seal = async () => {
    const { batch } = await share.claim(['a.pdf', 'TR-0142.csv']);
    return await share.writeManifest(batch!);
  };
  expect([(await seal()).batchId, (await seal()).batchId]).toEqual([undefined, undefined]);
  const sealed = await seal();
  expect(sealed.batchId !== undefined && sealed.manifest.files).toHaveLength(2);
});

test('a file that is still written takes all that came with its register back with it', async () => {
  await dropJob();
  const share = await bed.open();
  const { batch } = await share.claim(['Job/a.pdf', 'Job/b.pdf', 'Job/register.csv']);
  await writeFile(join(batch!.paths.files, 'Job/a.pdf'), 'still being written, and longer now');
  const sealed = await share.writeManifest(batch!);
  expect(sealed.batchId).toBeUndefined();
  expect(sealed.returned.map(({ path }) => path).sort()).toEqual([
    'Job/a.pdf',
    'Job/b.pdf',
    'Job/register.csv',
  ]);
  expect(await bed.list('drop')).toEqual(['Job/a.pdf', 'Job/b.pdf', 'Job/register.csv']);
});

test('a document that looks like a register says so in its receipt', async () => {
  await bed.drop('Job/names.csv', 'File,Colour\na.pdf,red\n');
  await bed.drop('Job/a.pdf');
  const share = await bed.open();
  const { batchId, manifest } = await claimAll(share);
  expect(manifest.files.map(({ path }) => path)).toEqual(['Job/a.pdf', 'Job/names.csv']);
  await share.settleUp(batchId, [0, 1].map(submitted), { final: true });
  expect(await bed.read(join('done', batchId, 'receipt.csv'))).toContain('it was taken for a document');
});
