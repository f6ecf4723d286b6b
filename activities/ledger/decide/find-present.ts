// Whether a document about to be sent is the present revision already. Pure.
import { type Candidate, type Earlier, isAlike, isSameFile } from './candidate';

/**
 * The present revision, if it is this very file and nothing that is said of the two differs. A former
 * revision is none: whoever drops that again may mean it to come back.
 * @param revisions of the same document, the newest first.
 */
export function findPresent(candidate: Candidate, revisions: readonly Earlier[]): Earlier | undefined {
  const [present] = withoutOthers(candidate, revisions);
  if (present === undefined || !isSameFile(candidate, present)) return undefined;
  const { said } = present;
  const isSaidAgain =
    isAgreed(candidate.number, [said.number, present.number]) &&
    isAgreed(candidate.revision, [said.revision, present.revision]);
  return isSaidAgain ? present : undefined;
}

/** Files of one name in several folders may be documents of their own, which a Number tells apart. */
export function withoutOthers<One extends Earlier>(
  { number: own }: Candidate,
  revisions: readonly One[],
): readonly One[] {
  return revisions.filter(({ said, number }) => !isOther(own, [said.number, number]));
}

function isOther(now: string | undefined, then: readonly (string | null)[]): boolean {
  return !isAgreed(now, then) && then.some(text => text !== null);
}

/** What says nothing contradicts nothing; what is said now must have been said or stored then. */
function isAgreed(now: string | undefined, then: readonly (string | null)[]): boolean {
  return now === undefined || then.some(text => text !== null && isAlike(text, now));
}
