// A CSV becomes a grid. Which of comma, semicolon and tab parts its cells is seen from its first rows.
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type Parser, parse } from 'csv-parse';
import { type CsvDialect, DELIMITERS } from './csv-dialect';
import { decodeCsv } from './decode-csv';
import { type Cell, EMPTY_CELL, type Grid } from './grid';
import { SheetError, tooLargeSheet, tornSheet } from './sheet-error';
import type { SheetLimits } from './sheet-limits';

export interface ReadCsv {
  readonly grid: Grid;
  readonly csv: CsvDialect;
}

/** Rows that are looked at for the delimiter. */
const SAMPLE_ROWS = 50;
const SAMPLE_LENGTH = 256 * 1024;
/** Parsed at a time; between slices the process does other things. */
const SLICE_LENGTH = 256 * 1024;
/** What spreadsheet programs have; blank cells of a row count here, and nowhere else. */
const MOST_CELLS_A_ROW = 16_384;

/** @throws SheetError torn, wrong-kind, bad-encoding, bad-csv or too-large. */
export async function readCsv(bytes: Buffer, limits: SheetLimits): Promise<ReadCsv> {
  const { text: whole, encoding, bom } = decodeCsv(bytes);
  // Excel's own first line "sep=;" says what parts the cells, and is no row.
  const said = /^sep=([,;\t])(?:\r\n|\n|\r|$)/i.exec(whole);
  const text = whole.slice(said?.[0].length ?? 0);
  const delimiter = DELIMITERS.find(each => each === said?.[1]) ?? guessDelimiter(text);
  const rows = await parseRows(text, delimiter, limits);
  const csv: CsvDialect = { encoding, bom, delimiter, lineEnd: guessLineEnd(whole) };
  return { grid: { name: '', hidden: false, rows, merges: [] }, csv };
}

async function parseRows(text: string, delimiter: string, limits: SheetLimits): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  let cellsLeft = limits.cells;
  try {
    for await (const record of parserOf(text, delimiter, limits)) {
      const cells = toCells(record as readonly string[], limits);
      cellsLeft -= cells.length;
      if (rows.push(cells) > limits.rows + 1 || cellsLeft < 0)
        throw tooLargeSheet(`The sheet has more than ${rows.length - 1} rows`);
    }
  } catch (error: unknown) {
    throw toSheetError(error, limits);
  }
  while (rows.at(-1)?.length === 0) rows.pop();
  if (rows.length > limits.rows) throw tooLargeSheet(`The sheet has more than ${limits.rows} rows`);
  return rows;
}

function parserOf(text: string, delimiter: string, limits: SheetLimits): Parser {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quotation mark inside a cell that does not begin with one: 6" pipe.
    relax_quotes: true,
    // Else a quotation mark after the blank that people write behind a comma is one of the cell.
    ltrim: true,
    skip_empty_lines: false,
    max_record_size: limits.columns * 100 + limits.cellLength * 10,
  });
  const slices = async function* () {
    for (let at = 0; at < text.length; at += SLICE_LENGTH) {
      yield text.slice(at, at + SLICE_LENGTH);
      await setImmediate();
    }
  };
  return Readable.from(slices()).pipe(parser);
}

function toCells(record: readonly string[], limits: SheetLimits): Cell[] {
  const cells = record.map(toCell);
  while (cells.at(-1)?.kind === 'empty') cells.pop();
  if (cells.length > limits.columns || record.length > MOST_CELLS_A_ROW)
    throw tooLargeSheet(`The sheet has more than ${limits.columns} columns`);
  if (cells.some(({ text }) => text.length > limits.cellLength))
    throw tooLargeSheet(`A cell has more than ${limits.cellLength} characters`);
  return cells;
}

function toCell(text: string): Cell {
  // How exports keep Excel from turning 0042 into 42: ="0042".
  const kept = /^="([^"]*)"$/.exec(text)?.[1];
  if ((kept ?? text).trim() === '') return EMPTY_CELL;
  return kept === undefined ? { text, kind: 'text' } : { text: kept, kind: 'text', written: text };
}

function toSheetError(error: unknown, limits: SheetLimits): SheetError {
  if (error instanceof SheetError) return error;
  const { code, lines } = error as { readonly code?: unknown; readonly lines?: unknown };
  if (code === 'CSV_QUOTE_NOT_CLOSED') {
    return new SheetError(
      'bad-csv',
      'A quotation mark in this CSV is never closed. Save it again from the spreadsheet program, or as .xlsx.',
      error,
    );
  }
  if (code === 'CSV_MAX_RECORD_SIZE') {
    const where = typeof lines === 'number' ? ` at line ${lines}` : '';
    return tooLargeSheet(`A row${where} has more than ${limits.columns} columns or is very long`, error);
  }
  return tornSheet(error);
}

/** The one that parts most rows of the beginning into the same number of cells; a comma when none does. */
function guessDelimiter(text: string): CsvDialect['delimiter'] {
  const lines = sampleRows(text);
  const scored = DELIMITERS.map(delimiter => {
    const tally = new Map<number, number>();
    for (const line of lines) {
      const count = line.split(delimiter).length - 1;
      if (count > 0) tally.set(count, (tally.get(count) ?? 0) + 1);
    }
    const best = Math.max(0, ...[...tally].map(([count, rows]) => rows * 1000 + Math.min(count, 999)));
    return { delimiter, best };
  });
  const winner = scored.reduce((one, other) => (other.best > one.best ? other : one));
  return winner.best === 0 ? ',' : winner.delimiter;
}

/** The first rows without what stands between quotation marks. */
function sampleRows(text: string): readonly string[] {
  return text
    .slice(0, SAMPLE_LENGTH)
    .replace(/"[^"]*"/g, '')
    .split(/\r\n|\n|\r/, SAMPLE_ROWS)
    .filter(line => line.trim() !== '');
}

function guessLineEnd(text: string): CsvDialect['lineEnd'] {
  const first = /\r\n|\n|\r/.exec(text.slice(0, SAMPLE_LENGTH).replace(/"[^"]*"/g, ''))?.[0];
  return first === '\n' || first === '\r' ? first : '\r\n';
}
