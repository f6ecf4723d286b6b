// What every receipt for people says of a file in the same words. Pure.
import type { ReceiptRow } from '../batch/kept-receipt';

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
