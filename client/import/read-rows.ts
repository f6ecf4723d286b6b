// Rows that people and other programs write, CSV or a JSON list: read with their places,
// columns by the names people use.
import { type Options, parse } from 'csv-parse/sync';
import { entryOf } from '../../activities/host/entry-of';
import { CliError, EXIT_CODES } from '../session/cli-error';

export interface PlacedRow<Value> {
  /** As people count: the line of the CSV file, or the place in the JSON list. */
  readonly place: string;
  readonly value: Value;
}

export type CsvRow = Readonly<Record<string, unknown>>;

/** What the rows of one kind of file look like. */
export interface RowForm<Value> {
  /**
   * Names in small letters, without spaces, dashes and underlines. A column that is
   * not in here keeps its own name.
   */
  readonly columns: Readonly<Record<string, string>>;
  /** By the first line. */
  readonly delimiterOf: (heading: string) => string;
  /**
   * The value of a cell that is not empty. What cannot be read stays text, and the check of the row says so.
   */
  readonly toCell: (column: string, cell: string) => unknown;
  /** What an entry of the JSON list has to be before it is checked as a row. */
  readonly isEntry: (value: unknown) => value is Value;
  /** A JSON list, for the message. */
  readonly example: string;
}

export interface CsvLine {
  readonly cells: readonly string[];
  /** From 1; of a row that spans several, the last. */
  readonly line: number;
}

const MOST_FAULTS = 50;
const FAULT_CHARACTERS = 300;

/** The error for a file that cannot be imported, with as many of its faults as anybody corrects in one go. */
export function toRowsError(file: string, faults: readonly string[]): CliError {
  const lines = faults.slice(0, MOST_FAULTS).map(fault => `- ${fault.slice(0, FAULT_CHARACTERS)}`);
  if (faults.length > MOST_FAULTS) lines.push(`- and ${faults.length - MOST_FAULTS} more`);
  return new CliError(`${file} cannot be imported:\n${lines.join('\n')}`, EXIT_CODES.usage);
}

/**
 * JSON when the file's name says so, otherwise CSV. Throws CliError when the text as a whole cannot be read.
 */
export function readRows<Value>(
  fileName: string,
  content: string,
  form: RowForm<Value>,
): PlacedRow<Value | CsvRow>[] {
  const text = content.replace(/^\uFEFF/, '');
  return fileName.toLowerCase().endsWith('.json')
    ? readJson(text, form)
    : readCsv(text.replaceAll('\r\n', '\n'), form);
}

/** The heading among them; empty lines are left out, cells are trimmed. Throws what csv-parse throws. */
export function readCsvLines(
  text: string,
  options: Pick<Options, 'bom' | 'delimiter' | 'relax_column_count'>,
): CsvLine[] {
  const lines = parse(text, {
    ...options,
    info: true,
    skip_empty_lines: true,
    trim: true,
  }) as unknown as { record: string[]; info: { lines: number } }[];
  return lines.map(({ record, info }) => ({ cells: record, line: info.lines }));
}

function readJson<Value>(text: string, { isEntry, example }: RowForm<Value>): PlacedRow<Value>[] {
  try {
    const entries: unknown = JSON.parse(text);
    if (!Array.isArray(entries) || !entries.every(isEntry)) throw new Error('no list of rows');
    return entries.map((value, index) => ({ place: `item ${index + 1}`, value }));
  } catch (error) {
    throw new CliError(`The rows are no JSON list: ${example}`, EXIT_CODES.usage, error);
  }
}

function readCsv(
  text: string,
  { columns, delimiterOf, toCell }: Omit<RowForm<never>, 'isEntry'>,
): PlacedRow<CsvRow>[] {
  const [head, ...rest] = linesOf(text, delimiterOf(text.split('\n', 1)[0] ?? ''));
  const names = (head?.cells ?? []).map(
    title => entryOf(columns, title.toLowerCase().replace(/[\s_-]/g, '')) ?? title,
  );
  return rest.map(({ cells, line }) => ({
    place: `line ${line}`,
    value: Object.fromEntries(
      cells.flatMap((cell, index) => {
        const name = names[index] ?? `column ${index + 1}`;
        return cell === '' ? [] : [[name, toCell(name, cell)]];
      }),
    ),
  }));
}

function linesOf(text: string, delimiter: string): CsvLine[] {
  try {
    return readCsvLines(text, { delimiter });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError(`The rows are no CSV: ${why}`, EXIT_CODES.usage, error);
  }
}
