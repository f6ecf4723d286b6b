// What a row may hold that Drawbridge keeps or sends on, in a register and in a corrected sheet alike: a
// hundred rows travel in one payload. What a sheet may cost that is only read is in `sheet-limits.ts`. Pure.
import { columnLetter } from './column-letter';

export const MOST_COLUMNS = 100;
export const MOST_CELL_CHARS = 2_000;
/** The most text of one row, in bytes of UTF-8. */
const MOST_ROW_BYTES = 8_192;

/**
 * Sentences on what is too long in a row; none for a row that can be kept.
 * @param kept what is kept of the row.
 */
export function tellTooLong(
  row: number,
  cells: readonly { readonly column: number; readonly text: string }[],
  kept: unknown,
): readonly string[] {
  const long = cells.filter(({ text }) => text.length > MOST_CELL_CHARS);
  if (long.length > 0) {
    return long.map(
      ({ column }) =>
        `Row ${row}, column ${columnLetter(column)}: The cell has more than ${MOST_CELL_CHARS} characters. Shorten it.`,
    );
  }
  if (Buffer.byteLength(JSON.stringify(kept)) <= MOST_ROW_BYTES) return [];
  return [`Row ${row} has more than ${MOST_ROW_BYTES} bytes of text in all. Shorten its cells.`];
}
