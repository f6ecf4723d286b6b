import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import { writeOutput } from '../../../client/session/write-output';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
const output = () => join(folder(), 'out.zip');

/** As a memory stick says, and some shares. */
const withoutLinks = () =>
  jest.spyOn(promises, 'link').mockRejectedValue(Object.assign(new Error(), { code: 'EPERM' }));

afterEach(() => jest.restoreAllMocks());

test.each([
  ['with hard links', () => undefined],
  ['without hard links', withoutLinks],
])('a file is made once, %s, and nothing is left beside it', async (_, prepare) => {
  prepare();
  await writeOutput(output(), Buffer.from('whole'));
  await expect(writeOutput(output(), Buffer.from('other'))).rejects.toThrow(
    `${output()} is there already. It was left as it is: name another one.`,
  );
  expect(readFileSync(output(), 'utf8')).toBe('whole');
  expect(readdirSync(folder())).toEqual(['out.zip']);
});

test('one that cannot be written whole is not there', async () => {
  jest.spyOn(promises, 'writeFile').mockImplementation(async path => {
    writeFileSync(String(path), 'ha');
    throw Object.assign(new Error(), { code: 'ENOSPC' });
  });
  await expect(writeOutput(output(), Buffer.from('half'))).rejects.toThrow('cannot be written (ENOSPC)');
  expect(readdirSync(folder())).toEqual([]);
});

test('one is replaced where that is meant', async () => {
  writeFileSync(output(), 'before');
  await writeOutput(output(), Buffer.from('after'), { isForced: true });
  expect(readFileSync(output(), 'utf8')).toBe('after');
});
