// The receipt of a job without a register: what did not go through stands first. Pure: the
// same bytes for the same input.

import type { Outcome } from '../words/outcome-words';
import { type AddedColumn, lookOfAdded } from '../write/additions';
import { heightFor } from '../write/row-height';
import { type PlannedCell, type PlannedSheet, writeWorkbook } from '../write/write-workbook';
import { planAbout, type ReceiptFacts } from './receipt-about';
import { FRONT_COLUMNS, listBackColumns, PLAIN_COLUMNS } from './receipt-columns';
import { type DocumentResult, toAddedRow } from './receipt-row';

export interface FileResult extends DocumentResult {
  /** As dropped, `/` between the parts. */
  readonly path: string;
  /** What people have filled in, by the header of the column. */
  readonly filled?: ReadonlyMap<string, string>;
}

/** What a person must look at comes first. */
const ORDER: readonly Outcome[] = ['set-apart', 'held', 'on-the-way', 'in-line', 'already-there', 'through'];

const WIDTH_TO_FILL = 22;

/** A-2 before A-10. */
const BY_NATURE = new Intl.Collator('en', { numeric: true });

const FILE_COLUMNS: readonly AddedColumn[] = [
  { header: PLAIN_COLUMNS.file, width: 44 },
  { header: PLAIN_COLUMNS.folder, width: 30 },
];

/** @param toFill headers of columns in which a person writes what is missing. */
export async function writePlainWorkbook(
  facts: ReceiptFacts,
  results: readonly FileResult[],
  toFill: readonly string[] = [],
): Promise<Buffer> {
  const filled = toFill.map((header): AddedColumn => ({ header, width: WIDTH_TO_FILL }));
  const columns = [...FRONT_COLUMNS, ...FILE_COLUMNS, ...filled, ...listBackColumns(facts.zone)];
  const rows = listRows(facts, results, toFill);
  const sheet: PlannedSheet = {
    name: facts.test === undefined ? 'Receipt' : 'TEST',
    widths: columns.map(({ width }) => width),
    rows: [
      columns.map(({ header }): PlannedCell => ({ text: header, look: 'header-always' })),
      ...rows.map(({ cells, tone }) =>
        cells.map(
          (text, index): PlannedCell => ({ text, look: lookOfAdded(tone, columns[index], index === 0) }),
        ),
      ),
    ],
    rowHeights: new Map(rows.flatMap(({ cells }, index) => heightOf(cells, index + 1))),
    frozenRows: 1,
    filterRow: 0,
  };
  return await writeWorkbook({
    title: `${facts.test === undefined ? 'Receipt' : 'TEST'} of ${facts.jobName}`,
    madeAt: new Date(facts.writtenAt),
    sheets: [sheet, planAbout(facts, [])],
  });
}

function heightOf(cells: readonly string[], row: number): [number, number][] {
  const height = heightFor(
    FRONT_COLUMNS.map(({ width, wraps }, index) => ({ text: wraps ? (cells[index] ?? '') : '', width })),
  );
  return height === undefined ? [] : [[row, height]];
}

function listRows({ jobId, zone }: ReceiptFacts, results: readonly FileResult[], toFill: readonly string[]) {
  const sorted = results.toSorted(
    (one, other) =>
      ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome) || BY_NATURE.compare(one.path, other.path),
  );
  return sorted.map(result => {
    const { front, back, tone } = toAddedRow(result, jobId, zone);
    const cut = result.path.lastIndexOf('/');
    const name = result.path.slice(cut + 1);
    const folder = result.path.slice(0, Math.max(cut, 0));
    const filled = toFill.map(header => result.filled?.get(header) ?? '');
    return { tone, cells: [...front, name, folder, ...filled, ...back] };
  });
}
