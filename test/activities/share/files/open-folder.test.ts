// A folder that is made on the way, while somebody else tidies up empty ones.
import { rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolderAt } from '../../../../activities/share/files/open-folder';
import { useTemporaryFolder } from '../../../setup/temporary-folder';

const folder = useTemporaryFolder();

describe.each([
  ['by descriptor', process.platform === 'linux'],
  ['by path', false],
])('%s', (_, byDescriptor) => {
  test.each([
    ['once', 1],
    ['five times', 5],
  ])(
    'a folder that is taken away %s between its making and its opening is made again',
    async (_times, times) => {
      const opened = await openFolderAt(
        folder(),
        ['a', 'b'],
        { make: true, byDescriptor },
        tidyingUp(join(folder(), 'a', 'b'), times),
      );
      try {
        expect((await stat(join(folder(), 'a', 'b'))).isDirectory()).toBe(true);
        expect(await opened.isInPlace()).toBe(true);
      } finally {
        await opened.close();
      }
    },
  );

  test('one that is taken away for ever is told as gone', async () => {
    const gate = tidyingUp(join(folder(), 'a'), Number.POSITIVE_INFINITY);
    await expect(openFolderAt(folder(), ['a'], { make: true, byDescriptor }, gate)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  test('one that is not to be made is not', async () => {
    const how = { make: false, byDescriptor };
    await expect(openFolderAt(folder(), ['a'], how, operation => operation())).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});

/** Takes the folder away after each operation that has left it there, so many times. */
function tidyingUp(path: string, times: number): <T>(operation: () => Promise<T>) => Promise<T> {
  let left = times;
  return async operation => {
    const result = await operation();
    if (
      left > 0 &&
      (await rmdir(path).then(
        () => true,
        () => false,
      ))
    )
      left--;
    return result;
  };
}
