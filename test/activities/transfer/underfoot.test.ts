// A file that changes underfoot, between its hashing and its report, is never completed: in every way that
// leaves its size and its time as they were, and at a storage that notices nothing.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, readFile, rename, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import type { FileToSend } from '../../../activities/transfer/ports';
import { etagOf } from './fake-storage-server';
import { hashSample, SAMPLE_KEY } from './sample-files';
import { TransferBed } from './transfer-bed';

const MEBIBYTE = 1024 * 1024;
const SIZE = 4 * MEBIBYTE;
/** In the second of two segments. */
const AT = 3 * MEBIBYTE + 5;
const HAS_PYTHON = spawnSync('python3', ['-c', 'import mmap']).status === 0;

let bed: TransferBed;
const opened: FileHandle[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  bed = await TransferBed.create();
  // The service would refuse other ETags than those of the declared bytes; here it is of no help.
  bed.server.etagFor = path => {
    const [, id = '', segment] = path.split('/');
    return `"${etagOf(bed.sessions.session(id).file.segments[Number(segment)]!.sha256)}"`;
  };
});

afterEach(async () => {
  for (const handle of opened.splice(0)) await handle.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await bed.close();
});

/** What was got hold of before the file was hashed, and what is done with it afterwards. */
type Way = (path: string) => Promise<() => Promise<void>>;

const OTHER_BYTES: Record<string, Way> = {
  'written in place': async path => async () => {
    const handle = await open(path, 'r+');
    await handle.write('x', AT);
    await handle.close();
  },
  'written through a descriptor that was open before': async path => {
    const handle = await open(path, 'r+');
    opened.push(handle);
    return async () => {
      await handle.write('x', AT);
    };
  },
  'cut short and filled up again': async path => async () => {
    await truncate(path, AT);
    await truncate(path, SIZE);
  },
  'replaced by another of the same size': async path => async () => {
    await writeFile(`${path}.new`, Buffer.alloc(SIZE, 'z'));
    await rename(`${path}.new`, path);
  },
};

async function mapped(path: string): Promise<() => Promise<void>> {
  // The page is written to before: until it lies on disk, the next store changes no time of the file.
  const script = `
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    memory = mmap.mmap(file.fileno(), 0)
    for at in (${AT} + 1, ${AT}):
        memory[at] = 120
        print('stored', flush=True)
        sys.stdin.readline()
`;
  const child = spawn('python3', ['-c', script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return async () => {
    const stored = once(child.stdout, 'data');
    child.stdin.write('\n');
    await stored;
  };
}

/** Done so that size and times of content are those that were hashed. */
async function unseen(path: string, change: () => Promise<void>): Promise<void> {
  const { atime, mtime } = await stat(path);
  await change();
  await utimes(path, atime, mtime);
}

const KNOWN_BY: [string, Buffer | undefined][] = [
  ['the seals of its bytes', SAMPLE_KEY],
  ['its SHA-256', undefined],
];

describe.each(KNOWN_BY)('a file that is known by %s', (_, sealKey) => {
  const ways: [string, Way][] = Object.entries(OTHER_BYTES);

  test.each(ways)('and is %s before it is sent is refused, never reported', async (_, way) => {
    const { file, change } = await prepare(sealKey, way);
    await change();
    expect(await outcomeOf(file)).toBe('file-changed');
    expect(bed.sessions.count('report')).toBe(0);
  });

  test.each(ways)('and is %s while it is sent is refused, never reported', async (_, way) => {
    const { file, change } = await prepare(sealKey, way);
    bed.server.addFault({ kind: 'do', action: change }, { path: '/s1/0' });
    expect(await outcomeOf(file)).toBe('file-changed');
    expect(bed.sessions.count('report')).toBe(0);
  });

  (HAS_PYTHON ? test : test.skip)('and is written through memory that it is mapped to', async () => {
    const { file, change } = await prepare(sealKey, mapped);
    await change();
    expect(await outcomeOf(file)).toBe('file-changed');
    expect(bed.sessions.count('report')).toBe(0);
  });

  test('and is cut short and restored with the same bytes goes on', async () => {
    const { file, change } = await prepare(sealKey, async path => {
      const bytes = await readFile(path);
      return async () => {
        await truncate(path, 0);
        await writeFile(path, bytes);
      };
    });
    await change();
    expect(await outcomeOf(file)).toBe('available');
    expect(bed.taken('s1')).toEqual(file.segments.map(({ sha256 }) => sha256));
  });
});

async function prepare(
  sealKey: Buffer | undefined,
  way: Way,
): Promise<{ file: FileToSend; change: () => Promise<void> }> {
  const plain = await bed.folder.file('underfoot.bin', SIZE, 2 * MEBIBYTE);
  const change = await way(plain.path);
  const file = await hashSample(bed.hashing, plain, sealKey);
  return { file, change: () => unseen(plain.path, change) };
}

async function outcomeOf(file: FileToSend): Promise<string> {
  const outcome = (await bed.transfer([file], { limits: { connections: 1 } })).get(0);
  return outcome?.kind === 'refused' ? outcome.reason : String(outcome?.kind);
}
