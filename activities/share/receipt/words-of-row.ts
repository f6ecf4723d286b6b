// What every receipt for people says of a file in the same words. Pure.
import type { ReceiptRow } from '../batch/kept-receipt';

/**
 * What to do about a row. A file that is dropped again by itself cannot be given its row, for nobody could
 * tell which one that is: so people are told beforehand.
 * @param register what it needs then; a sheet that is one may name itself.
 */
export function whatToDoOf(
  { outcome, reason, row }: Pick<ReceiptRow, 'outcome' | 'reason' | 'row'>,
  register = 'a register that lists it',
): string | undefined {
  if (reason === undefined || outcome !== 'set-apart' || row === undefined) return reason?.fix;
  return `${reason.fix} A file that is dropped again needs ${register}: alone it goes without its row.`;
}

/** The notes of its run, and how certain its revision's id is. */
export function notesOf({ notes, outcome, revisionId, paired }: ReceiptRow): readonly string[] {
  if (outcome !== 'submitted') return notes;
  if (revisionId === null) {
    return [
      ...notes,
      'It is certain that the document was submitted, but the answer that named its revision was lost.',
    ];
  }
  return paired === 'by-order'
    ? [...notes, 'The revision id was matched by the order of the answer.']
    : notes;
}
