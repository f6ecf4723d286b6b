// Sorted rows of keys are found again, however many there are, alike or unevenly spread.
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { KEY_LIMIT } from '../../../activities/ledger/index-keys';
import {
  findPlaces,
  type KeyFile,
  mergeKeyFiles,
  RowBuffer,
  writeKeyFile,
} from '../../../activities/ledger/key-rows';

let folder: string;
let made = 0;
const files: KeyFile[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drawbridge-keys-'));
});

afterEach(async () => {
  for (const { file } of files.splice(0)) await file.close();
  await rm(folder, { recursive: true, force: true });
});

const newPath = () => {
  made += 1;
  return join(folder, `${made}.keys`);
};

async function opened(path: string, rows: number): Promise<KeyFile> {
  const keyFile = { file: await open(path, 'r'), rows };
  files.push(keyFile);
  return keyFile;
}

/** Each key stands for the place of its number in the list. */
async function written(keys: readonly number[], firstPlace = 0): Promise<KeyFile> {
  const buffer = new RowBuffer(keys.length);
  for (const [place, key] of keys.entries()) buffer.add(key, firstPlace + place);
  const path = newPath();
  await writeKeyFile(path, buffer.takeSorted());
  return await opened(path, keys.length);
}

const placesOf = (keys: readonly number[], wanted: number) =>
  keys.flatMap((key, place) => (key === wanted ? [place] : []));

const aKey = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.maxSafeNat().map(number => number % KEY_LIMIT),
  fc.constantFrom(0, KEY_LIMIT - 1),
);

test('finds every row of a key in the order they came, and none of a key that is not there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aKey, { maxLength: 60 }), aKey, async (keys, other) => {
      const keyFile = await written(keys);
      for (const key of new Set([...keys, other])) {
        expect(await findPlaces(keyFile, key, 1_000)).toEqual(placesOf(keys, key));
      }
    }),
    { numRuns: 40 },
  );
});

test.each([
  ['evenly spread', (row: number) => row * 1_000_003 * 7_001],
  ['all below a thousandth of what keys can be', (row: number) => row * 3],
  ['all alike but few', (row: number) => (row % 500 === 0 ? row : 77_777)],
  ['of two kinds', (row: number) => (row % 2) * (KEY_LIMIT - 1)],
])('finds rows among many that are %s', async (_, toKey) => {
  const keys = Array.from({ length: 20_000 }, (_row, row) => toKey(row) % KEY_LIMIT);
  const keyFile = await written(keys);
  for (const key of [keys[0], keys[500], keys[9_999], keys[10_000], keys[19_999], 1, KEY_LIMIT - 2]) {
    expect(await findPlaces(keyFile, key ?? 0, 100_000)).toEqual(placesOf(keys, key ?? 0));
  }
});

test('gives the last of very many rows of one key', async () => {
  const keyFile = await written(Array.from({ length: 5_000 }, () => 42));
  expect(await findPlaces(keyFile, 42, 3)).toEqual([4_997, 4_998, 4_999]);
});

test('a buffer takes memory for what is in it, not for what may come, and none when it is emptied', () => {
  const before = process.memoryUsage().arrayBuffers;
  const taken = () => process.memoryUsage().arrayBuffers - before;
  const buffers = Array.from({ length: 200 }, () => new RowBuffer(300_000));
  expect(taken()).toBeLessThan(64 * 1_024);
  const [first = new RowBuffer(0)] = buffers;
  for (let row = 0; row < 300_000; row += 1) {
    expect(first.hasRoomFor(300_000 - row) && !first.hasRoomFor(300_001 - row)).toBe(true);
    first.add(row, row);
  }
  expect(first.takeSorted()).toHaveLength(300_000 * 12);
  expect([first.count, first.hasRoomFor(300_000)]).toEqual([0, true]);
});

test('looks at few rows for a key among many', async () => {
  const keyFile = await written(
    Array.from({ length: 100_000 }, (_, row) => Number((BigInt(row) * 0x9e3779b97f4an) % BigInt(KEY_LIMIT))),
  );
  let bytes = 0;
  const counting = {
    rows: keyFile.rows,
    file: {
      read: async (buffer: Buffer, offset: number, length: number, position: number) => {
        bytes += length;
        return await keyFile.file.read(buffer, offset, length, position);
      },
    } as unknown as KeyFile['file'],
  };
  expect(await findPlaces(counting, Number((77n * 0x9e3779b97f4an) % BigInt(KEY_LIMIT)), 10)).toEqual([77]);
  expect(bytes).toBeLessThan(20_000);
});

test('two merged files hold the rows of both, the older first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aKey, { maxLength: 60 }),
      fc.array(aKey, { maxLength: 60 }),
      async (one, other) => {
        const path = newPath();
        await mergeKeyFiles(path, await written(one), await written(other, one.length));
        const both = [...one, ...other];
        const merged = await opened(path, both.length);
        for (const key of new Set(both)) {
          expect(await findPlaces(merged, key, 1_000)).toEqual(placesOf(both, key));
        }
        expect((await merged.file.stat()).size).toBe(both.length * 12);
      },
    ),
    { numRuns: 40 },
  );
});

test('merges files that are longer than what it holds of each', async () => {
  const [one, other] = [
    Array.from({ length: 40_000 }, (_, row) => row * 2),
    Array.from({ length: 17_000 }, (_, row) => row * 3),
  ];
  const path = newPath();
  await mergeKeyFiles(path, await written(one), await written(other, one.length));
  const merged = await opened(path, one.length + other.length);
  for (const key of [0, 1, 2, 3, 6, 32_768, 50_997, 79_998, 80_000]) {
    expect(await findPlaces(merged, key, 10)).toEqual(placesOf([...one, ...other], key));
  }
});

test('a file that is shorter than was said is an error, never a key that is not there', async () => {
  const keyFile = await written([1, 2, 3]);
  await expect(findPlaces({ ...keyFile, rows: 4 }, 3, 10)).rejects.toThrow('shorter');
});
