import { link, mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DropEntry } from '../../../../activities/share/drop/scan-drop';
import type { Share } from '../../../../activities/share/share';
import { createFaultyFs, fsError } from '../faulty-fs';
import { createTestBed, type TestBed } from '../share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

async function look(share: Share, top: string) {
  const entries: DropEntry[] = [];
  for await (const name of share.scan({ under: top })) {
    const entry = await share.look(name);
    if (entry !== undefined) entries.push(entry);
  }
  return await share.lookForRegister(top, entries);
}

test('a register in the drop folder tells the order of its files, and how many are not there', async () => {
  await bed.drop('Job/register.csv', 'File,Number\nb.pdf,1\na.pdf,2\nc.pdf,3\n');
  await bed.drop('Job/a.pdf');
  await bed.drop('Job/b.pdf');
  await bed.drop('Job/z.pdf');
  const share = await bed.open();
  expect(await look(share, 'Job')).toEqual({
    path: 'Job/register.csv',
    awaited: [{ kind: 'missing', file: 'c.pdf' }],
    order: ['Job/b.pdf', 'Job/a.pdf'],
  });
  await bed.drop('Job/c.pdf');
  expect(await look(share, 'Job')).toMatchObject({ awaited: [] });
});

test('a file that may be another one than its row means is waited for as if it were not there', async () => {
  await bed.drop('Package/register.csv', 'File,Revision\nA-1.pdf,P03\n');
  await bed.drop('Package/superseded/A-1.pdf', 'of P02');
  const share = await bed.open();
  expect(await look(share, 'Package')).toEqual({
    path: 'Package/register.csv',
    awaited: [{ kind: 'doubtful', file: 'A-1.pdf', path: 'superseded/A-1.pdf' }],
    order: ['Package/superseded/A-1.pdf'],
  });
  await bed.drop('Package/A-1.pdf', 'of P03');
  expect(await look(share, 'Package')).toMatchObject({ awaited: [], order: ['Package/A-1.pdf'] });
});

test('a register that has another name somewhere is no register, for its cells come back in a receipt', async () => {
  const elsewhere = join(bed.root, 'list.csv');
  await writeFile(elsewhere, 'File,Number\na.pdf,1\nb.pdf,2\n');
  await bed.drop('Job/a.pdf');
  await link(elsewhere, join(bed.root, 'drop/Job/register.csv'));
  const share = await bed.open();
  const read = async () => {
    const entries: DropEntry[] = [];
    for await (const name of share.scan({ under: 'Job' })) entries.push((await share.look(name))!);
    return await share.readRegister('Job', entries);
  };
  // It may be one that was given back by a process that died before it took its old name away.
  expect([await look(share, 'Job'), await read(), await read()]).toEqual(['busy', undefined, undefined]);
  const begun = await read();
  expect(begun?.unusable).toMatchObject({
    path: 'register.csv',
    reason: { text: expect.stringContaining('linked from another place') },
  });
  expect(begun?.sheet).toBeUndefined();
  await unlink(elsewhere);
  expect(await look(share, 'Job')).toMatchObject({ path: 'Job/register.csv' });
});

test('a register that a job keeps as well was being moved when a process died: it is read as before', async () => {
  await bed.drop('Job/a.pdf');
  await bed.drop('Job/register.csv', 'File,Number\na.pdf,1\n');
  const share = await bed.open();
  const kept = join(bed.root, '.drawbridge/jobs/J1/register');
  await mkdir(kept, { recursive: true });
  await link(join(bed.root, 'drop/Job/register.csv'), join(kept, 'register.csv'));
  expect(await look(share, 'Job')).toMatchObject({ path: 'Job/register.csv' });
  // One name more is not of our making.
  await link(join(bed.root, 'drop/Job/register.csv'), join(bed.root, 'other.csv'));
  expect(await look(share, 'Job')).toBe('busy');
});

test('a receipt alone in its folder begins no job that sends it', async () => {
  const receipt = `Outcome,File,Receipt row,Type\nSet apart,x.pdf,${'0'.repeat(20)},Plan\n`;
  await bed.drop('Job/returned.csv', receipt);
  const share = await bed.open();
  const read = async () => {
    const entries: DropEntry[] = [];
    for await (const name of share.scan({ under: 'Job' })) entries.push((await share.look(name))!);
    return await share.readRegister('Job', entries);
  };
  expect(await read()).toEqual({
    unusable: { path: 'returned.csv', reason: expect.objectContaining({ code: 'receipt-alone' }) },
  });
  // Beside documents it may be filed as one of them.
  await bed.drop('Job/a.pdf');
  expect(await read()).not.toHaveProperty('unusable');
});

test.each([
  ['none is there', 'plain.csv', 'x\n1\n'],
  ['the one that is there cannot be used', 'register.csv', 'Number\n1\n'],
])('nothing is waited for where %s', async (_, name, content) => {
  await bed.drop(`Job/${name}`, content);
  await bed.drop('Job/a.pdf');
  expect(await look(await bed.open(), 'Job')).toBeUndefined();
});

test.each([
  ['a register', 'register.csv'],
  ['a register by its columns alone', 'TR-0142.csv'],
])('%s that is open elsewhere is not taken for none', async (_, name) => {
  await bed.drop(`Job/${name}`, 'File,Number\na.pdf,1\n');
  await bed.drop('Job/a.pdf');
  let isLocked = true;
  const fs = createFaultyFs((operation, path) => {
    if (isLocked && operation === 'read' && String(path).endsWith(name)) throw fsError('EBUSY');
  });
  const share = await bed.open({}, { fs });
  expect(await look(share, 'Job')).toBe('busy');
  isLocked = false;
  expect(await look(share, 'Job')).toMatchObject({ awaited: [], order: ['Job/a.pdf'] });
});

test('a sheet that is not as it was seen may be the register, unless another one is', async () => {
  await bed.drop('Job/TR-0142.csv', 'File,Number\na.pdf,1\n');
  await bed.drop('Job/a.pdf');
  const share = await bed.open();
  const entries: DropEntry[] = [];
  for await (const name of share.scan({ under: 'Job' })) entries.push((await share.look(name))!);
  await bed.drop('Job/TR-0142.csv', 'File,Number\na.pdf,1\nb.pdf,2\n');
  expect(await share.lookForRegister('Job', entries)).toBe('busy');
  await bed.drop('Job/list.csv', 'File,Number\na.pdf,1\n');
  const list = (await share.look({ path: 'Job/list.csv' }))!;
  expect(await share.lookForRegister('Job', [...entries, list])).toMatchObject({ path: 'Job/list.csv' });
});
