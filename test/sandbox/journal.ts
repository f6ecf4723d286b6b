/**
 * Durable state: every changed record is appended as one JSON line, read back at start, compacted then.
 * What was flushed before an answer went out survives kill -9, since the lines are with the operating system.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

interface Line {
  kind: string;
  id: string;
  /** null: the record is gone. */
  value: { id: string } | null;
}

/** The records of all collections, in memory and, when a path is given, in one file. */
export class Journal {
  private readonly collections = new Map<string, Collection<{ id: string }>>();
  private readonly dirty = new Map<string, Line>();
  private readonly path: string | null;
  private descriptor: number | null = null;

  constructor(path: string | null) {
    this.path = path;
  }

  /** A collection of this journal; to be called for every kind before `load`. */
  collection<T extends { id: string }>(kind: string): Collection<T> {
    const collection = new Collection<T>(line => this.dirty.set(`${kind}/${line.id}`, { kind, ...line }));
    this.collections.set(kind, collection as unknown as Collection<{ id: string }>);
    return collection;
  }

  /** Reads what an earlier process left, then rewrites the file without what has been overtaken. */
  load(): void {
    if (this.path === null) return;
    mkdirSync(dirname(this.path), { recursive: true });
    if (existsSync(this.path)) this.replay(readFileSync(this.path, 'utf8').split('\n'));
    this.rewrite();
  }

  /**
   * Writes all changes since the last flush in one go: a request's effects survive together or not at all.
   */
  flush(): void {
    if (this.dirty.size === 0) return;
    if (this.descriptor !== null) {
      const lines = [...this.dirty.values()].map(({ kind, id, value }) => ({ kind, id, value }));
      // One line a request: a torn end loses the whole of the last request, never a part of it.
      writeWhole(this.descriptor, `${JSON.stringify(lines)}\n`);
    }
    this.dirty.clear();
  }

  /** Forgets everything, on disk too. */
  clear(): void {
    for (const collection of this.collections.values()) collection.adoptAll([]);
    this.dirty.clear();
    if (this.path !== null) this.rewrite();
  }

  close(): void {
    this.flush();
    if (this.descriptor !== null) closeSync(this.descriptor);
    this.descriptor = null;
  }

  private replay(lines: string[]): void {
    for (const [index, text] of lines.entries()) {
      if (text === '') continue;
      const changes = parseChanges(text);
      if (changes === null) {
        if (index >= lines.length - 2) return;
        throw new Error(`line ${index + 1} of the sandbox journal is damaged`);
      }
      for (const { kind, value, id } of changes) this.collections.get(kind)?.adopt(id, value);
    }
  }

  private rewrite(): void {
    if (this.path === null) return;
    if (this.descriptor !== null) closeSync(this.descriptor);
    const fresh = `${this.path}.new`;
    const descriptor = openSync(fresh, 'w', 0o600);
    for (const [kind, collection] of this.collections) {
      for (const value of collection.values()) {
        writeWhole(descriptor, `${JSON.stringify([{ kind, id: value.id, value }])}\n`);
      }
    }
    closeSync(descriptor);
    renameSync(fresh, this.path);
    this.descriptor = openSync(this.path, 'a', 0o600);
  }
}

/** Records by id; `put` after every change, so that the journal hears of it. */
export class Collection<T extends { id: string }> {
  private readonly records = new Map<string, T>();
  private readonly changed: (line: { id: string; value: T | null }) => void;

  constructor(changed: (line: { id: string; value: T | null }) => void) {
    this.changed = changed;
  }

  get(id: string): T | undefined {
    return this.records.get(id);
  }

  values(): IterableIterator<T> {
    return this.records.values();
  }

  get size(): number {
    return this.records.size;
  }

  put(record: T): T {
    this.records.set(record.id, record);
    this.changed({ id: record.id, value: record });
    return record;
  }

  remove(id: string): void {
    if (this.records.delete(id)) this.changed({ id, value: null });
  }

  /** Takes a record over from disk, without writing it again. */
  adopt(id: string, record: T | null): void {
    if (record === null) this.records.delete(id);
    else this.records.set(id, record);
  }

  adoptAll(records: readonly T[]): void {
    this.records.clear();
    for (const record of records) this.records.set(record.id, record);
  }
}

function parseChanges(text: string): Line[] | null {
  try {
    return JSON.parse(text) as Line[];
  } catch {
    return null;
  }
}

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}
