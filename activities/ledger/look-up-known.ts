// What the ledger shows of a document about to be sent: files of the same bytes, and the revisions that are
// there of the same document.

import type { ProjectRef } from '../../workflows/contract';
import { parseRevision } from '../../workflows/revision-order/decide/compare-revisions';
import { foldName } from '../host/fold-text';
import type { LedgerEntry } from '../share/ledger/ledger-record';
import type { DuplicateRules } from '../share/share-config';
import { type Candidate, isAlike, isSameDocument, isSameFile, type Known } from './decide/candidate';
import type { LedgerDocument } from './index-keys';
import type { LedgerIndex } from './ledger-index';

/**
 * A number that more names have than these is something else that a pattern has read: it is not used, as in
 * the revision order.
 */
const MOST_NAMES_OF_A_NUMBER = 30;

interface Where {
  readonly project: ProjectRef;
  readonly shares: readonly string[];
}

/**
 * Both lists begin with the newest document. They know what the last `follow` had read, and nothing later.
 */
export interface LookedUp extends Known {
  readonly revisions: readonly LedgerDocument[];
  readonly sameBytes: readonly LedgerDocument[];
}

/** @throws what `LedgerIndex.find` throws. */
export async function lookUpKnown(
  index: Pick<LedgerIndex, 'find'>,
  candidate: Candidate,
  rules: DuplicateRules,
  where: Where,
): Promise<LookedUp> {
  const sameBytes = await index.find('sha256', candidate.sha256, where);
  const sameFile = sameBytes.find(one => isSameFile(candidate, one));
  // Most files are new to the ledger: then it is asked for the rest only where that can matter.
  const mustCompare =
    rules.mode !== 'auto' || (rules.earlier === 'hold' && parseRevision(candidate.revision) !== undefined);
  if (sameFile === undefined && !mustCompare) return { revisions: [], sameBytes };
  const found = await revisionsOf(index, candidate, where);
  // The service may have given the document another name than the file's.
  const hasOther = sameFile !== undefined && !isAlike(sameFile.name, candidate.name);
  const others = hasOther ? await revisionsOf(index, sameFile, where) : [];
  const revisions = new Map(
    [...found, ...others].map(one => [`${one.share}/${one.batchId}/${one.index}`, one]),
  );
  const newestFirst = [...revisions.values()].sort((one, other) => other.submittedAtMs - one.submittedAtMs);
  return { revisions: newestFirst, sameBytes };
}

/** When the newest revision of a document was sent, other than this one itself; undefined for none. */
export async function lookUpLastMs(
  index: Pick<LedgerIndex, 'find'>,
  batchId: string,
  entry: LedgerEntry,
  where: Where,
): Promise<number | undefined> {
  const revisions = await revisionsOf(index, entry, where);
  const others = revisions.filter(one => one.batchId !== batchId || one.index !== entry.index);
  return others.length === 0 ? undefined : Math.max(...others.map(({ submittedAtMs }) => submittedAtMs));
}

async function revisionsOf(
  index: Pick<LedgerIndex, 'find'>,
  document: {
    readonly name: string;
    readonly number?: string | null | undefined;
    readonly mimeType: string;
  },
  where: Where,
): Promise<readonly LedgerDocument[]> {
  const { name, number } = document;
  const [byName, byNumber] = await Promise.all([
    index.find('name', name, where),
    number == null ? [] : index.find('number', number, where),
  ]);
  const names = new Set(byNumber.map(one => foldName(one.name)));
  const all = names.size > MOST_NAMES_OF_A_NUMBER ? byName : [...byName, ...byNumber];
  return all.filter(one => isSameDocument(document, one));
}
