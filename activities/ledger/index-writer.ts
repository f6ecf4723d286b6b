// Adds records to an index, and makes them count from time to time. Only the holder of its lock has a writer.
import { randomInt } from 'node:crypto';
import { type FileHandle, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { HeldLock } from '../host/process-lock';
import type { LedgerRecord } from '../share/ledger/ledger-record';
import { type IndexHead, LOG_NAME, writeHead } from './index-head';
import { keyOfRecord, keysOfDocument, type LedgerDocument } from './index-keys';
import { IndexView } from './index-view';
import { bytesOfRows, mergeKeyFiles, RowBuffer, writeKeyFile } from './key-rows';

/** Rows held in memory at most, of 16 bytes each. A document has up to five, and each record one more. */
const MOST_ROWS = 300_000;
const MOST_ROWS_OF_RECORD = 1_000;
const MOST_LOG_BYTES = 4 * 1024 ** 2;
/**
 * A file of keys is merged with the one before it unless that is so many times larger: a few files remain.
 */
const GROWTH = 8;
/** What follows the number of a file of keys: of one length, so that two numbers never make one name. */
const [LEAST, MOST] = [100_000_000, 1_000_000_000];

export class IndexWriter {
  readonly #folder: string;
  readonly #lock: Pick<HeldLock, 'isHeld'>;
  readonly #log: FileHandle;
  readonly #rows = new RowBuffer(MOST_ROWS);
  #lines: string[] = [];
  #lineBytes = 0;
  #written: number;
  /**
   * The head that the next commit writes: it counts what was added already, which may not be in the files
   * yet.
   */
  #head: IndexHead;
  /** Rows were lost between memory and disk: a head written now would name records that are not here. */
  #hasLostRows = false;

  private constructor(folder: string, lock: Pick<HeldLock, 'isHeld'>, log: FileHandle, head: IndexHead) {
    this.#folder = folder;
    this.#lock = lock;
    this.#log = log;
    this.#head = head;
    this.#written = head.logBytes;
  }

  static async open(folder: string, head: IndexHead, lock: Pick<HeldLock, 'isHeld'>): Promise<IndexWriter> {
    const path = join(folder, LOG_NAME);
    // Removed rather than emptied: somebody may have the one of an earlier index open.
    if (head.logBytes === 0) await unlink(path).catch(() => undefined);
    const log = await open(path, head.logBytes === 0 ? 'wx' : 'r+', 0o600);
    return new IndexWriter(folder, lock, log, head);
  }

  get head(): IndexHead {
    return this.#head;
  }

  /** Nothing more can be committed: what was committed before stands, the rest has to be read again. */
  get hasLostRows(): boolean {
    return this.#hasLostRows;
  }

  async close(): Promise<void> {
    await this.#log.close();
  }

  async add(share: string, { entries, ...common }: LedgerRecord): Promise<void> {
    if (!this.#rows.hasRoomFor(MOST_ROWS_OF_RECORD)) await this.commit();
    const first = this.#written + this.#lineBytes;
    for (const entry of entries) {
      const document: LedgerDocument = { ...entry, ...common, share };
      const place = this.#written + this.#lineBytes;
      const line = `${JSON.stringify(document)}\n`;
      for (const key of keysOfDocument(document)) this.#rows.add(key, place);
      this.#lines.push(line);
      this.#lineBytes += Buffer.byteLength(line);
    }
    this.#rows.add(keyOfRecord(share, common), first);
    const { records, documents } = this.#head;
    this.#head = { ...this.#head, records: records + 1, documents: documents + entries.length };
    if (this.#lineBytes >= MOST_LOG_BYTES) await this.#writeLines();
  }

  /** What was found out about a share; counts with the next commit. */
  note(share: string, what: IndexHead['shares'][string]): void {
    this.#head = { ...this.#head, shares: { ...this.#head.shares, [share]: what } };
  }

  /** All that was added is on disk and counts when it returns. */
  async commit(): Promise<void> {
    if (this.#hasLostRows) throw new Error('The index could not be written; it is to be opened anew.');
    await this.#writeLines();
    if (this.#rows.count > 0) await this.#writeRows();
    await this.#requireLock();
    await writeHead(this.#folder, this.#head);
    await this.#removeOthers();
  }

  /** Somebody else has the files when this process stood still for so long that it was thought dead. */
  async #requireLock(): Promise<void> {
    if (await this.#lock.isHeld()) return;
    throw new Error('The lock of the index was taken over by another process.');
  }

  async #writeLines(): Promise<void> {
    await this.#requireLock();
    const bytes = Buffer.from(this.#lines.join(''));
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await this.#log.write(bytes, from, bytes.length - from, this.#written + from);
      from += bytesWritten;
    }
    this.#written += bytes.length;
    this.#lines = [];
    this.#lineBytes = 0;
  }

  async #writeRows(): Promise<void> {
    await this.#log.sync();
    const rows = this.#rows.count;
    const sorted = this.#rows.takeSorted();
    this.#hasLostRows = true;
    const name = await this.#makeFile(path => writeKeyFile(path, sorted));
    this.#hasLostRows = false;
    const keyFiles = [...this.#head.keyFiles, { name, rows }];
    this.#head = { ...this.#head, logBytes: this.#written, keyFiles };
    for (;;) {
      const [older, newer] = this.#head.keyFiles.slice(-2);
      if (older === undefined || newer === undefined || older.rows > newer.rows * GROWTH) return;
      await this.#mergeLastTwo(older, newer);
    }
  }

  async #mergeLastTwo(...two: IndexHead['keyFiles'][number][]): Promise<void> {
    const view = await IndexView.open(this.#folder, { ...this.#head, logBytes: 0, keyFiles: two });
    try {
      const [older, newer] = view.keyFiles;
      if (older === undefined || newer === undefined) return;
      const name = await this.#makeFile(path => mergeKeyFiles(path, older, newer));
      const merged = { name, rows: older.rows + newer.rows };
      this.#head = { ...this.#head, keyFiles: [...this.#head.keyFiles.slice(0, -2), merged] };
    } finally {
      await view.release();
    }
  }

  async #makeFile(write: (path: string) => Promise<void>): Promise<string> {
    await this.#requireLock();
    // Of no other process that counts from the same head: it may have been thought dead, and go on writing.
    const name = `${this.#head.next}${randomInt(LEAST, MOST)}.keys`;
    this.#head = { ...this.#head, next: this.#head.next + 1 };
    const path = join(this.#folder, name);
    try {
      await write(path);
    } catch (error) {
      // No later try writes over it, and the disk may be full.
      await unlink(path).catch(() => undefined);
      throw error;
    }
    return name;
  }

  /** Removes files of keys that no longer count. Whoever reads them still has them open. */
  async #removeOthers(): Promise<void> {
    const kept = new Set(this.#head.keyFiles.map(({ name }) => name));
    for (const name of await readdir(this.#folder)) {
      if (name.endsWith('.keys') && !kept.has(name)) {
        await unlink(join(this.#folder, name)).catch(() => undefined);
      }
    }
  }
}

/** How much of the disk an index needs. */
export function sizeOf({ logBytes, keyFiles }: IndexHead): number {
  return keyFiles.reduce((sum, { rows }) => sum + bytesOfRows(rows), logBytes);
}
