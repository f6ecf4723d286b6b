// The last sheet of a test run's result: what it would come to, and what it cannot tell. Pure.
import { FORETOLD, FORETOLD_WORDS, type ForetoldTally, tellForetoldSum } from '../words/foretold-words';
import { toSheetTime } from '../words/local-time';
import { tellCount } from '../words/outcome-words';
import type { PlannedCell, PlannedSheet } from '../write/write-workbook';

export interface TestFacts {
  readonly tally: ForetoldTally;
  /** Requests, time, what was not looked at; each with what it is called. */
  readonly lines: readonly (readonly [label: string, text: string])[];
}

interface About {
  readonly jobName: string;
  readonly share: string;
  /** ISO, UTC. */
  readonly writtenAt: string;
  readonly zone: string;
  readonly test: TestFacts;
}

export function planAboutTest(
  { jobName, share, writtenAt, zone, test }: About,
  notCarried: readonly string[],
): PlannedSheet {
  const rows: PlannedCell[][] = [
    [{ text: `TEST of ${jobName}`, look: 'title' }],
    [{ text: 'Nothing was sent, moved or changed: this is what would happen.', look: 'text' }],
    [],
    ...FORETOLD.filter(one => test.tally[one] > 0).map((one): PlannedCell[] => [
      { text: FORETOLD_WORDS[one].word, look: 'text' },
      { text: tellCount(test.tally[one]), look: 'text' },
      { text: FORETOLD_WORDS[one].means, look: 'quiet' },
    ]),
    line('Sum', tellForetoldSum(test.tally)),
    [],
    line('Share', share),
    line('Tested', toSheetTime(writtenAt, zone)),
    ...test.lines.map(([label, text]) => line(label, text)),
    ...notCarried.map((text, index) => line(index === 0 ? 'Not as it came' : '', text)),
  ];
  return {
    name: 'About this TEST',
    widths: [20, 9, 100],
    rows,
    rowHeights: new Map([[0, 26]]),
    hasGrid: false,
  };
}

/** A row of two cells. */
export function line(label: string, text: string): PlannedCell[] {
  return [
    { text: label, look: 'quiet' },
    { text, look: 'text' },
  ];
}
