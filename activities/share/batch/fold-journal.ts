// What the records of a batch add up to, document by document. Pure; the order
// of the records does not matter.
import type { EventId, FileUploadId, Overtaker, UploadId } from '../../../workflows/contract';
import type {
  DocumentOutcome,
  JournalRecord,
  KnownProgress,
} from '../../../workflows/ingest/ingest-contract';

export interface DatedRecord {
  readonly atMs: number;
  /** Unique; decides between records of the same moment. */
  readonly name: string;
  readonly record: JournalRecord;
}

type Noted = Pick<DatedRecord, 'atMs' | 'name'>;

interface Upload {
  readonly uploadId: UploadId;
  atMs: number;
  name: string;
  completed: boolean;
  intended: boolean;
  consumed: boolean;
  eventId?: EventId | undefined;
}

interface Document {
  readonly uploads: Map<UploadId, Upload>;
  file?: { readonly fileUploadId: FileUploadId; readonly openedAtMs: number };
  overtakenBy?: Overtaker | undefined;
  outcome?: { readonly outcome: DocumentOutcome; readonly atMs: number };
}

/**
 * By index, ascending. Of several uploads of one document the one with an intent to submit wins: it may be
 * consumed, and a second one would make a second revision. Else the newest. An upload that was given to
 * another document since (its id had changed places) is that one's alone: this one gets a new upload, and
 * sends its file again.
 */
export function foldJournal(records: readonly DatedRecord[]): KnownProgress[] {
  const documents = new Map<number, Document>();
  const of = (index: number): Document => {
    const known = documents.get(index) ?? { uploads: new Map<UploadId, Upload>() };
    documents.set(index, known);
    return known;
  };
  for (const { atMs, name, record } of [...records].sort(byTime)) {
    switch (record.kind) {
      case 'transferred':
        for (const file of record.files) keepNewestFile(of(file.index), file);
        break;
      case 'outcome':
        for (const outcome of record.outcomes) keepOutcome(of(outcome.index), outcome, atMs);
        break;
      case 'matched':
      case 'required':
        break;
      case 'overtaken':
        for (const { index, by } of record.documents) of(index).overtakenBy = by;
        break;
      case 'intent':
        for (const { index, uploadId, eventId } of record.uploads) {
          const upload = noteUpload(of(index), uploadId, atMs, name);
          upload.completed = true;
          upload.intended = true;
          upload.eventId = eventId ?? upload.eventId;
          // It was overtaken, and a person has let it go since.
          of(index).overtakenBy = undefined;
        }
        break;
      default:
        for (const { index, uploadId } of record.uploads) {
          const upload = noteUpload(of(index), uploadId, atMs, name);
          if (record.kind === 'completed') upload.completed = true;
        }
    }
  }
  for (const { uploads, outcome } of documents.values()) {
    if (outcome?.outcome.kind !== 'submitted' || outcome.outcome.uploadId === undefined) continue;
    const consumed = uploads.get(outcome.outcome.uploadId);
    if (consumed !== undefined) consumed.consumed = true;
  }
  const owners = findOwners(documents.values());
  return [...documents]
    .sort(([one], [other]) => one - other)
    .map(([index, document]) => toProgress(index, document, owners));
}

function byTime(one: Noted, other: Noted): number {
  if (one.atMs !== other.atMs) return one.atMs - other.atMs;
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}

function keepNewestFile(document: Document, file: { fileUploadId: FileUploadId; openedAtMs: number }): void {
  if (document.file !== undefined && document.file.openedAtMs > file.openedAtMs) return;
  document.file = { fileUploadId: file.fileUploadId, openedAtMs: file.openedAtMs };
}

/** A revision is permanent: nothing that is recorded later makes it undone. */
function keepOutcome(document: Document, outcome: DocumentOutcome, atMs: number): void {
  const known = document.outcome?.outcome;
  if (known?.kind === 'submitted') {
    const namesRevision = outcome.kind === 'submitted' && outcome.revisionId !== null;
    if (known.revisionId !== null || !namesRevision) return;
  }
  document.outcome = { outcome, atMs };
}

function noteUpload(document: Document, uploadId: UploadId, atMs: number, name: string): Upload {
  const known = document.uploads.get(uploadId);
  const upload: Upload = known ?? {
    uploadId,
    atMs,
    name,
    completed: false,
    intended: false,
    consumed: false,
  };
  document.uploads.set(uploadId, upload);
  return Object.assign(upload, { atMs, name });
}

/** The same upload may be noted for two documents: whose it is. */
function findOwners(documents: Iterable<Document>): ReadonlyMap<UploadId, Upload> {
  const owners = new Map<UploadId, Upload>();
  for (const { uploads } of documents) {
    for (const upload of uploads.values()) {
      const owner = owners.get(upload.uploadId);
      if (owner === undefined || byClaim(upload, owner) > 0) owners.set(upload.uploadId, upload);
    }
  }
  return owners;
}

/** The strongest last: one that became a revision, else one with an intent, else the one noted last. */
function byClaim(one: Upload, other: Upload): number {
  return rankOf(one) - rankOf(other) || byTime(one, other);
}

function rankOf({ consumed, intended }: Upload): number {
  return consumed ? 2 : intended ? 1 : 0;
}

function toProgress(
  index: number,
  { uploads, file, overtakenBy, outcome }: Document,
  owners: ReadonlyMap<UploadId, Upload>,
): KnownProgress {
  const strongest = [...uploads.values()].sort(byClaim).at(-1);
  const isAnothers = strongest !== undefined && owners.get(strongest.uploadId) !== strongest;
  const upload = isAnothers ? undefined : strongest;
  return {
    index,
    // It may be linked to that upload, and a file can be linked once only.
    ...(isAnothers ? {} : file),
    ...(upload === undefined
      ? {}
      : {
          uploadId: upload.uploadId,
          ...(upload.completed ? { completed: true } : {}),
          ...(upload.intended ? { intended: true } : {}),
          ...(upload.eventId === undefined ? {} : { eventId: upload.eventId }),
        }),
    ...(overtakenBy === undefined ? {} : { overtakenBy }),
    ...(outcome === undefined ? {} : { outcome: outcome.outcome }),
  };
}
