// Which row of a sheet is its header: above it may stand titles and a logo's lines, below it a second header.
import type { WordIndex } from './name-columns';
import { findReceiptColumns } from './receipt/receipt-columns';
import { cellAt, type Grid, type Merge } from './sheet/grid';

export interface HeaderRow {
  /** From 0. */
  readonly row: number;
  /** Of all columns up to the last one that the sheet uses. */
  readonly headers: readonly string[];
  /** The first column that names the file; -1 for none. */
  readonly fileColumn: number;
  /** Columns that stand for a field. */
  readonly fields: number;
}

/** Cells merged over several rows, by their first column. */
type TallMerges = ReadonlyMap<number, readonly Merge[]>;

/** Titles and lines of a letterhead take some rows; what comes after so many has no header. */
const MOST_ROWS_ABOVE = 50;

/**
 * The row with the most columns that are known, of those with a column for the file if there is one; the
 * first of several. Undefined when no row has anything known in it.
 */
export function findHeader(grid: Grid, words: WordIndex): HeaderRow | undefined {
  const tall = listTallMerges(grid);
  let best: HeaderRow | undefined;
  for (let row = 0; row < Math.min(grid.rows.length, MOST_ROWS_ABOVE); row++) {
    const found = readHeader(grid, row, tall, words);
    if (weigh(found) > weigh(best)) best = found;
  }
  return best;
}

/** Whether a row below the header says it once more: a second language, or the top of a printed page. */
export function isHeaderAgain(texts: readonly string[], header: HeaderRow, words: WordIndex): boolean {
  if (texts.every((text, column) => text === '' || text === header.headers[column])) return true;
  if (words.meaningOf(texts[header.fileColumn] ?? '').kind !== 'file') return false;
  const filled = texts.filter(text => text.trim() !== '');
  const known = filled.filter(text => words.meaningOf(text).kind !== 'other');
  return known.length * 2 > filled.length;
}

function weigh(header: HeaderRow | undefined): number {
  return header === undefined ? 0 : (header.fileColumn < 0 ? 0 : 10_000) + header.fields;
}

function readHeader(grid: Grid, row: number, tall: TallMerges, words: WordIndex): HeaderRow {
  const width = grid.rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  const headers = Array.from({ length: width }, (_, column) => headerAt(grid, row, column, tall));
  const ours = new Set(findReceiptColumns(headers));
  const meanings = headers.map((header, column) =>
    ours.has(column) ? 'other' : words.meaningOf(header).kind,
  );
  return {
    row,
    headers,
    fileColumn: meanings.indexOf('file'),
    fields: meanings.filter(kind => kind === 'field' || kind === 'several').length,
  };
}

/** A header may be merged with the cell above it, where others have a group's name over theirs. */
function headerAt(grid: Grid, row: number, column: number, tall: TallMerges): string {
  const { text } = cellAt(grid, row, column);
  if (text !== '') return text;
  const merge = tall.get(column)?.find(({ fromRow, toRow }) => fromRow < row && row <= toRow);
  return merge === undefined ? '' : cellAt(grid, merge.fromRow, column).text;
}

function listTallMerges(grid: Grid): TallMerges {
  const tall = new Map<number, Merge[]>();
  for (const merge of grid.merges) {
    if (merge.toRow <= merge.fromRow || merge.fromRow >= MOST_ROWS_ABOVE) continue;
    const column = tall.get(merge.fromColumn) ?? [];
    column.push(merge);
    tall.set(merge.fromColumn, column);
  }
  return tall;
}
