// A document about to be submitted under another upload than before: somebody has reset the run to a point
// before its uploads were made. Whether it is stopped for that, and what people read. Pure.
import type { Stopped } from '../../ledger/decide/decide-document';
import { PERHAPS_SUBMITTED } from '../../ledger/decide/duplicate-rules';
import type { Meant } from '../../revision-order/find-stops';
import type { FormerIntent } from '../../share/batch/told-outcomes';

/**
 * By index. One that became a revision is not sent again, whatever is answered; where nobody knows, a person
 * looks in the service first.
 */
export function stopFormer(
  former: readonly FormerIntent[],
  meant: readonly Meant[],
): ReadonlyMap<number, Stopped> {
  const isMeant = (index: number) =>
    meant.some(one => one.index === index && one.codes.includes(PERHAPS_SUBMITTED));
  return new Map(
    former
      .filter(({ index, submitted }) => submitted !== undefined || !isMeant(index))
      .map(one => [one.index, explainFormer(one)]),
  );
}

function explainFormer({ uploadId, before, submitted }: FormerIntent): Stopped {
  const left = `Upload ${uploadId}, made after that, stays in the service`;
  if (submitted !== undefined) {
    const { revisionId } = submitted;
    const which = revisionId === null ? '' : `, revision id ${revisionId}`;
    // After a second reset it may be this upload that was submitted: then nothing of it is left.
    const rest = submitted.uploadId === uploadId ? '' : ` ${left}: delete it there.`;
    return {
      kind: 'skip',
      reason: {
        code: 'already-there',
        text: `This document became a revision before its run was reset${which}.${rest}`,
        fix: 'Nothing else.',
      },
    };
  }
  return {
    kind: 'hold',
    reason: {
      code: PERHAPS_SUBMITTED,
      text: `Before its run was reset, this document was about to be submitted as another upload (${before}), and it is not known here what became of that. Look for a revision of it in the service. ${left} until it is submitted or deleted there.`,
      fix: 'Where a revision is there, set it apart. Only where there is none, delete the other upload there and answer with the decision "retry".',
    },
  };
}
