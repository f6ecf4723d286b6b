import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Share } from '../../../../activities/share/share';
import { DropLook } from '../../../../client/console/jobs/drop-look';
import { sheetDataOf, workbookOf } from '../../../activities/registers/workbook-of-parts';
import { createFaultyFs, fsError } from '../../../activities/share/faulty-fs';
import { createTestBed, type TestBed } from '../../../activities/share/share-test-bed';

const REGISTER = 'File,Number\nA-1.pdf,N-1\nA-2.pdf,N-2\n';
const SECOND = 1_000;

let bed: TestBed;
let share: Share;
/** Cannot be read while it is open elsewhere. */
let locked: string | undefined;
let operations = 0;
let passedMs = 0;
beforeEach(async () => {
  bed = await createTestBed();
  locked = undefined;
  passedMs = 0;
  const fs = createFaultyFs((operation, path) => {
    operations += 1;
    if (locked !== undefined && operation === 'read' && String(path).endsWith(locked)) throw fsError('EBUSY');
  });
  share = await bed.open({}, { fs });
});
afterEach(() => bed.remove());

const createLook = (drop: Partial<Share> = {}) =>
  new DropLook({ ...share, ...drop }, () => Date.now() + passedMs);

/** Written over where it lies: its folder does not change. */
const overwrite = async (path: string, text: string | Buffer) =>
  await writeFile(join(bed.root, 'drop', path), text);

async function awaitedBy(look: DropLook): Promise<readonly string[] | undefined> {
  const [top] = await look.look();
  return top?.register?.awaited.map(({ file }) => file);
}

/** Looks each second until all is believed. */
async function settle(look: DropLook): Promise<void> {
  for (let second = 0; second < 6; second += 1) {
    await look.look();
    passedMs += SECOND;
  }
}

test('a register that was open elsewhere is read when it is free, though its folder stays as it is', async () => {
  await bed.drop('A/register.csv', REGISTER);
  await bed.drop('A/A-1.pdf');
  locked = 'register.csv';
  const look = createLook();
  await settle(look);
  expect(await awaitedBy(look)).toBeUndefined();
  locked = undefined;
  passedMs += 60 * SECOND;
  expect(await awaitedBy(look)).toEqual(['A-2.pdf']);
});

test('a register of which half was written is read when it is whole', async () => {
  const rows = sheetDataOf([
    ['File', 'Number'],
    ['A-1.pdf', 'N-1'],
    ['A-2.pdf', 'N-2'],
  ]);
  const whole = workbookOf({ sheets: [rows] });
  await bed.drop('A/register.xlsx', whole.subarray(0, whole.length / 2));
  await bed.drop('A/A-1.pdf');
  const look = createLook();
  await settle(look);
  expect(await awaitedBy(look)).toBeUndefined();
  await overwrite('A/register.xlsx', whole);
  expect(await awaitedBy(look)).toEqual(['A-2.pdf']);
});

test('a register that is written over in its place is read again: what it no longer lists is awaited no more', async () => {
  await bed.drop('A/register.csv', REGISTER);
  await bed.drop('A/A-1.pdf');
  const look = createLook();
  await settle(look);
  expect(await awaitedBy(look)).toEqual(['A-2.pdf']);
  await overwrite('A/register.csv', `${REGISTER}A-3.pdf,N-3\n`);
  expect(await awaitedBy(look)).toEqual(['A-2.pdf', 'A-3.pdf']);
  await overwrite('A/register.csv', 'File,Number\nA-1.pdf,N-1\n');
  expect(await awaitedBy(look)).toEqual([]);
});

test.each([
  ['by its name', 'register.csv', 'Number\nN-1\n'],
  ['by its columns alone', 'TR-0142.csv', 'x\n1\n'],
])('a sheet that is made a register in its place, %s, is one', async (_, name, before) => {
  await bed.drop(`A/${name}`, before);
  await bed.drop('A/A-1.pdf');
  const look = createLook();
  await settle(look);
  expect(await awaitedBy(look)).toBeUndefined();
  await overwrite(`A/${name}`, REGISTER);
  expect(await awaitedBy(look)).toEqual(['A-2.pdf']);
});

test('what was known of a register is told while it is open elsewhere, as long as no file comes or goes', async () => {
  await bed.drop('A/register.csv', REGISTER);
  await bed.drop('A/A-1.pdf');
  const look = createLook();
  await settle(look);
  locked = 'register.csv';
  await overwrite('A/register.csv', `${REGISTER}A-3.pdf,N-3\n`);
  await settle(look);
  expect(await awaitedBy(look)).toEqual(['A-2.pdf']);
  await bed.drop('A/A-2.pdf');
  expect(await awaitedBy(look)).toBeUndefined();
});

test('one that stays torn is not read anew each second', async () => {
  await bed.drop('A/register.xlsx', Buffer.from('PK\u0003\u0004 half of it'));
  await bed.drop('A/A-1.pdf');
  const lookForRegister = jest.fn(share.lookForRegister);
  const look = createLook({ lookForRegister });
  for (let second = 0; second < 120; second += 1) {
    await look.look();
    passedMs += SECOND;
  }
  expect(lookForRegister.mock.calls.length).toBeLessThan(10);
  await settle(look);
  lookForRegister.mockClear();
  // Saved anew, it is looked at at once.
  await overwrite('A/register.xlsx', 'PK\u0003\u0004 half of it, and more');
  await look.look();
  expect(lookForRegister).toHaveBeenCalledTimes(1);
});

test('a look at a drop in which nothing happens costs one operation for each folder and each register', async () => {
  for (const top of ['A', 'B']) {
    await bed.drop(`${top}/register.csv`, REGISTER);
    for (const name of ['A-1.pdf', 'inner/calculation.xlsx']) await bed.drop(`${top}/${name}`);
  }
  const look = createLook();
  await settle(look);
  operations = 0;
  await look.look();
  // The drop folder, two folders with one in each, and two registers.
  expect(operations).toBe(7);
});

test('what comes while the folder is walked is seen, however long nobody looks afterwards', async () => {
  await bed.drop('A/1.pdf');
  let isFirst = true;
  const look = createLook({
    async *scan(options) {
      yield* share.scan(options);
      if (isFirst) await bed.drop('A/2.pdf');
      isFirst = false;
    },
  });
  await look.look();
  passedMs += 60 * SECOND;
  expect((await look.look())[0]?.paths.length).toBe(2);
});

test('a folder whose time lies in the future is not walked for ever', async () => {
  await bed.drop('A/1.pdf');
  const tomorrow = new Date(Date.now() + 86_400 * SECOND);
  await utimes(join(bed.root, 'drop/A'), tomorrow, tomorrow);
  const scan = jest.fn(share.scan);
  const look = createLook({ scan });
  await settle(look);
  scan.mockClear();
  await settle(look);
  expect(scan).not.toHaveBeenCalled();
});
