import type { Client } from '@temporalio/client';
import type { FolderToTest } from '../../../activities/share/drop/test-folder';
import { createTestStarter, watchTests } from '../../../client/chores/watch-tests';
import { standInShare } from '../../../client/session/stand-in';

let told: unknown[] = [];
const LOGGER = { info: (facts: object) => void told.push(facts), warn: () => undefined };

beforeEach(() => {
  told = [];
});

/** The states of looks one after the other; the watch ends with them. Answers what was tested. */
async function watch(
  looks: readonly (readonly FolderToTest[])[],
  onStart: (folder: FolderToTest) => boolean | undefined = () => undefined,
  waitMs = 0,
): Promise<readonly string[]> {
  const ended = new AbortController();
  const started: string[] = [];
  let at = 0;
  const share = {
    name: 'tender',
    config: { ...standInShare('/share'), scanEveryMs: 1, settleMs: waitMs, quietMs: 0 },
    foldersToTest: async () => {
      const now = looks[at];
      at += 1;
      if (now === undefined) ended.abort();
      return now ?? [];
    },
  };
  await watchTests({
    share,
    start: async (_, folder) => {
      const isNew = onStart(folder) ?? true;
      started.push(`${folder.name} ${folder.state}`);
      return isNew;
    },
    logger: LOGGER,
    signal: ended.signal,
  });
  return started;
}

const A = { name: 'A', state: '1' };

test('a folder is tested once it stands still, and once for what is in it', async () => {
  expect(await watch([[A], [A], [A], [A]])).toEqual(['A 1']);
  expect(await watch([[A], [{ ...A, state: '2' }], [{ ...A, state: '3' }]])).toEqual([]);
  expect(await watch([[A], [A], [{ ...A, state: '2' }], [{ ...A, state: '2' }]])).toEqual(['A 1', 'A 2']);
});

test('one that has not stood still for long enough is not tested yet', async () => {
  expect(await watch([[A], [A], [A]], undefined, 60_000)).toEqual([]);
});

test('while Temporal is away it is asked for again', async () => {
  let tries = 0;
  const failing = () => {
    tries += 1;
    if (tries === 1) throw new Error('away');
    return true;
  };
  expect(await watch([[A], [A], [A], [A]], failing)).toEqual(['A 1']);
  expect(tries).toBe(2);
});

test('one that was tested before as it is, as after a restart, is not told of as tested now', async () => {
  expect(await watch([[A], [A]], () => false)).toEqual(['A 1']);
  expect(told).toEqual([]);
  await watch([[A], [A]]);
  expect(told).toMatchObject([{ event: 'test-started', folder: 'A' }]);
});

test('a folder whose name is a link is named where runs are listed, and is none', async () => {
  const start = jest.fn(async (_workflow: string, _options: unknown) => undefined);
  const client = { workflow: { start } } as unknown as Client;
  const share = { name: 'tender', config: standInShare('/share') };
  expect(await createTestStarter(client)(share as never, { name: '[x](https:e)', state: '1' })).toBe(true);
  expect(start.mock.calls[0]?.[1]).toMatchObject({
    staticSummary: 'Test of \\[x\\](https:e) on share tender',
  });
});
