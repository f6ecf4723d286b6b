// A document about to be sent, what is known of others like it, and when two of them are the same.
import { foldName } from '../../host/fold-text';
import type { LedgerEntry } from '../../share/ledger/ledger-record';

/** A document about to be sent. */
export interface Candidate {
  /** The batch that it is of, and its place there. */
  readonly batchId: string;
  readonly index: number;
  readonly path: string;
  readonly name: string;
  /** Its name, its folder or its row says how the document is called: `name` is not made of the file's. */
  readonly isNameSaid?: boolean | undefined;
  /** As its name, its folder or its row says. */
  readonly number?: string | undefined;
  readonly revision?: string | undefined;
  readonly sha256: string;
  readonly mimeType: string;
  /** The text of its row's column Action. */
  readonly action?: string | undefined;
  /** Codes of the reasons it was held for that a person has overruled: the document is to go all the same. */
  readonly meant?: readonly string[] | undefined;
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

/** What the ledger shows of a candidate, the newest first. */
export interface Known {
  /** Of the same document. */
  readonly revisions: readonly Earlier[];
  /** Of the same bytes, whatever they are called. */
  readonly sameBytes: readonly Earlier[];
}

/** The rule by which revisions are lined up, too: the same media type, and a name or a Number in common. */
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
 * The same bytes and media type under the same name: of the document, or of the file, for the service may
 * have given the document another name. Where it is said now how the document is called, the file's name is
 * no sign: files of one name in several folders, or rows, are documents of their own then.
 */
export function isSameFile(candidate: Candidate, one: Earlier): boolean {
  return (
    one.sha256 === candidate.sha256 &&
    isAlike(one.mimeType, candidate.mimeType) &&
    (candidate.isNameSaid === true ? isNameAgreed(candidate, one) : isNamedAlike(candidate, one))
  );
}

/** The name that is said now was said, or stored, then. */
export function isNameAgreed({ name }: Candidate, one: Earlier): boolean {
  return isAgreed(name, [one.said.name ?? null, one.name]);
}

/** Where nothing is said now, nothing disagrees; otherwise the same must have been said, or stored, then. */
export function isAgreed(now: string | undefined, then: readonly (string | null)[]): boolean {
  return now === undefined || then.some(text => text !== null && isAlike(text, now));
}

/** By the document's name or the file's. */
export function isNamedAlike(one: Named, other: Named): boolean {
  return isAlike(one.name, other.name) || isAlike(fileNameOf(one.path), fileNameOf(other.path));
}
type Named = { readonly name: string; readonly path: string };

export function isAlike(one: string, other: string): boolean {
  return foldName(one) === foldName(other);
}

export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
