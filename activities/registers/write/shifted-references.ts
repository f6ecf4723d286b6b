// Formulas that point at cells, after columns of a sheet have moved: drop-downs, conditional formats, names.
// What stands in quotes is text, and what points at other sheets stays. Pure.
import { columnLetter, columnNumber } from '../sheet/column-letter';

/** Undefined when the column is gone. */
export type MoveColumn = (column: number) => number | undefined;

const LAST_COLUMN = 16_383;

// A text, a quoted sheet name, a word with what makes it no reference, or a reference with its sheet.
const TOKEN =
  /"(?:[^"]|"")*"|((?:'(?:[^']|'')+'|[\p{L}_][\p{L}\p{N}_.]*)!)?(\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?|\$?[A-Z]{1,3}:\$?[A-Z]{1,3})(?![\p{L}\p{N}_.(!])|[\p{L}_\\][\p{L}\p{N}_.]*/gu;

/**
 * @param at the sheet that the formula stands in; undefined where none does (a name of the workbook)
 * @param moved the sheet whose columns have moved
 */
export function shiftReferences(
  formula: string,
  at: string | undefined,
  moved: string,
  move: MoveColumn,
): string {
  return formula.replace(TOKEN, (whole: string, sheet?: string, reference?: string) => {
    if (reference === undefined) return whole;
    const pointsAt = sheet === undefined ? at : unquote(sheet);
    if (pointsAt?.toLowerCase() !== moved.toLowerCase()) return whole;
    const shifted = shiftColumns(reference, move);
    return shifted === undefined ? '#REF!' : `${sheet ?? ''}${shifted}`;
  });
}

/** `A2:A5 C2`, as drop-downs name their cells, moved; undefined when none of them is left. */
export function shiftRanges(ranges: string, move: MoveColumn): string | undefined {
  const shifted = ranges
    .split(/\s+/)
    .map(range => shiftColumns(range, move))
    .filter(range => range !== undefined);
  return shifted.length === 0 ? undefined : shifted.join(' ');
}

/** `A5:$H24` with its columns moved; undefined when one of them is gone. */
function shiftColumns(reference: string, move: MoveColumn): string | undefined {
  let isGone = false;
  const shifted = reference.replace(
    /(\$?)([A-Z]{1,3})(?=\$?\d|:|$)/g,
    (_, fixed: string, letters: string) => {
      const column = move(columnNumber(letters));
      if (column === undefined || column > LAST_COLUMN) isGone = true;
      return `${fixed}${columnLetter(column ?? 0)}`;
    },
  );
  return isGone ? undefined : shifted;
}

function unquote(sheet: string): string {
  const name = sheet.slice(0, -1);
  return name.startsWith("'") ? name.slice(1, -1).replaceAll("''", "'") : name;
}
