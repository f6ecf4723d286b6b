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
    means: 'This very file was sent before, and nothing newer of its document. Nothing was sent now.',
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

/** How many documents are where; every outcome is there, with 0 where there is none. */
export type Tally = Readonly<Record<Outcome, number>>;

export function tallyOutcomes(outcomes: Iterable<Outcome>): Tally {
  const tally: Record<Outcome, number> = {
    through: 0,
    'already-there': 0,
    'on-the-way': 0,
    'in-line': 0,
    held: 0,
    'set-apart': 0,
  };
  for (const outcome of outcomes) tally[outcome] += 1;
  return tally;
}

export function countAll(tally: Tally): number {
  return OUTCOMES.reduce((sum, outcome) => sum + tally[outcome], 0);
}

/** "212 through + 68 on the way + 20 held = 300", without what there is none of. */
export function tellSum(tally: Tally): string {
  const parts = OUTCOMES.filter(outcome => tally[outcome] > 0).map(
    outcome => `${tellCount(tally[outcome])} ${OUTCOME_WORDS[outcome].afterNumber}`,
  );
  return `${parts.length === 0 ? '0' : parts.join(' + ')} = ${tellCount(countAll(tally))}`;
}

/** "212 of 300 are through. 20 are held and wait for you; 68 are on the way." */
export function tellVerdict(tally: Tally): string {
  return listVerdict(tally).join(' ');
}

/**
 * The same as its one or two sentences: the first answers "is it through?". `waitsFor`: whom what is held
 * waits for, as the reader is called.
 */
export function listVerdict(tally: Tally, waitsFor = 'you'): readonly string[] {
  const all = countAll(tally);
  if (all === 0) return ['There is no document in it.'];
  const through = tally.through;
  const first =
    through === all
      ? `${all === 1 ? 'The one document is' : `All ${tellCount(all)} are`} through.`
      : `${tellCount(through)} of ${tellCount(all)} ${isOrAre(through)} through.`;
  const rest = (['held', 'set-apart', 'already-there', 'on-the-way', 'in-line'] as const)
    .filter(outcome => tally[outcome] > 0)
    .map(outcome => tellPart(outcome, tally[outcome], waitsFor));
  return rest.length === 0 ? [first] : [first, `${rest.join('; ')}.`];
}

/** 1240 as "1,240". */
export function tellCount(count: number): string {
  return count.toLocaleString('en-GB');
}

function tellPart(outcome: Outcome, count: number, waitsFor: string): string {
  const part = `${tellCount(count)} ${isOrAre(count)} ${OUTCOME_WORDS[outcome].afterNumber}`;
  return outcome === 'held' ? `${part} and ${count === 1 ? 'waits' : 'wait'} for ${waitsFor}` : part;
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}

/** What to do about a row whose file did not come. */
export const FIX_NOT_THERE = 'Drop the file with a register that lists it, or take it off the list.';
