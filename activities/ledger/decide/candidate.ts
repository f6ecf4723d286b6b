// A document about to be sent, what is known of others like it, and when two of them are the same.
import type { LedgerEntry } from '../../share/ledger/ledger-record';

/** A document about to be sent. */
export interface Candidate {
  readonly path: string;
  readonly name: string;
  /** As its name, its folder or its row says. */
  readonly number?: string | undefined;
  readonly revision?: string | undefined;
  readonly sha256: string;
  readonly mimeType: string;
}

/** A document that became a revision, as the ledger tells. */
export interface Earlier
  extends Pick<
    LedgerEntry,
    'path' | 'name' | 'number' | 'revision' | 'said' | 'sha256' | 'mimeType' | 'submittedAtMs' | 'revisionId'
  > {
  readonly job: { readonly id: string; readonly name: string } | null;
  readonly batchId: string;
}

/** As lines of revisions are made: a name or a Number in common, and the media type. */
export function isSameDocument(one: Identity, other: Identity): boolean {
  if (!isAlike(one.mimeType, other.mimeType)) return false;
  const hasNumber = (one.number ?? '') !== '' && (other.number ?? '') !== '';
  return isAlike(one.name, other.name) || (hasNumber && isAlike(one.number ?? '', other.number ?? ''));
}
type Identity = {
  readonly name: string;
  readonly number?: string | null | undefined;
  readonly mimeType: string;
};

/**
 * The same bytes under the same name: the document's, or the file's where the service has made the document's
 * from it.
 */
export function isSameFile(candidate: Candidate, one: Earlier): boolean {
  return (
    one.sha256 === candidate.sha256 &&
    isAlike(one.mimeType, candidate.mimeType) &&
    (isAlike(one.name, candidate.name) || isAlike(fileNameOf(one.path), fileNameOf(candidate.path)))
  );
}

/** Composed, without case and outer spaces. */
export function foldText(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}

export function isAlike(one: string, other: string): boolean {
  return foldText(one) === foldText(other);
}

function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
