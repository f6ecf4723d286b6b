// Sorted files of keys: rows of 12 bytes, a key and where its document stands in the log, each 48 bits. A
// file is written once and never changed; what is new goes into a file of its own, and files of like size are
// merged.
import { type FileHandle, open } from 'node:fs/promises';
import { KEY_LIMIT } from './index-keys';

const ROW_BYTES = 12;
/** Rows that one look reads: keys are hashes, so their place is known to a fraction of a percent. */
const WINDOW = 512;
/** Rows that a merge holds of each file. */
const CHUNK = 16_384;

export interface KeyFile {
  readonly file: FileHandle;
  readonly rows: number;
}

/** Rows that a buffer begins with. */
const FIRST_ROWS = 1_024;

/** Rows on their way to a file. Its memory grows with their number, for most ledgers have nothing new. */
export class RowBuffer {
  readonly #most: number;
  #keys = new Float64Array(0);
  #places = new Float64Array(0);
  #count = 0;

  /** @param most rows that it may hold. */
  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  hasRoomFor(count: number): boolean {
    return this.#count + count <= this.#most;
  }

  add(key: number, place: number): void {
    if (this.#count === this.#keys.length) this.#grow();
    this.#keys[this.#count] = key;
    this.#places[this.#count] = place;
    this.#count += 1;
  }

  #grow(): void {
    const rows = Math.max(FIRST_ROWS, Math.min(this.#count * 2, this.#most));
    this.#keys = larger(this.#keys, rows);
    this.#places = larger(this.#places, rows);
  }

  /** Empties it into bytes, by key and then in the order they came. */
  takeSorted(): Buffer {
    const [keys, places] = [this.#keys, this.#places];
    const order = Uint32Array.from({ length: this.#count }, (_, at) => at);
    // Stable: rows of one key stay in the order they came.
    order.sort((one, other) => at(keys, one) - at(keys, other));
    const bytes = Buffer.allocUnsafe(this.#count * ROW_BYTES);
    order.forEach((from, row) => {
      bytes.writeUIntBE(at(keys, from), row * ROW_BYTES, 6);
      bytes.writeUIntBE(at(places, from), row * ROW_BYTES + 6, 6);
    });
    this.#count = 0;
    this.#keys = new Float64Array(0);
    this.#places = new Float64Array(0);
    return bytes;
  }
}

function larger(numbers: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const copy = new Float64Array(length);
  copy.set(numbers);
  return copy;
}

export function bytesOfRows(rows: number): number {
  return rows * ROW_BYTES;
}

/** The places of a key, those that came last at the end; of very many, the last ones. */
export async function findPlaces(keyFile: KeyFile, key: number, most: number): Promise<number[]> {
  const { row: from, rows, at } = await findFirst(keyFile, key);
  // Nearly always the window that the search ended with has all of them.
  const end = from - at + bytesToRows(rows);
  let to = from;
  while (to < end && keyAt(rows, to - from + at) === key) to += 1;
  if (to < end) return placesIn(rows.subarray(bytesOfRows(at), bytesOfRows(at + to - from)), most);
  to = (await findFirst(keyFile, key + 1, { row: to })).row;
  const start = Math.max(from, to - most);
  return placesIn(await readRows(keyFile, start, to - start), most);
}

interface Found {
  readonly row: number;
  /**
   * The window of rows that was read last. `row` is number `at` in it; the window is empty at the end of the
   * file.
   */
  readonly rows: Buffer;
  readonly at: number;
}

/**
 * The first row whose key is not below `key`. Each second look halves what is left, so that it ends soon
 * whatever the keys are.
 * @param near the first row it can be; it is most likely soon after that.
 */
async function findFirst(keyFile: KeyFile, key: number, near?: { readonly row: number }): Promise<Found> {
  let [low, high] = [near?.row ?? 0, keyFile.rows];
  let [lowKey, highKey] = [0, KEY_LIMIT];
  for (let look = 0; low < high; look += 1) {
    const expected = near === undefined ? (key - lowKey) / Math.max(1, highKey - lowKey) : 0;
    const share = look % 2 === 1 ? 0.5 : expected;
    const guess = low + Math.floor(share * (high - low)) - WINDOW / 2;
    const start = Math.max(low, Math.min(guess, high - WINDOW));
    const count = Math.min(WINDOW, high - start);
    const rows = await readRows(keyFile, start, count);
    if (keyAt(rows, count - 1) < key) {
      [low, lowKey] = [start + count, keyAt(rows, count - 1)];
    } else if (keyAt(rows, 0) >= key && start > low) {
      [high, highKey] = [start, keyAt(rows, 0)];
    } else {
      let at = 0;
      while (keyAt(rows, at) < key) at += 1;
      return { row: start + at, rows, at };
    }
  }
  return { row: low, rows: Buffer.alloc(0), at: 0 };
}

function bytesToRows(rows: Buffer): number {
  return rows.length / ROW_BYTES;
}

function placesIn(rows: Buffer, most: number): number[] {
  const count = bytesToRows(rows);
  const first = Math.max(0, count - most);
  return Array.from({ length: count - first }, (_, row) => placeAt(rows, first + row));
}

/** Writes rows to a new file; on disk when it returns. */
export async function writeKeyFile(path: string, rows: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(rows);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Merges two files into a new one, in little memory; of equal keys, those of `older` come first. */
export async function mergeKeyFiles(path: string, older: KeyFile, newer: KeyFile): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    const [left, right] = [new RowStream(older), new RowStream(newer)];
    const out = Buffer.allocUnsafe(CHUNK * ROW_BYTES);
    let filled = 0;
    for (;;) {
      const [hasLeft, hasRight] = [await left.fill(), await right.fill()];
      if (!hasLeft && !hasRight) break;
      while (filled < out.length && (left.hasRow || right.hasRow) && !left.isDry && !right.isDry) {
        (left.key <= right.key ? left : right).moveTo(out, filled);
        filled += ROW_BYTES;
      }
      if (filled === out.length) {
        await file.write(out, 0, filled);
        filled = 0;
      }
    }
    await file.write(out, 0, filled);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** One file read from its beginning to its end; after the end its key is above all others. */
class RowStream {
  readonly #keyFile: KeyFile;
  #bytes: Buffer = Buffer.alloc(0);
  #row = 0;
  #next = 0;

  constructor(keyFile: KeyFile) {
    this.#keyFile = keyFile;
  }

  /** Makes sure that a row is ready. @returns false at the end. */
  async fill(): Promise<boolean> {
    if (this.hasRow) return true;
    const count = Math.min(CHUNK, this.#keyFile.rows - this.#next);
    this.#bytes = await readRows(this.#keyFile, this.#next, count);
    this.#next += count;
    this.#row = 0;
    return count > 0;
  }

  get hasRow(): boolean {
    return this.#row * ROW_BYTES < this.#bytes.length;
  }

  /** Nothing is left of what was read, but there is more. */
  get isDry(): boolean {
    return !this.hasRow && this.#next < this.#keyFile.rows;
  }

  get key(): number {
    return this.hasRow ? keyAt(this.#bytes, this.#row) : KEY_LIMIT;
  }

  moveTo(out: Buffer, at: number): void {
    this.#bytes.copy(out, at, this.#row * ROW_BYTES, (this.#row + 1) * ROW_BYTES);
    this.#row += 1;
  }
}

/** @throws RangeError when the file is shorter than was said. */
async function readRows({ file }: KeyFile, start: number, count: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(count * ROW_BYTES);
  if (count === 0) return bytes;
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start * ROW_BYTES);
  if (bytesRead < bytes.length) throw new RangeError('A file of keys is shorter than was said.');
  return bytes;
}

function keyAt(bytes: Buffer, row: number): number {
  return bytes.readUIntBE(row * ROW_BYTES, 6);
}

function placeAt(bytes: Buffer, row: number): number {
  return bytes.readUIntBE(row * ROW_BYTES + 6, 6);
}

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0;
}
