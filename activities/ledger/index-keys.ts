// The keys by which the index finds a document. A key is 48 bits of a hash, which a JavaScript number holds
// exactly. Two texts may share one, so whatever is found by a key is compared with the text itself.

import { hash } from 'node:crypto';
import type { ProjectRef } from '../../workflows/contract';
import { foldName } from '../host/fold-text';
import type { LedgerEntry, RecordName } from '../share/ledger/ledger-record';

/** Keys are below it. */
export const KEY_LIMIT = 2 ** 48;

export type LookUp = 'sha256' | 'name' | 'number' | 'upload' | 'revision';

/** A submitted document as the index keeps it: its entry, and what its record says of all its entries. */
export interface LedgerDocument extends LedgerEntry, RecordName {
  readonly share: string;
  readonly project: ProjectRef;
  readonly job: { readonly id: string; readonly name: string } | null;
}

/** All keys of a document. Names and Numbers, which people write, are folded first. */
export function keysOfDocument(document: LedgerDocument): number[] {
  return LOOK_UPS.flatMap(by => {
    const text = textBy(by, document);
    return text === null ? [] : [keyBy(by, document.project, text)];
  });
}

export function keyBy(by: LookUp, { companyId, projectId }: ProjectRef, text: string): number {
  return toKey([by, companyId, projectId, fold(by, text)]);
}

/** The key under which a record is found in the index, so that its file is not read again. */
export function keyOfRecord(share: string, { batchId, part }: RecordName): number {
  return toKey(['record', share, batchId, String(part)]);
}

export function isFoundBy(by: LookUp, project: ProjectRef, text: string, document: LedgerDocument): boolean {
  const own = textBy(by, document);
  return (
    own !== null &&
    fold(by, own) === fold(by, text) &&
    document.project.projectId === project.projectId &&
    document.project.companyId === project.companyId
  );
}

const LOOK_UPS = ['sha256', 'name', 'number', 'upload', 'revision'] as const satisfies readonly LookUp[];

function textBy(by: LookUp, document: LedgerDocument): string | null {
  switch (by) {
    case 'sha256':
      return document.sha256;
    case 'name':
      return document.name;
    case 'number':
      return document.number;
    case 'upload':
      return document.uploadId;
    case 'revision':
      return document.revisionId;
  }
}

/** Names and Numbers are folded as where the revisions of one document are lined up. */
function fold(by: LookUp, text: string): string {
  return by === 'name' || by === 'number' ? foldName(text) : text;
}

function toKey(parts: readonly string[]): number {
  return hash('sha256', JSON.stringify(parts), 'buffer').readUIntBE(0, 6);
}
