// Files that people name, where somebody else has put a link or a pipe in their place.
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAnswerSheet } from '../../../client/answers/answer-from-sheet';
import { readTimesheetImport } from '../../../client/import/timesheet-import';
import { findShared, readNamed } from '../../../client/session/named-file';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { POLICY } from '../../workflows/fake-activities';

const folder = useTemporaryFolder();
const at = (path: string) => join(folder(), path);
const places = () => [{ folder: at('not mounted') }, { folder: at('share') }];
const read = async (path: string) => (await readNamed(places(), at(path), 100)).toString();

beforeEach(() => {
  for (const name of ['share/sub', 'elsewhere']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('elsewhere/list.csv'), 'private');
  writeFileSync(at('share/sub/list.csv'), 'ours');
});

test('a file on a share is read, however its share is named', async () => {
  symlinkSync(at('share'), at('shortcut'));
  expect([await read('share/sub/list.csv'), await read('shortcut/sub/list.csv')]).toEqual(['ours', 'ours']);
  expect(await findShared(places(), at('shortcut/sub/list.csv'))).toEqual({
    base: at('share'),
    path: at('share/sub/list.csv'),
    isShared: true,
  });
});

test('a link on a share is not followed, be it the file or a folder above it', async () => {
  symlinkSync(at('elsewhere/list.csv'), at('share/link.csv'));
  symlinkSync(at('elsewhere'), at('share/link'));
  symlinkSync(at('share'), at('shortcut'));
  for (const path of ['share/link.csv', 'share/link/list.csv', 'shortcut/link.csv'])
    await expect(read(path)).rejects.toThrow(/is a link, or lies behind one/);
});

test('a link of one’s own is', async () => {
  symlinkSync(at('elsewhere/list.csv'), at('own.csv'));
  symlinkSync(at('elsewhere'), at('own'));
  expect([await read('own.csv'), await read('own/list.csv')]).toEqual(['private', 'private']);
});

test('neither a file with another name, a pipe, a folder, one without end nor none is read', async () => {
  linkSync(at('elsewhere/list.csv'), at('share/twin.csv'));
  execFileSync('mkfifo', [at('share/pipe.csv')]);
  writeFileSync(at('share/long.csv'), 'x'.repeat(101));
  for (const [path, why] of [
    ['share/twin.csv', /another name/],
    ['share/pipe.csv', /is no file/],
    ['share/sub', /is no file/],
    ['share/long.csv', /too large/],
    ['share/none.csv', /no file/],
    ['share/none/list.csv', /no file/],
  ] as const)
    await expect(read(path)).rejects.toThrow(why);
  await expect(read('none/list.csv')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('the sheets of answers and of hours are read so', async () => {
  renameSync(at('share/sub/list.csv'), at('share/sub/before.csv'));
  symlinkSync(at('elsewhere/list.csv'), at('share/sub/list.csv'));
  const file = at('share/sub/list.csv');
  const share = { project: { companyId: '1', projectId: '2' }, policy: POLICY };
  const answers = readAnswerSheet(file, places(), share, { rules: () => Promise.reject(new Error('asked')) });
  await expect(answers).rejects.toThrow(/is a link/);
  await expect(readTimesheetImport(file, places())).rejects.toThrow(/is a link/);
});
