import type { Outcome } from '../../registers/words/outcome-words';
import type { ReceiptRow } from './kept-receipt';

/** What a row of a receipt says became of its file, in the words for people. */
export const OUTCOME_OF_ROW: Readonly<Record<ReceiptRow['outcome'], Outcome>> = {
  submitted: 'through',
  'set-apart': 'set-apart',
  skipped: 'already-there',
  held: 'held',
  open: 'on-the-way',
};
