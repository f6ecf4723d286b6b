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

interface Upload {
  readonly uploadId: UploadId;
  atMs: number;
  name: string;
  completed: boolean;
  intended: boolean;
  eventId?: EventId | undefined;
}

interface Document {
  readonly index: number;
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
    const known = documents.get(index) ?? { index, uploads: new Map<UploadId, Upload>() };
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
  const ordered = [...documents.values()].sort((one, other) => one.index - other.index);
  const owners = ownersOf(ordered);
  return ordered.map(document => toProgress(document, owners));
}

function byTime(one: DatedRecord, other: DatedRecord): number {
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
  const upload: Upload = known ?? { uploadId, atMs, name, completed: false, intended: false };
  document.uploads.set(uploadId, upload);
  return Object.assign(upload, { atMs, name });
}

/** The document that each upload is: submitted, else about to be, else the one that it was noted for last. */
function ownersOf(documents: readonly Document[]): ReadonlyMap<UploadId, Document> {
  const owners = new Map<UploadId, Document>();
  for (const document of documents) {
    for (const [uploadId, upload] of document.uploads) {
      const owner = owners.get(uploadId);
      const known = owner?.uploads.get(uploadId);
      if (owner === undefined || known === undefined || isOver(document, upload, owner, known))
        owners.set(uploadId, document);
    }
  }
  return owners;
}

function isOver(one: Document, upload: Upload, other: Document, known: Upload): boolean {
  if (isConsumed(one, upload) !== isConsumed(other, known)) return isConsumed(one, upload);
  if (upload.intended !== known.intended) return upload.intended;
  return upload.atMs > known.atMs || (upload.atMs === known.atMs && upload.name > known.name);
}

function isConsumed({ outcome }: Document, { uploadId }: Upload): boolean {
  return outcome?.outcome.kind === 'submitted' && outcome.outcome.uploadId === uploadId;
}

function toProgress(document: Document, owners: ReadonlyMap<UploadId, Document>): KnownProgress {
  const chosen = chooseUpload(document);
  const isAnothers = chosen !== undefined && owners.get(chosen.uploadId) !== document;
  const upload = isAnothers ? undefined : chosen;
  const outcome = document.outcome?.outcome;
  return {
    index: document.index,
    // It may be linked to that upload, and a file can be linked once only.
    ...(isAnothers ? {} : document.file),
    ...(upload === undefined
      ? {}
      : {
          uploadId: upload.uploadId,
          ...(upload.completed ? { completed: true } : {}),
          ...(upload.intended ? { intended: true } : {}),
          ...(upload.eventId === undefined ? {} : { eventId: upload.eventId }),
        }),
    ...(document.overtakenBy === undefined ? {} : { overtakenBy: document.overtakenBy }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function chooseUpload(document: Document): Upload | undefined {
  const uploads = [...document.uploads.values()];
  const submitted = document.outcome?.outcome;
  if (submitted?.kind === 'submitted' && submitted.uploadId !== undefined) {
    const consumed = document.uploads.get(submitted.uploadId);
    if (consumed !== undefined) return consumed;
  }
  const intended = uploads.filter(upload => upload.intended);
  return (intended.length > 0 ? intended : uploads).reduce<Upload | undefined>(
    (newest, upload) =>
      newest === undefined ||
      upload.atMs > newest.atMs ||
      (upload.atMs === newest.atMs && upload.name >= newest.name)
        ? upload
        : newest,
    undefined,
  );
}
