// The rows of a corrected sheet that are taken up, as a register of their own: the person's columns and
// nothing of ours, texts as they were written. Pure.
import { writeWorkbook } from './write-workbook';

export interface CorrectedRegister {
  /** For people who look at the properties of the file. */
  readonly title: string;
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const WIDTHS = { least: 10, most: 40 };

export async function writeCorrectedWorkbook({ title, headers, rows }: CorrectedRegister): Promise<Buffer> {
  const widths = headers.map((header, column) => {
    const longest = Math.max(header.length, ...rows.map(row => row[column]?.length ?? 0));
    return Math.min(Math.max(longest + 2, WIDTHS.least), WIDTHS.most);
  });
  const sheet = {
    name: 'Register',
    widths,
    rows: [
      headers.map(text => ({ text, look: 'header-always' as const })),
      ...rows.map(row => row.map(text => ({ text, look: 'text' as const }))),
    ],
    frozenRows: 1,
    filterRow: 0,
  };
  // The same bytes whoever writes it, and whenever.
  return await writeWorkbook({ title, madeAt: new Date(0), sheets: [sheet] });
}
