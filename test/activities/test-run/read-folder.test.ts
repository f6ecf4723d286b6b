// The cut that a test run foretells is the watcher's.
import { hash } from 'node:crypto';
import { mkdir, realpath, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SettledEntry } from '../../../activities/share/drop/settled-tops';
import { createNodeShareFs } from '../../../activities/share/files/share-fs';
import { readTriedJob } from '../../../activities/test-run/read-folder';
import type { FileHasher } from '../../../activities/transfer/hashing/hash-file';
import { toFileError } from '../../../activities/transfer/source-faults';
import { cutInTurn } from '../../../client/watch/cut-jobs';
import { RegisterWait } from '../../../client/watch/register-wait';
import { WholeJobs } from '../../../client/watch/whole-jobs';
import { createFaultyFs } from '../share/faulty-fs';
import { createTestBed, simpleHasher, type TestBed } from '../share/share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => {
  await bed.remove();
});

const LIMITS = { maxBatchFiles: 3, maxBatchBytes: 1_000 };

/** Paths by batch, as the test run has them, and as the watcher would claim them. */
async function cutBoth(register: string | undefined): Promise<{ foretold: string[][]; claimed: string[][] }> {
  for (const name of ['1', '2', '3', '4', '5', '6']) await bed.drop(`A/${name}.pdf`, name);
  if (register !== undefined) await bed.drop('A/register.csv', register);
  const share = await bed.open();
  const config = { ...bed.config, ...LIMITS };
  const folder = { fs: createNodeShareFs(), root: bed.root, base: join(bed.root, 'drop'), name: 'A' };
  const { manifests } = await readTriedJob(
    folder,
    { config, hasher: simpleHasher },
    AbortSignal.timeout(60_000),
  );

  const entries: SettledEntry[] = [];
  for await (const name of share.scan()) {
    const found = await share.look(name);
    if (found !== undefined) entries.push({ ...found, sinceMs: 0 });
  }
  const limits = { maxFiles: LIMITS.maxBatchFiles, maxBytes: LIMITS.maxBatchBytes };
  const whole = new WholeJobs({
    limits,
    quietMs: 1_000,
    isMarked: () => false,
    register: new RegisterWait({
      share,
      waitMs: 0,
      lookEveryMs: 1_000,
      lookAgain: async () => false,
      nowMs: () => 0,
      tell: () => undefined,
    }),
  });
  const top = { entries, isMoving: false, isFilling: false, newestMs: 0, oldestMs: 0 };
  const { jobs } = await whole.ready(new Map([['A', top]]), 1_000);
  const claimed = cutInTurn(jobs, limits).map(batch => batch.entries.map(({ path }) => path));
  return {
    foretold: manifests.map(({ files }) => files.map(({ path }) => path)),
    claimed: claimed
      .map(batch => batch.filter(path => path !== 'A/register.csv'))
      .filter(({ length }) => length > 0),
  };
}

const ROWS = 'File,Number\n6.pdf,f\n1.pdf,a\n2.pdf,b\n3.pdf,c\n4.pdf,d\n5.pdf,e\n';

test.each([
  ['a register goes with the first batch, and takes no place there', ROWS, [3, 3]],
  ['without one, batches are full', undefined, [3, 3]],
])('%s', async (_, register, sizes) => {
  const { foretold, claimed } = await cutBoth(register);
  expect(foretold).toEqual(claimed);
  expect(foretold.map(({ length }) => length)).toEqual(sizes);
});

async function readWhereHashing(fails: Error) {
  await bed.drop('A/1.pdf', 'good');
  const folder = { fs: createNodeShareFs(), root: bed.root, base: join(bed.root, 'drop'), name: 'A' };
  const hasher: FileHasher = {
    ...simpleHasher,
    hashFile: async () => {
      throw fails;
    },
  };
  const { manifests } = await readTriedJob(
    folder,
    { config: bed.config, hasher },
    AbortSignal.timeout(60_000),
  );
  return manifests.flatMap(({ files }) => files.map(({ refused }) => refused?.code));
}

test.each([
  [toFileError('EACCES'), 'unreadable-file'],
  [toFileError('CHANGED'), 'keeps-changing'],
])('%s is the fault of this file', async (error, code) => {
  expect(await readWhereHashing(error)).toEqual([code]);
});

test.each([
  [toFileError('ESTALE'), { code: 'share-away' }],
  [toFileError('EMFILE'), { code: 'EMFILE' }],
  [new Error('the hash thread died'), { message: 'the hash thread died' }],
])('%s is no fault of a file: the test is made again', async (error, failure) => {
  await expect(readWhereHashing(error)).rejects.toMatchObject(failure);
});

describe.each([
  ['held by descriptors', true],
  ['looked at before and after', false],
])('of folders that are %s', (_, byDescriptor) => {
  /** As long as the one that lies there, and of the same moment. */
  const [own, foreign] = ['the own plan', 'somebody’s'].map(text => Buffer.from(text)) as [Buffer, Buffer];

  test.each(['openFolder', 'hash'])(
    'none that is exchanged for a link before %s has a file from elsewhere read',
    async when => {
      const outside = join(bed.root, 'outside');
      const sub = join(bed.root, 'drop/A/sub');
      await bed.drop('A/1.pdf', 'another');
      await bed.drop('A/sub/2.pdf', own);
      await mkdir(outside);
      await writeFile(join(outside, '2.pdf'), foreign);
      for (const path of [join(sub, '2.pdf'), join(outside, '2.pdf')]) await utimes(path, 1_000, 1_000);
      let isArmed = false;
      let swaps = 0;
      const swap = async (path: unknown) => {
        if (!isArmed || !String(path).endsWith('/sub') || swaps++ > 0) return;
        await rename(sub, `${sub}-away`);
        await symlink(outside, sub);
      };
      const fs = createFaultyFs(
        async (operation, _base, path) => {
          if (operation === when) await swap(path);
        },
        { byDescriptor },
      );
      const read: string[] = [];
      const hasher: FileHasher = {
        hashFile: async (path, input) => {
          if (when === 'hash' && (await realpath(path)).endsWith('2.pdf')) await swap(sub);
          const hashed = await simpleHasher.hashFile(path, input);
          read.push(hashed.sha256);
          return hashed;
        },
      };
      const folder = { fs, root: bed.root, base: join(bed.root, 'drop'), name: 'A' };
      const { manifests } = await readTriedJob(
        folder,
        {
          config: bed.config,
          hasher,
          onRegister: () => {
            isArmed = true;
          },
        },
        AbortSignal.timeout(60_000),
      );
      expect(swaps).toBe(1);
      const files = manifests.flatMap(manifest => manifest.files);
      const [other, exchanged] = files.map(({ sha256, refused }) => sha256 ?? refused?.code);
      expect(other).toBe(hash('sha256', 'another'));
      // What a link leads to is never told, and is not even read where the folder is held.
      if (byDescriptor) expect(read).not.toContain(hash('sha256', foreign));
      expect(exchanged).toBe(
        when === 'openFolder' ? 'unreadable-file' : byDescriptor ? hash('sha256', own) : 'keeps-changing',
      );
    },
  );
});
