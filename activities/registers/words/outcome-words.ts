// What can become of a document, in the words that sheets, status files, the terminal and the page share.
// Whoever tells an outcome to a person takes its word from here. Pure.

/** In the order of the sum: whatever is told of a job adds these up, in this order. */
export const OUTCOMES = ['through', 'already-there', 'on-the-way', 'in-line', 'held', 'set-apart'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface OutcomeWords {
  /** As it stands in a cell, a line, a page. */
  readonly word: string;
  /** As it goes on a sentence that begins with a number: "20 are held". */
  readonly afterNumber: string;
  /** One sentence for people who meet the word for the first time. */
  readonly means: string;
  /** Nothing happens to it any more, unless a person begins anew. */
  readonly isFinal: boolean;
  /** It stays where it is until a person acts. */
  readonly needsPerson: boolean;
}

export const OUTCOME_WORDS: Readonly<Record<Outcome, OutcomeWords>> = {
  through: {
    word: 'Through',
    afterNumber: 'through',
    means: 'It is a revision in the service.',
    isFinal: true,
    needsPerson: false,
  },
  'already-there': {
    word: 'Already there',
    afterNumber: 'already there',
    means: 'It is the same file as the present revision. Nothing was sent.',
    isFinal: true,
    needsPerson: false,
  },
  'on-the-way': {
    word: 'On the way',
    afterNumber: 'on the way',
    means: 'It is between the drop folder and its revision.',
    isFinal: false,
    needsPerson: false,
  },
  'in-line': {
    word: 'In line',
    afterNumber: 'in line',
    means: 'It waits for its turn. Nobody need do anything.',
    isFinal: false,
    needsPerson: false,
  },
  held: {
    word: 'Held',
    afterNumber: 'held',
    means: 'It waits for a person. The file is kept.',
    isFinal: false,
    needsPerson: true,
  },
  'set-apart': {
    word: 'Set apart',
    afterNumber: 'set apart',
    means: 'It did not go through. The file lies in the attention folder, with the reason and what to do.',
    isFinal: true,
    needsPerson: true,
  },
};
