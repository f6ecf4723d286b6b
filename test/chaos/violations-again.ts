// What stands at the very end of a run: every violation once more, in one line each. Whoever has nothing but
// the last lines of a log must be able to tell what failed, and run it again.
import type { Violation } from './part';

/** More than this nobody reads at the end of a log; how many there were is said. */
const MOST_LINES = 20;
const LONGEST_LINE = 300;

export interface Found {
  readonly part: string;
  readonly violations: readonly Violation[];
}

/**
 * Nothing where nothing was found; else a headline and a line for each
 * violation: part, case, invariant, what.
 */
export function tellAgain(reports: readonly Found[]): readonly string[] {
  const lines = reports.flatMap(({ part, violations }) =>
    violations.map(found => toLine(`  ${part} [${found.case}] ${found.invariant}: ${found.what}`)),
  );
  if (lines.length === 0) return [];
  const more = lines.length - MOST_LINES;
  return [
    `What was found, ${lines.length} in all:`,
    ...lines.slice(0, MOST_LINES),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** A part that broke tells its whole stack; its first line says which it was. */
function toLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}
