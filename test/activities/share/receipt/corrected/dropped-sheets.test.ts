// A corrected sheet that is dropped by itself: it goes to the sheet of its job, and is taken up there as one
// that was saved there; whatever is none goes the way of all files.
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Share } from '../../../../../activities/share/share';
import { createFaultyFs, DyingFs, fsError } from '../../faulty-fs';
import type { TestBed } from '../../share-test-bed';
import { copySheetBed, createSheetBed, finishJob, listDrop } from '../sheet-test-bed';

let bed: TestBed;
let share: Share;

beforeEach(async () => {
  bed = await createSheetBed();
  share = await bed.open();
});

afterEach(async () => {
  await bed.remove();
});

/** Operations from one death to the next. */
const STEP = 3;

const REGISTER = 'File,Number,Type\n1.pdf,N-1,Plan\n2.pdf,N-2,Plam\nsub/3.pdf,N-3,Plam\n';
const SHEET = 'attention/A/receipt-register.csv';
const MOVED = 'attention/A/dropped-mended.csv';
const mend = (text: string) => text.replaceAll('Plam', 'Plan');

/** The folder A is through but for 2.pdf and sub/3.pdf, and has its receipt. */
async function finish(): Promise<string> {
  await bed.drop('A/register.csv', REGISTER);
  for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf']) await bed.drop(`A/${name}`);
  await finishJob(share, ['1.pdf']);
  return await bed.read(SHEET);
}

const take = async (on = share, isQuiet = true) => await on.takeUpDropped(await listDrop(on), isQuiet);
/** Nothing is read at its first sight. */
const look = async (on = share) => [...(await on.takeUpCorrections()), ...(await on.takeUpCorrections())];
/** Of the rows that were mended. */
const REGISTER_OF_MENDED = 'File,Number,Type\n2.pdf,N-2,Plan\nsub/3.pdf,N-3,Plan\n';

test.each(['mended.csv', 'A/mended.csv', 'Some folder/mended.csv'])(
  'dropped as %s it goes beside the receipt of its job, and its rows go on',
  async name => {
    const receipt = await finish();
    await bed.drop(name, mend(receipt));
    expect(await take(share, false)).toEqual([{ path: name, sheet: `drop/${name}` }]);
    expect(await take()).toEqual([{ path: name, sheet: `drop/${name}`, movedTo: MOVED }]);
    expect(await bed.list('drop')).toEqual([]);
    expect(await look()).toEqual([{ kind: 'taken', path: MOVED, rows: 2 }]);
    expect(await bed.read('drop/A/register.csv')).toBe(REGISTER_OF_MENDED);
    expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']);
    // The register that we have put there ourselves is none of these sheets.
    expect(await take()).toEqual([]);
    expect(await bed.list('attention/A')).not.toContain('corrections.txt');
  },
);

test('where nothing was to be done, it is said: as it came, corrected before, done', async () => {
  const receipt = await finish();
  await bed.drop('receipt-register.csv', receipt);
  expect(await take()).toMatchObject([{ movedTo: 'attention/A/dropped-receipt-register.csv' }]);
  expect(await look()).toMatchObject([{ kind: 'told', told: [expect.stringContaining('nothing to do')] }]);

  await bed.drop('receipt-register.csv', mend(receipt));
  expect(await take()).toMatchObject([{ movedTo: 'attention/A/dropped-receipt-register (2).csv' }]);
  expect(await look()).toMatchObject([{ kind: 'taken', rows: 2 }]);
  for (const path of ['2.pdf', 'sub/3.pdf', 'register.csv']) await rm(join(bed.root, 'drop/A', path));

  await bed.drop('once more.csv', mend(receipt));
  expect(await take()).toMatchObject([{ movedTo: 'attention/A/dropped-once more.csv' }]);
  expect(await bed.read('attention/A/corrections (2).txt')).toMatch(
    /^drop\/once more\.csv was read\..*read before/s,
  );
  expect(await look()).toEqual([]);

  await bed.drop('later.csv', receipt.replace('N-1,', 'N-100,'));
  await take();
  expect(await look()).toMatchObject([
    { kind: 'told', told: [expect.stringMatching(/^Row 2: what is done/)] },
  ]);
  expect(await bed.list('drop')).toEqual([]);
});

test('is a register like any other beside files that its rows name', async () => {
  const receipt = await finish();
  await bed.drop('mended.csv', mend(receipt));
  await bed.drop('2.pdf');
  expect(await take()).toEqual([]);
  await rm(join(bed.root, 'drop/2.pdf'));
  await bed.drop('other.pdf');
  expect(await take()).toMatchObject([{ path: 'mended.csv', movedTo: MOVED }]);
  expect(await bed.list('drop')).toEqual(['other.pdf']);
});

test('what is no sheet of a job of this share is left alone, whatever it names', async () => {
  const receipt = await finish();
  await bed.drop('receipt of another.csv', receipt.replaceAll(/[0-9a-f]{20} row/g, `${'0'.repeat(20)} row`));
  await bed.drop('receipt of none.csv', receipt.replaceAll(/[0-9a-f]{20} row/g, '../../done/A row'));
  await bed.drop('calculation.csv', 'a,b\n1,2\n');
  await bed.drop('broken.csv', 'a,"b');
  await symlink(join(bed.root, SHEET), join(bed.root, 'drop/receipt link.csv'));
  expect(await take()).toEqual([]);
  expect(await bed.list('drop')).toHaveLength(5);
});

test('one that is still being saved, or is open in a program, is waited for', async () => {
  const receipt = await finish();
  await bed.drop('receipt-register.xlsx', 'PK\u0003\u0004 and no more');
  for (let tries = 0; tries < 3; tries += 1) {
    expect(await take()).toMatchObject([{ why: expect.stringContaining('not whole') }]);
  }
  // It is damaged, then: as what it is claimed, the receipt of that says so.
  expect(await take()).toEqual([]);
  await rm(join(bed.root, 'drop/receipt-register.xlsx'));
  await bed.drop('receipt-register.csv', mend(receipt));
  await writeFile(join(bed.root, 'drop/.~lock.receipt-register.csv#'), '');
  expect(await take()).toMatchObject([{ why: 'it is open in a program' }]);
  await rm(join(bed.root, 'drop/.~lock.receipt-register.csv#'));
  expect(await take()).toMatchObject([{ movedTo: 'attention/A/dropped-receipt-register.csv' }]);
});

test('while it waits it is read once, and then it goes', async () => {
  const receipt = await finish();
  await bed.drop('A/mended.csv', mend(receipt));
  const lock = join(bed.root, 'drop/A/.~lock.mended.csv#');
  await writeFile(lock, '');
  let reads = 0;
  const fs = createFaultyFs((operation, path) => {
    if (operation === 'read' && String(path).endsWith('mended.csv')) reads += 1;
  });
  const watching = await bed.open({}, { fs });
  for (const isQuiet of [false, false, true, true]) {
    expect(await take(watching, isQuiet)).toMatchObject([{ path: 'A/mended.csv' }]);
  }
  expect(reads).toBe(1);
  await rm(lock);
  expect(await take(watching)).toMatchObject([{ movedTo: MOVED }]);
});

test.each(['EBUSY', 'EACCES'])('one that cannot be moved (%s) is waited for', async code => {
  const receipt = await finish();
  await bed.drop('mended.csv', mend(receipt));
  let trouble: string | undefined;
  const fs = createFaultyFs(operation => {
    if (trouble !== undefined && (operation === 'rename' || operation === 'link')) throw fsError(trouble);
  });
  const watching = await bed.open({}, { fs });
  trouble = code;
  expect(await take(watching)).toEqual([
    { path: 'mended.csv', sheet: 'drop/mended.csv', why: code, error: expect.objectContaining({ code }) },
  ]);
  trouble = 'ESTALE';
  await expect(take(watching)).rejects.toMatchObject({ code: 'share-away' });
  trouble = undefined;
  expect(await take(watching)).toMatchObject([{ movedTo: MOVED }]);
});

test('where the share went away in the moment of its move, that is no trouble of one sheet', async () => {
  const receipt = await finish();
  await bed.drop('mended.csv', mend(receipt));
  const away = `${bed.root}-away`;
  let isGoing = false;
  const fs = createFaultyFs(async operation => {
    if (!isGoing || (operation !== 'rename' && operation !== 'link')) return;
    await rename(bed.root, away).catch(() => undefined);
    throw fsError('EACCES');
  });
  const watching = await bed.open({}, { fs });
  const entries = await listDrop(watching);
  isGoing = true;
  try {
    await expect(watching.takeUpDropped(entries, true)).rejects.toMatchObject({ code: 'ENOENT' });
  } finally {
    await rename(away, bed.root);
  }
});

test('a link in the place of the folder of its job is not followed', async () => {
  const receipt = await finish();
  const elsewhere = join(bed.root, 'elsewhere');
  await rename(join(bed.root, 'attention/A'), elsewhere);
  await symlink(elsewhere, join(bed.root, 'attention/A'));
  await bed.drop('mended.csv', mend(receipt));
  expect(await take()).toMatchObject([{ path: 'mended.csv', why: expect.stringContaining('link') }]);
  expect(await bed.list('drop')).toEqual(['mended.csv']);
});

test('whichever operation on the share was the last one, its rows go on once', async () => {
  const receipt = await finish();
  const prepared = bed;
  const begin = async () => {
    bed = await copySheetBed(prepared);
    await bed.drop('mended.csv', mend(receipt));
  };
  try {
    await begin();
    const whole = new DyingFs(Number.POSITIVE_INFINITY);
    const watching = await bed.open({}, { fs: whole.fs });
    const opened = whole.count;
    await take(watching);
    await bed.remove();
    for (let dieAt = opened + 1; dieAt <= whole.count; dieAt += STEP) {
      await begin();
      const dying = await bed.open({}, { fs: new DyingFs(dieAt).fs });
      await take(dying).catch(() => undefined);
      const after = await bed.open();
      await take(after);
      await look(after);
      expect([dieAt, await bed.list('drop')]).toEqual([dieAt, ['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']]);
      expect([await bed.read(MOVED), await bed.list('attention/A')]).toEqual([
        mend(receipt),
        expect.not.arrayContaining(['corrections.txt', 'dropped-mended (2).csv']),
      ]);
      await bed.remove();
    }
  } finally {
    bed = prepared;
  }
});
