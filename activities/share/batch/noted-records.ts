// What this process has noted of a batch: asked to note the same again, it need not. A wait of days would
// else write the same record hundreds of times, and every start reads them all.
import type { JournalRecord } from '../../../workflows/ingest/ingest-contract';
import { keepFew } from '../../host/keep-few';

const MAX_BATCHES = 64;
const MAX_TIMES = 10_000;

type Item = { readonly index: number };

export class NotedRecords {
  readonly #batches = new Map<string, Map<string, string>>();
  /** When the newest record of a batch was noted, as far as this process has seen. */
  readonly #newestMs = new Map<string, number>();

  /** The record with what is new of it; undefined when nothing is. */
  fresh(batchId: string, record: JournalRecord): JournalRecord | undefined {
    const noted = this.#batches.get(batchId);
    if (noted === undefined) return record;
    const isNew = (item: Item) => noted.get(keyOf(record.kind, item)) !== JSON.stringify(item);
    switch (record.kind) {
      case 'transferred':
        return keep(record.files.filter(isNew), files => ({ ...record, files }));
      case 'outcome':
        return keep(record.outcomes.filter(isNew), outcomes => ({ ...record, outcomes }));
      case 'required':
        return keep(record.documents.filter(isNew), documents => ({ ...record, documents }));
      case 'matched':
        return keep(record.documents.filter(isNew), documents => ({ ...record, documents }));
      case 'overtaken':
        return keep(record.documents.filter(isNew), documents => ({ ...record, documents }));
      default:
        return keep(record.uploads.filter(isNew), uploads => ({ ...record, uploads }));
    }
  }

  /** @param record is on disk. */
  add(batchId: string, record: JournalRecord): void {
    const noted = this.#batches.get(batchId) ?? new Map<string, string>();
    keepFew(this.#batches, batchId, noted, MAX_BATCHES);
    for (const item of itemsOf(record)) {
      // Of several uploads of a document the one noted last counts: after
      // another one, all of it is new again.
      if ('uploadId' in item && record.kind !== 'outcome') forgetOthers(noted, item);
      noted.set(keyOf(record.kind, item), JSON.stringify(item));
    }
  }

  /** Whether this process knows when the newest record of the batch was noted. */
  knowsTime(batchId: string): boolean {
    return this.#newestMs.has(batchId);
  }

  /** The journal of the batch has a record of that time. */
  saw(batchId: string, atMs: number): void {
    const newestMs = Math.max(atMs, this.#newestMs.get(batchId) ?? 0);
    keepFew(this.#newestMs, batchId, newestMs, MAX_TIMES);
  }

  /**
   * The time of the next record: what is noted last counts, so it is later than what was noted before, also
   * where the clock was set back.
   */
  stampMs(batchId: string, nowMs: number): number {
    const atMs = Math.max(nowMs, (this.#newestMs.get(batchId) ?? 0) + 1);
    this.saw(batchId, atMs);
    return atMs;
  }

  /** For a share that was away: it may have come back as another file system. */
  forgetAll(): void {
    this.#batches.clear();
    this.#newestMs.clear();
  }
}

const UPLOAD_KINDS = ['created', 'completed', 'intent'] as const;

function forgetOthers(noted: Map<string, string>, item: Item & { readonly uploadId?: unknown }): void {
  for (const kind of UPLOAD_KINDS) {
    const known = noted.get(keyOf(kind, item));
    if (known !== undefined && (JSON.parse(known) as { uploadId?: unknown }).uploadId !== item.uploadId) {
      noted.delete(keyOf(kind, item));
    }
  }
}

function itemsOf(record: JournalRecord): readonly Item[] {
  if (record.kind === 'transferred') return record.files;
  if ('documents' in record) return record.documents;
  return record.kind === 'outcome' ? record.outcomes : record.uploads;
}

function keep<T>(
  items: readonly T[],
  make: (items: readonly T[]) => JournalRecord,
): JournalRecord | undefined {
  return items.length === 0 ? undefined : make(items);
}

function keyOf(kind: string, { index }: Item): string {
  return `${kind} ${index}`;
}
