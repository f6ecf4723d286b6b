// What a power cut would leave: bytes are on disk before their name is, names are on disk when
// an operation returns, and what people read is there before what it speaks of. Seen through
// the share's port, and below it.
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createNodeShareFs, type ShareFs } from '../../../activities/share/files/share-fs';
import { writeOnce, writeOver } from '../../../activities/share/files/write-whole';
import { claimAll, createTestBed, submitted, type TestBed } from './share-test-bed';

interface Step {
  readonly operation: string;
  /** As they were called, descriptors resolved. */
  readonly paths: readonly string[];
}

/** The real file operations, each noted once it has succeeded. */
function trace(steps: Step[]): ShareFs {
  const real = createNodeShareFs();
  const traced = Object.entries(real).map(([operation, run]) => [
    operation,
    operation === 'entries'
      ? run
      : async (...input: unknown[]) => {
          const result = await (run as (...input: unknown[]) => Promise<unknown>)(...input);
          steps.push({ operation, paths: input.slice(0, 2).map(String) });
          return result;
        },
  ]);
  return Object.fromEntries(traced) as ShareFs;
}

/** Folders in which a name of ours came to be that a power cut could still take away. */
function notSynced(steps: readonly Step[]): string[] {
  const dirty = new Set<string>();
  for (const { operation, paths } of steps) {
    const [first = '', second = ''] = paths;
    if (operation === 'syncFolder') dirty.delete(first);
    const made =
      operation === 'makeFolder'
        ? first
        : operation === 'rename' || operation === 'link' || operation === 'makeFolders'
          ? second
          : '';
    // Locks and unfinished files may go.
    if (made !== '' && !/^\.tmp-|\.lock$/.test(basename(made))) dirty.add(dirname(made));
  }
  return [...dirty];
}

let bed: TestBed;
let steps: Step[];

beforeEach(async () => {
  bed = await createTestBed();
  steps = [];
});

afterEach(async () => {
  await bed.remove();
});

async function openTraced() {
  const share = await bed.open({}, { fs: trace(steps) });
  steps.length = 0;
  return share;
}

describe('names are on disk when an operation returns', () => {
  test.each([
    ['writeOnce', writeOnce],
    ['writeOver', writeOver],
  ])('%s', async (_, write) => {
    await write(trace(steps), join(bed.root, 'file'), 'text');
    expect(notSynced(steps)).toEqual([]);
    expect(steps.at(-1)).toEqual({ operation: 'syncFolder', paths: [bed.root] });
  });

  test('a claim and its manifest', async () => {
    await bed.drop('Package A/a.pdf');
    const share = await openTraced();
    await claimAll(share);
    expect(steps.some(({ operation }) => operation === 'rename')).toBe(true);
    expect(notSynced(steps)).toEqual([]);
  });

  test('a record of the journal, the first and the next', async () => {
    await bed.drop('a.pdf');
    const share = await openTraced();
    const { batchId } = await claimAll(share);
    for (const kind of ['created', 'intent'] as const) {
      steps.length = 0;
      await share.appendRecord(batchId, { kind, uploads: [{ index: 0, uploadId: 'U0' as never }] });
      expect(notSynced(steps)).toEqual([]);
      expect(steps.at(-1)?.operation).toBe('syncFolder');
    }
  });

  test('receipts, documents where they ended, and the batch put away', async () => {
    await bed.drop('Package A/a.pdf');
    await bed.drop('b.pdf');
    const share = await openTraced();
    const { batchId } = await claimAll(share);
    steps.length = 0;
    await share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
    expect(await bed.list(`done/${batchId}`)).toContain('b.pdf');
    expect(notSynced(steps)).toEqual([]);
  });
});

test('people find the receipt before the first file that it speaks of', async () => {
  await bed.drop('Package A/a.pdf');
  await bed.drop('b.pdf');
  const share = await openTraced();
  const { batchId } = await claimAll(share);
  steps.length = 0;
  await share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
  const cameToBe = (name: string) =>
    steps.findIndex(
      ({ operation, paths }) =>
        (operation === 'link' || operation === 'rename') &&
        paths[1]?.includes(`/done/${batchId}`) === true &&
        basename(paths[1]) === name,
    );
  const receipts = ['receipt.csv', 'receipt.json'].map(cameToBe);
  const documents = ['a.pdf', 'b.pdf'].map(cameToBe);
  expect(Math.min(...receipts, ...documents)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...receipts)).toBeLessThan(Math.min(...documents));
  const kept = steps.findIndex(({ paths }) => paths.some(path => path.endsWith(`${batchId}/receipt.json`)));
  expect(kept).toBeLessThan(Math.min(...receipts));
});

describe('below the port, bytes are on disk before anybody may give them a name', () => {
  /** What happens to file handles, in order. */
  async function watchHandles(work: (fs: ShareFs, folder: string) => Promise<void>): Promise<string[]> {
    const folder = await mkdtemp(join(tmpdir(), 'drawbridge-sync-'));
    const probe = await open(folder, 'r');
    const prototype = Object.getPrototypeOf(probe) as Record<'sync' | 'writeFile' | 'utimes', () => unknown>;
    await probe.close();
    const seen: string[] = [];
    const spies = (['sync', 'writeFile', 'utimes'] as const).map(name => {
      const real = prototype[name];
      return jest.spyOn(prototype, name).mockImplementation(async function (this: unknown, ...input) {
        const result = await (real as (...input: unknown[]) => unknown).apply(this, input);
        seen.push(name);
        return result;
      });
    });
    try {
      await work(createNodeShareFs(), folder);
      return seen;
    } finally {
      for (const spy of spies) spy.mockRestore();
      await rm(folder, { recursive: true, force: true });
    }
  }

  test('a file that is written', async () => {
    const seen = await watchHandles(async (fs, folder) => await fs.writeNew(join(folder, 'new'), 'text'));
    expect(seen).toEqual(['writeFile', 'sync']);
  });

  test('a file that is copied, its times with it', async () => {
    const seen = await watchHandles(async (fs, folder) => {
      await writeFile(join(folder, 'from'), 'text');
      await fs.copyNew(join(folder, 'from'), join(folder, 'to'));
      expect(await readFile(join(folder, 'to'), 'utf8')).toBe('text');
    });
    expect(seen).toEqual(['writeFile', 'utimes', 'sync']);
  });

  test('a folder that is synced', async () => {
    expect(await watchHandles(async (fs, folder) => await fs.syncFolder(folder))).toEqual(['sync']);
  });
});

test('a pipe that somebody puts in the place of a folder holds up nobody', async () => {
  const pipe = join(bed.root, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const syncing = createNodeShareFs()
    .syncFolder(pipe)
    .then(
      () => 'synced',
      error => (error as NodeJS.ErrnoException).code,
    );
  try {
    expect(await Promise.race([syncing, delay(10_000, 'stands still', { ref: false })])).toBe('ENOTDIR');
  } finally {
    // Ends the opening, should there be one that waits for a writer.
    await (await open(pipe, constants.O_RDWR | constants.O_NONBLOCK)).close();
  }
});
