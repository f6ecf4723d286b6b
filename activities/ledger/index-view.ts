// An index as it stood at one moment: its files held open, so that it stays whole while a newer one is made.
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type IndexHead, LOG_NAME } from './index-head';
import type { LedgerDocument } from './index-keys';
import { bytesOfRows, findPlaces, type KeyFile } from './key-rows';

/** Longer than an entry is in nearly all cases; what is longer costs another look. */
const FIRST_READ_BYTES = 2_048;
const MOST_ENTRY_BYTES = 1024 ** 2;

/** The index cannot be what its head says: it is built anew from the shares. */
export class IndexDamagedError extends Error {
  override readonly name = 'IndexDamagedError';
  readonly code = 'index-damaged';
}

export class IndexView {
  readonly head: IndexHead;
  readonly #log: FileHandle | undefined;
  readonly #keyFiles: readonly KeyFile[];
  #users = 1;

  private constructor(head: IndexHead, log: FileHandle | undefined, keyFiles: readonly KeyFile[]) {
    this.head = head;
    this.#log = log;
    this.#keyFiles = keyFiles;
  }

  /** @throws IndexDamagedError when a file is missing or too short. */
  static async open(folder: string, head: IndexHead): Promise<IndexView> {
    const opened: FileHandle[] = [];
    const openFile = async (name: string, bytes: number) => {
      const file = await open(join(folder, name), 'r');
      opened.push(file);
      const { size } = await file.stat();
      if (size < bytes) throw new RangeError(`${name} is shorter than was said.`);
      return file;
    };
    try {
      const log = head.logBytes === 0 ? undefined : await openFile(LOG_NAME, head.logBytes);
      const keyFiles: KeyFile[] = [];
      for (const { name, rows } of head.keyFiles) {
        keyFiles.push({ file: await openFile(name, bytesOfRows(rows)), rows });
      }
      return new IndexView(head, log, keyFiles);
    } catch (error) {
      for (const file of opened) await file.close();
      throw new IndexDamagedError('A file of the index is missing or too short.', { cause: error });
    }
  }

  /** Keeps the files open until `release`, whoever else is done with them. */
  use(): this {
    this.#users += 1;
    return this;
  }

  async release(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    await this.#log?.close();
    for (const { file } of this.#keyFiles) await file.close();
  }

  get keyFiles(): readonly KeyFile[] {
    return this.#keyFiles;
  }

  /**
   * Documents with this key, in the order they were added; the last ones, where there are more than `most`.
   * They may be of other texts with the same key: the caller compares.
   */
  async find(key: number, most: number): Promise<LedgerDocument[]> {
    const found = await Promise.all(this.#keyFiles.map(keyFile => findPlaces(keyFile, key, most)));
    return await Promise.all(
      found
        .flat()
        .slice(-most)
        .map(place => this.#read(place)),
    ).catch(error => {
      throw error instanceof IndexDamagedError
        ? error
        : new IndexDamagedError('The index cannot be read.', { cause: error });
    });
  }

  async #read(place: number): Promise<LedgerDocument> {
    for (let bytes = FIRST_READ_BYTES; bytes <= MOST_ENTRY_BYTES; bytes *= 8) {
      const size = Math.min(bytes, this.head.logBytes - place);
      const buffer = Buffer.allocUnsafe(Math.max(0, size));
      const read = await this.#log?.read(buffer, 0, buffer.length, place);
      const end = buffer.subarray(0, read?.bytesRead ?? 0).indexOf(0x0a);
      if (end >= 0) return JSON.parse(buffer.toString('utf8', 0, end)) as LedgerDocument;
    }
    throw new IndexDamagedError('The log of the index has no document where one should be.');
  }
}

/** Changes whenever a head is written; undefined when there is none. */
export async function stampOf(path: string): Promise<string | undefined> {
  return await stat(path, { bigint: true }).then(
    ({ ino, mtimeNs }) => `${ino} ${mtimeNs}`,
    () => undefined,
  );
}
