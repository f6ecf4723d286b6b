// What the ledger shows of a document about to be sent: the revisions of it that are there.
import type { ProjectRef } from '../../workflows/contract';
import { type Candidate, foldText, isAlike, isSameDocument, isSameFile } from './decide/candidate';
import type { LedgerDocument } from './index-keys';
import type { LedgerIndex } from './ledger-index';

/** A number that so many names have is what a pattern reads for something else, as in lines of revisions. */
const MOST_NAMES_OF_A_NUMBER = 30;

interface Where {
  readonly project: ProjectRef;
  readonly shares: readonly string[];
}

/**
 * The newest first; only as new as the last `follow`.
 * @throws what `LedgerIndex.find` throws.
 */
export async function lookUpRevisions(
  index: Pick<LedgerIndex, 'find'>,
  candidate: Candidate,
  where: Where,
): Promise<readonly LedgerDocument[]> {
  const sameFile = (await index.find('sha256', candidate.sha256, where)).find(one =>
    isSameFile(candidate, one),
  );
  // Most files are new to the ledger: then it is not asked for the rest.
  if (sameFile === undefined) return [];
  const found = await revisionsOf(index, candidate, where);
  // The service may have made another name of the file's.
  const others = isAlike(sameFile.name, candidate.name) ? [] : await revisionsOf(index, sameFile, where);
  const revisions = new Map(
    [...found, ...others].map(one => [`${one.share}/${one.batchId}/${one.index}`, one]),
  );
  return [...revisions.values()].sort((one, other) => other.submittedAtMs - one.submittedAtMs);
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
  const names = new Set(byNumber.map(one => foldText(one.name)));
  const all = names.size > MOST_NAMES_OF_A_NUMBER ? byName : [...byName, ...byNumber];
  return all.filter(one => isSameDocument(document, one));
}
