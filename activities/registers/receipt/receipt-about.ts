// The last sheet of a receipt: whose it is, how it adds up, what was not carried over. Pure.
import { toSheetTime } from '../words/local-time';
import { OUTCOME_WORDS, OUTCOMES, type Tally, tellCount, tellSum, tellVerdict } from '../words/outcome-words';
import type { PlannedCell, PlannedSheet } from '../write/write-workbook';
import { line, planAboutTest, type TestFacts } from './test-about';

export interface ReceiptFacts {
  readonly jobId: string;
  /** As people named it: the folder that was dropped. */
  readonly jobName: string;
  readonly share: string;
  readonly tally: Tally;
  /** ISO, UTC. */
  readonly writtenAt: string;
  /** Of all times in it: `Europe/Berlin`. */
  readonly zone: string;
  /** False: some of its documents are still on their way, in line or held. */
  readonly isFinal: boolean;
  /** Files that were left out, as `Thumbs.db`, by their paths. */
  readonly ignored: readonly string[];
  /** How many there were, where not all of their names are known. */
  readonly ignoredInAll?: number | undefined;
  /** Files that no row is about and that stay in the drop folder, by their paths. */
  readonly left?: readonly string[];
  readonly leftInAll?: number | undefined;
  /** The register as it was read. */
  readonly register?: { readonly path: string; readonly sha256: string };
  /** For a test run, of which nothing has happened. */
  readonly test?: TestFacts;
}

const ABOUT_SHEET = 'About this receipt';

/** More names than this say no more than their number. */
const IGNORED_SHOWN = 200;

export function planAbout(facts: ReceiptFacts, notCarried: readonly string[]): PlannedSheet {
  if (facts.test !== undefined) return planAboutTest({ ...facts, test: facts.test }, notCarried);
  const ignored = facts.ignored.slice(0, IGNORED_SHOWN);
  const rows: PlannedCell[][] = [
    [{ text: facts.jobName, look: 'title' }],
    [{ text: tellVerdict(facts.tally), look: 'text' }],
    [],
    ...OUTCOMES.filter(outcome => facts.tally[outcome] > 0).map((outcome): PlannedCell[] => [
      { text: OUTCOME_WORDS[outcome].word, look: 'text' },
      { text: tellCount(facts.tally[outcome]), look: 'text' },
      { text: OUTCOME_WORDS[outcome].means, look: 'quiet' },
    ]),
    line('Sum', tellSum(facts.tally)),
    [],
    line('Job', facts.jobId),
    line('Share', facts.share),
    line('Written', toSheetTime(facts.writtenAt, facts.zone)),
    line('Times', `All times are those of ${facts.zone}.`),
    line(
      'State',
      facts.isFinal ? 'Final.' : 'So far: a later receipt replaces this one when all have their outcome.',
    ),
    ...(facts.register === undefined
      ? []
      : [line('Register', facts.register.path), line('Its SHA-256', facts.register.sha256)]),
    ...notCarried.map((text, index) => line(index === 0 ? 'Not as it came' : '', text)),
    ...(facts.left ?? []).map((path, index) => line(index === 0 ? 'No row, left in drop' : '', path)),
    ...tellMore((facts.leftInAll ?? 0) - (facts.left ?? []).length),
    ...ignored.map((path, index) => line(index === 0 ? 'Left out' : '', path)),
    ...tellMore((facts.ignoredInAll ?? facts.ignored.length) - ignored.length),
  ];
  return { name: ABOUT_SHEET, widths: [20, 9, 100], rows, rowHeights: new Map([[0, 26]]), hasGrid: false };
}

function tellMore(count: number): readonly PlannedCell[][] {
  return count > 0 ? [line('', `and ${tellCount(count)} more`)] : [];
}
