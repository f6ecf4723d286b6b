// Whether a document about to be sent is the present revision already. Pure.
import { type Candidate, type Earlier, isAgreed, isSameFile } from './candidate';

/**
 * The present revision, if it is this very file, and the Number and revision said of the candidate agree with
 * it. A former revision is never returned: whoever drops that again may mean it to come back.
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

/**
 * Leaves out revisions of other documents: files of one name in several folders may be documents of their
 * own, which a Number tells apart.
 */
export function withoutOthers<One extends Earlier>(
  { number: own }: Candidate,
  revisions: readonly One[],
): readonly One[] {
  return revisions.filter(({ said, number }) => !isOther(own, [said.number, number]));
}

function isOther(now: string | undefined, then: readonly (string | null)[]): boolean {
  return !isAgreed(now, then) && then.some(text => text !== null);
}
