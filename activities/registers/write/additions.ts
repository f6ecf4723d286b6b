// What is put around the rows of somebody's sheet: columns in front and behind, rows below. The same for a
// workbook and for a CSV file. Pure.
import type { Look, Tone } from './looks';
import { toCsvText } from './safe-text';

export interface AddedColumn {
  readonly header: string;
  /** In characters. */
  readonly width: number;
  /** Its texts are broken into lines rather than cut by what stands beside them. */
  readonly wraps?: boolean;
}

export interface AddedRow {
  /** One text for each added column. */
  readonly front: readonly string[];
  readonly back: readonly string[];
  readonly tone: Tone;
  /** Columns of the sheet as it came, from 0, whose cells are to be seen at once. */
  readonly spots?: readonly number[];
}

/** A row that the sheet did not have: one text of it stands in a column of the sheet. */
export interface AddedBelow extends AddedRow {
  readonly column: number;
  readonly text: string;
  /** What else stands in columns of the sheet, as people wrote it. */
  readonly cells?: Texts;
}

/** By column of the sheet as it came, from 0. */
export type Texts = ReadonlyMap<number, string>;

/** Rows and columns count from 0, in the sheet as it came. */
export interface Additions {
  readonly headerRow: number;
  readonly front: readonly AddedColumn[];
  readonly back: readonly AddedColumn[];
  readonly rows: ReadonlyMap<number, AddedRow>;
  readonly below: readonly AddedBelow[];
  /**
   * What people have written since into its own rows, by row: it takes the place of what stood there. A
   * column that they have added comes behind all others.
   */
  readonly written?: ReadonlyMap<number, Texts>;
  /** Columns that an earlier receipt put there: they are taken out first. */
  readonly outdated: readonly number[];
}

/**
 * The grid with the additions: the sheet's own cells as they were, ours safe for a
 * CSV file or as `makeSafe` says.
 */
export function addToGrid(
  rows: readonly (readonly string[])[],
  additions: Additions,
  makeSafe: (text: string) => string = toCsvText,
): string[][] {
  const { headerRow, front, back, outdated, below, written } = additions;
  const own = rows.map((row, index) =>
    writeTexts(row, written?.get(index)).filter((_, column) => !outdated.includes(column)),
  );
  const width = own.reduce((longest, row) => Math.max(longest, row.length), 0);
  const pad = (row: readonly string[]) => [...row, ...Array<string>(width - row.length).fill('')];
  const around = (middle: readonly string[], before: readonly string[], after: readonly string[]) => [
    ...before.map(makeSafe),
    ...pad(middle),
    ...after.map(makeSafe),
  ];
  const nothing = { front: front.map(() => ''), back: back.map(() => '') };
  return [
    ...own.map((row, index) => {
      if (index === headerRow) return around(row, headersOf(front), headersOf(back));
      const added = additions.rows.get(index) ?? nothing;
      return around(row, added.front, added.back);
    }),
    ...below.map(added => {
      const row = Array<string>(width).fill('');
      for (const [column, text] of added.cells ?? []) row[newColumn(column, outdated)] = text;
      row[newColumn(added.column, outdated)] = makeSafe(added.text);
      return around(row, added.front, added.back);
    }),
  ];
}

function writeTexts(row: readonly string[], texts: Texts | undefined): readonly string[] {
  if (texts === undefined) return row;
  const width = Math.max(row.length, ...[...texts.keys()].map(column => column + 1));
  return Array.from({ length: width }, (_, column) => texts.get(column) ?? row[column] ?? '');
}

/** Where a column of the sheet stands once the outdated ones are out. */
export function newColumn(column: number, outdated: readonly number[]): number {
  return column - outdated.filter(gone => gone < column).length;
}

function headersOf(columns: readonly AddedColumn[]): string[] {
  return columns.map(({ header }) => header);
}

/** How a cell of an added row looks in a workbook; the first in front tells the row's tone in words. */
export function lookOfAdded(tone: Tone, column: AddedColumn | undefined, isFirst: boolean): Look {
  if (isFirst) return `${tone}-word`;
  return column?.wraps ? `${tone}-note` : `${tone}-cell`;
}
