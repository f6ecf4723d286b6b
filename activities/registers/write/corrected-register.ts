// The rows of a corrected sheet that are taken up, as a register of their own: the person's columns and
// nothing of ours, texts, numbers and dates as they were written. Pure.
import { type KindLists, kindAt } from '../sheet/cell-kinds';
import { writeWorkbook } from './write-workbook';

export interface CorrectedRegister {
  /** For people who look at the properties of the file. */
  readonly title: string;
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Of each of `rows`, which of its cells, from 0, are something else than texts; absent for none. */
  readonly kinds?: readonly KindLists<number>[];
}

const WIDTHS = { least: 10, most: 40 };

export async function writeCorrectedWorkbook({
  title,
  headers,
  rows,
  kinds = [],
}: CorrectedRegister): Promise<Buffer> {
  const widths = headers.map((header, column) => {
    const longest = Math.max(header.length, ...rows.map(row => row[column]?.length ?? 0));
    return Math.min(Math.max(longest + 2, WIDTHS.least), WIDTHS.most);
  });
  const sheet = {
    name: 'Register',
    widths,
    rows: [
      headers.map(text => ({ text, look: 'header-always' as const })),
      ...rows.map((row, at) =>
        row.map((text, column) => ({
          text,
          look: 'text' as const,
          kind: kindAt(kinds[at] ?? {}, column),
        })),
      ),
    ],
    frozenRows: 1,
    filterRow: 0,
  };
  // The same bytes whoever writes it, and whenever.
  return await writeWorkbook({ title, madeAt: new Date(0), sheets: [sheet] });
}
