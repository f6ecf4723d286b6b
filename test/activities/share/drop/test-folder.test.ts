// Which folders are tested on a real share, and where their results go among the files of people.
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Share } from '../../../../activities/share/share';
import { createTestBed, type TestBed } from '../share-test-bed';

let bed: TestBed;
let share: Share;

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open();
});
afterEach(async () => {
  await bed.remove();
});

const at = (...parts: string[]) => join(bed.root, ...parts);
const result = (text: string) => ({ format: 'xlsx', bytes: Buffer.from(text) });
const read = async (path: string) => await readFile(at(path), 'utf8');

async function putFolder(name: string): Promise<void> {
  await mkdir(at('test', name), { recursive: true });
  await writeFile(at('test', name, 'A-1.pdf'), 'one');
}

test('without the folder there is nothing to test, and a folder of it with files has a state that changes with them', async () => {
  expect(await share.foldersToTest()).toEqual([]);
  await putFolder('A');
  await mkdir(at('test/empty'));
  await writeFile(at('test/loose.pdf'), 'loose');
  await symlink(at('drop'), at('test/link'));
  const [before, ...others] = await share.foldersToTest();
  expect([before?.name, others]).toEqual(['A', []]);
  expect(await share.foldersToTest()).toEqual([before]);
  await writeFile(at('test/A/A-1.pdf'), 'another one');
  const [after] = await share.foldersToTest();
  expect(after?.state).not.toBe(before?.state);
});

test('a result is written over an earlier one of ours, and beside what is not', async () => {
  await putFolder('A');
  expect(await share.putTestResult('A', result('first'))).toBe('test/A-TEST.xlsx');
  expect(await share.putTestResult('A', result('second'))).toBe('test/A-TEST.xlsx');
  expect(await read('test/A-TEST.xlsx')).toBe('second');
  await writeFile(at('test/A-TEST.xlsx'), 'what a person made of it');
  expect(await share.putTestResult('A', result('third'))).toBe('test/A-TEST (2).xlsx');
  expect(await share.putTestResult('A', result('fourth'))).toBe('test/A-TEST (2).xlsx');
  expect(await read('test/A-TEST.xlsx')).toBe('what a person made of it');
  expect(await read('test/A-TEST (2).xlsx')).toBe('fourth');
});

test('after a crash between its note and its end, a result is known for ours all the same', async () => {
  await putFolder('A');
  await share.putTestResult('A', result('first'));
  // As it is after the note of the second, when the first still lies there, and the other way round.
  await rename(at('test/A-TEST.xlsx'), at('kept'));
  await share.putTestResult('A', result('second'));
  await rename(at('kept'), at('test/A-TEST.xlsx'));
  expect(await share.putTestResult('A', result('third'))).toBe('test/A-TEST.xlsx');
  // Without the notes nobody knows whose it is.
  await rm(at('.drawbridge/tests'), { recursive: true });
  expect(await share.putTestResult('A', result('fourth'))).toBe('test/A-TEST (2).xlsx');
});

test('nothing outside the folder is read as one of its folders', async () => {
  await putFolder('A');
  for (const name of ['..', '../drop', 'A/inner', '', 'B']) {
    await expect(share.openTest(name)).rejects.toMatchObject({ code: 'bad-request' });
  }
  expect(await share.openTest('A')).toMatchObject({ name: 'A' });
});

test('where people have called the drop folder so, nothing is tested', async () => {
  const other = await bed.open({ drop: 'test' });
  await putFolder('A');
  expect(await other.foldersToTest()).toEqual([]);
  await expect(other.openTest('A')).rejects.toMatchObject({ code: 'bad-request' });
});
