// What a test run can foretell of a document, in the words that sheet, terminal and workflow share. Pure.
import { tellCount } from './outcome-words';

/** In the order of the sum. */
export const FORETOLD = ['through', 'already-there', 'open', 'held', 'set-apart', 'not-there'] as const;
export type Foretold = (typeof FORETOLD)[number];

export const FORETOLD_WORDS: Readonly<
  Record<Foretold, { readonly word: string; readonly afterNumber: string; readonly means: string }>
> = {
  through: {
    word: 'Would go through',
    afterNumber: 'would go through',
    means: 'All that it needs is there. What only the service can say may still stop it.',
  },
  'already-there': {
    word: 'Already there',
    afterNumber: 'already there',
    means: 'This very file was sent before, and nothing newer of its document. Nothing would be sent.',
  },
  open: {
    word: 'The service decides',
    afterNumber: 'for the service to decide',
    means: 'It lacks values that the service may find in the file. It goes through, or it is held.',
  },
  held: {
    word: 'Would be held',
    afterNumber: 'would be held',
    means: 'It would wait for a person. Correct it now, and it need not.',
  },
  'set-apart': {
    word: 'Would be set apart',
    afterNumber: 'would be set apart',
    means: 'It cannot go through as it is.',
  },
  'not-there': {
    word: 'Listed, not there',
    afterNumber: 'listed, not there',
    means: 'The register lists it, and the file is not in the folder.',
  },
};

export type ForetoldTally = Readonly<Record<Foretold, number>>;

export function tallyForetold(all: Iterable<Foretold>): ForetoldTally {
  const tally: Record<Foretold, number> = {
    through: 0,
    'already-there': 0,
    open: 0,
    held: 0,
    'set-apart': 0,
    'not-there': 0,
  };
  for (const one of all) tally[one] += 1;
  return tally;
}

/** "7 would go through + 2 would be held = 9". */
export function tellForetoldSum(tally: ForetoldTally): string {
  const all = FORETOLD.reduce((sum, one) => sum + tally[one], 0);
  const parts = FORETOLD.filter(one => tally[one] > 0).map(
    one => `${tellCount(tally[one])} ${FORETOLD_WORDS[one].afterNumber}`,
  );
  return `${parts.length === 0 ? '0' : parts.join(' + ')} = ${tellCount(all)}`;
}
