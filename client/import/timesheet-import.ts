// The file of a time clock (CSV, or a JSON list of the same rows): read, checked as
// a whole, and sorted into days.

import { codeOf } from '../../activities/host/error-code';
import {
  MAX_TIMECARD_ROWS,
  type TimecardRowInput,
  timecardRow,
} from '../../workflows/timesheets/timesheet-contract';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { readNamed, type SharedPlace } from '../session/named-file';
import { type CsvRow, type RowForm, readRows, toRowsError } from './read-rows';

const MOST_ROWS = 20_000;
/** Far more than so many rows take. */
const MOST_BYTES = 64 * 1024 ** 2;

/** Columns as clocks and people write them; spaces, dashes, underlines and case do not count. */
const COLUMNS: Readonly<Record<string, string>> = {
  date: 'date',
  day: 'date',
  ref: 'ref',
  id: 'ref',
  person: 'person',
  name: 'person',
  employee: 'person',
  partyid: 'partyId',
  costcode: 'costCode',
  code: 'costCode',
  timetypeid: 'timeTypeId',
  timein: 'timeIn',
  in: 'timeIn',
  start: 'timeIn',
  timeout: 'timeOut',
  out: 'timeOut',
  stop: 'timeOut',
  end: 'timeOut',
  lunch: 'lunchMinutes',
  lunchtime: 'lunchMinutes',
  lunchminutes: 'lunchMinutes',
  break: 'lunchMinutes',
  hours: 'hours',
  billable: 'billable',
  description: 'description',
  note: 'description',
};

const FORM: RowForm<CsvRow> = {
  columns: COLUMNS,
  delimiterOf: heading => [';', '\t'].find(each => heading.includes(each)) ?? ',',
  toCell,
  isEntry: isRecord,
  example: '[{"date": "2026-01-31", "person": "...", ...}, ...]',
};

/** One day's rows, with where each stands in the file. */
export interface ImportedDay {
  readonly date: string;
  readonly rows: readonly TimecardRowInput[];
  /** As people count: `line 7`. */
  readonly places: readonly string[];
}

/**
 * Reads and checks everything before anything is started. @param places where others may write: no link below
 * them is followed. @throws CliError with all that is wrong.
 */
export async function readTimesheetImport(
  file: string,
  places: readonly SharedPlace[],
  defaultDate?: string,
): Promise<readonly ImportedDay[]> {
  const bytes = await readNamed(places, file, MOST_BYTES).catch((error: unknown) => {
    if (error instanceof CliError) throw error;
    throw new CliError(`${file} cannot be read (${String(codeOf(error))}).`, EXIT_CODES.usage, error);
  });
  const raws = readRows(file, bytes.toString('utf8'), FORM);
  const faults: string[] = [];
  if (raws.length === 0) faults.push('there is no row');
  if (raws.length > MOST_ROWS) faults.push(`more than ${MOST_ROWS} rows; split the file`);
  const days = new Map<string, { rows: TimecardRowInput[]; places: string[] }>();
  for (const { place, value } of raws.slice(0, MOST_ROWS)) {
    const { date = defaultDate, ...rest } = value;
    const parsed = timecardRow.safeParse(rest);
    if (typeof date !== 'string' || !isDay(date)) {
      faults.push(`${place}, date: a day such as 2026-01-31, in the column "date" or with --date`);
    }
    for (const { path, message } of parsed.error?.issues ?? []) {
      faults.push(`${place}, ${path.join('.') || 'the row'}: ${message}`);
    }
    if (!parsed.success || typeof date !== 'string') continue;
    const day = days.get(date) ?? { rows: [], places: [] };
    day.rows.push(rest as TimecardRowInput);
    day.places.push(place);
    days.set(date, day);
  }
  for (const [date, { rows, places }] of days) {
    if (rows.length > MAX_TIMECARD_ROWS)
      faults.push(`${date}: more than ${MAX_TIMECARD_ROWS} rows of one day`);
    faults.push(...findTwins(rows, places));
  }
  if (faults.length > 0) throw toRowsError(file, faults);
  return [...days]
    .map(([date, { rows, places }]) => ({ date, rows, places }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** As the row wants it; what cannot be read stays text, and the check says so. */
function toCell(column: string, cell: string): unknown {
  switch (column) {
    case 'timeIn':
    case 'timeOut':
      return /^\d:\d{2}/.test(cell) ? `0${cell}` : cell;
    case 'lunchMinutes':
      return /^\d{1,4}$/.test(cell) ? Number(cell) : cell;
    case 'hours':
      return /^\d{1,2},\d+$/.test(cell) ? cell.replace(',', '.') : cell;
    case 'billable':
      if (/^(yes|true|1|x)$/i.test(cell)) return true;
      return /^(no|false|0)$/i.test(cell) ? false : cell;
    default:
      return cell;
  }
}

function findTwins(rows: readonly TimecardRowInput[], places: readonly string[]): string[] {
  const first = new Map<string, string>();
  return rows.flatMap(({ ref }, index) => {
    const place = places[index] ?? '';
    if (ref === undefined) return [];
    const before = first.get(ref);
    first.set(ref, before ?? place);
    return before === undefined ? [] : [`${place}: the ref "${ref}" stands in ${before} already`];
  });
}

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function isRecord(value: unknown): value is CsvRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
