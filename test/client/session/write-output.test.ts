import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as shareFs from '../../../activities/share/files/share-fs';
import { writeOutput } from '../../../client/session/write-output';
import { createFaultyFs, fsError, type Operation } from '../../activities/share/faulty-fs';
import { useTemporaryFolder } from '../../setup/temporary-folder';

jest.mock('../../../activities/share/files/share-fs', () => {
  const actual = jest.requireActual('../../../activities/share/files/share-fs');
  return { ...actual, createNodeShareFs: jest.fn(actual.createNodeShareFs) };
});

const folder = useTemporaryFolder();
const output = () => join(folder(), 'out.zip');

/** What is made from now on stands on the real one, not on a faulty one before. */
function withFs(before: (operation: Operation, ...paths: unknown[]) => void): void {
  const { createNodeShareFs } = jest.requireActual<typeof shareFs>(
    '../../../activities/share/files/share-fs',
  );
  const made = jest.mocked(shareFs.createNodeShareFs).mockImplementation(createNodeShareFs);
  const faulty = createFaultyFs(before);
  made.mockReturnValue(faulty);
}

/** As a memory stick says, and some shares. */
function refuseLinks(operation: Operation): void {
  if (operation === 'link') throw fsError('EPERM');
}

beforeEach(() => withFs(() => undefined));

test.each([
  ['with hard links', () => undefined],
  ['without hard links', refuseLinks],
])('a file is made once, %s, and nothing is left beside it', async (_, before) => {
  withFs(before);
  await writeOutput(output(), Buffer.from('whole'));
  await expect(writeOutput(output(), Buffer.from('other'))).rejects.toThrow(
    `${output()} is there already. It was left as it is: name another one.`,
  );
  expect(readFileSync(output(), 'utf8')).toBe('whole');
  expect(readdirSync(folder())).toEqual(['out.zip']);
});

test.each([
  ['with hard links', () => undefined],
  ['without hard links', refuseLinks],
])('a death at any moment leaves nothing half under its name, %s', async (_, before) => {
  for (let diesAt = 1; !existsSync(output()); diesAt += 1) {
    // What an earlier death has left would be waited for.
    for (const name of readdirSync(folder())) rmSync(join(folder(), name), { recursive: true });
    let count = 0;
    withFs((operation, ...paths) => {
      count += 1;
      if (count === diesAt && /^(writeNew|copyNew)$/.test(operation))
        writeFileSync(String(paths.at(operation === 'copyNew' ? 1 : 0)), 'wh');
      if (count >= diesAt) throw fsError('DEAD');
      before(operation);
    });
    await writeOutput(output(), Buffer.from('whole')).catch(() => undefined);
  }
  expect(readFileSync(output(), 'utf8')).toBe('whole');
});

test.each([false, true])(
  'one that cannot be written whole is not there, nor its part (over: %s)',
  async isForced => {
    withFs((operation, path) => {
      if (operation !== 'writeNew') return;
      writeFileSync(String(path), 'ha');
      throw fsError('ENOSPC');
    });
    await expect(writeOutput(output(), Buffer.from('half'), { isForced })).rejects.toThrow(
      'cannot be written (ENOSPC)',
    );
    expect(readdirSync(folder())).toEqual([]);
  },
);

test('one is replaced where that is meant', async () => {
  writeFileSync(output(), 'before');
  await writeOutput(output(), Buffer.from('after'), { isForced: true });
  expect(readFileSync(output(), 'utf8')).toBe('after');
});
