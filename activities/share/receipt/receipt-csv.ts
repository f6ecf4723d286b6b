// The receipt as a spreadsheet opens it: UTF-8 with a byte order mark, CRLF, every cell quoted where it must
// be, and no cell that a spreadsheet would run as a formula. The JSON receipt keeps everything exactly. Pure.
import { stringify } from 'csv-stringify/sync';
import { entryOf } from '../../host/entry-of';
import type { CsvDialect } from '../../registers/sheet/csv-dialect';
import { FIX_NOT_THERE, tellCount } from '../../registers/words/outcome-words';
import { toCsvText } from '../../registers/write/safe-text';
import type { Receipt, ReceiptRegister, ReceiptRow } from '../batch/kept-receipt';
import { folderOf, nameOf } from '../files/relative-path';
import { tellSource } from './tell-source';
import { notesOf, whatToDoOf } from './words-of-row';

const OUTCOMES: Record<ReceiptRow['outcome'], string> = {
  submitted: 'submitted',
  'set-apart': 'set apart',
  skipped: 'skipped',
  held: 'held',
  open: 'still under way',
};

type Column = readonly [heading: string, cellOf: (file: ReceiptRow, receipt: Receipt) => string | number];

const BEFORE_FIELDS = [
  ['file', file => nameOf(file.path)],
  ['folder', file => folderOf(file.path)],
  ['outcome', file => OUTCOMES[file.outcome]],
  ['revision_id', file => file.revisionId ?? ''],
  ['upload_id', file => file.uploadId ?? ''],
  ['reason', file => file.reason?.text ?? ''],
  ['what_to_do', file => whatToDoOf(file) ?? ''],
] as const satisfies readonly Column[];
const AFTER_FIELDS = [
  ['sha256', file => file.sha256 ?? ''],
  ['size_bytes', file => file.sizeBytes],
  ['claimed_at_utc', (_, receipt) => toSheetTime(receipt.claimedAt)],
  ['submitted_at_utc', file => toSheetTime(file.submittedAt)],
  ['notes', file => notesOf(file).join(' ')],
] as const satisfies readonly Column[];

/** Of the columns that every receipt has. */
type Heading = (typeof BEFORE_FIELDS | typeof AFTER_FIELDS)[number][0];
/** A row that is no document's has few cells: the others are empty. */
type Cells<Cell> = Readonly<Partial<Record<Heading, Cell>>>;

/** Where the values of a document are from. */
const VALUES_FROM: Column = [
  'values_from',
  ({ stored, row }) =>
    stored
      .flatMap(({ label, from }) => (from === undefined ? [] : [`${label}: ${tellSource(from, row)}`]))
      .join('; '),
];

/** A row of a file that was ignored. */
const IGNORED: Cells<(path: string) => string> = {
  file: nameOf,
  folder: folderOf,
  outcome: () => 'ignored',
  reason: () => 'It is no document by its name; it was left in the drop folder.',
};

/** A row of a file that stays in the drop folder until a register lists it. */
const LEFT: typeof IGNORED = {
  file: nameOf,
  folder: folderOf,
  outcome: () => 'left',
  reason: () => 'No row of the register is about it; it was left in the drop folder.',
  what_to_do: () => 'Drop a register that lists it into its folder, or take it away.',
};

/** The mark at the end of a job keeps the first names and how many there were. */
interface OfJob {
  readonly ignored?: readonly string[];
  readonly ignoredInAll?: number | undefined;
  readonly left?: readonly string[];
  readonly leftInAll?: number | undefined;
  readonly registers?: readonly ReceiptRegister[];
  /** A comma when absent. */
  readonly delimiter?: CsvDialect['delimiter'] | undefined;
}

/**
 * One row a file in drop order, of one batch or of all of a job; one column for each field label that any
 * document has. What was ignored is named below.
 * @param ofJob names of files that were ignored or left in the folder of the job, and its register.
 */
export function toCsv(receipt: Receipt | readonly Receipt[], ofJob: OfJob = {}): string {
  const { ignored = [], left = [], delimiter = ',' } = ofJob;
  const receipts = 'files' in receipt ? [receipt] : receipt;
  const stored = receipts.flatMap(({ files }) => files.flatMap(file => file.stored));
  const labels = [...new Set(stored.map(({ label }) => label))];
  const columns: readonly Column[] = [
    ...BEFORE_FIELDS,
    ...labels.map(toColumn),
    ...(stored.some(({ from }) => from !== undefined) ? [VALUES_FROM] : []),
    ...AFTER_FIELDS,
  ];
  const registers = [...receipts.flatMap(each => each.registers ?? []), ...(ofJob.registers ?? [])];
  const records = [
    columns.map(([heading]) => heading),
    ...receipts.flatMap(each => each.files.map(file => columns.map(([, cellOf]) => cellOf(file, each)))),
    ...registers.flatMap(register =>
      rowsOfRegister(register).map(cells => columns.map(([heading]) => entryOf(cells, heading) ?? '')),
    ),
    ...left.map(path => columns.map(([heading]) => entryOf(LEFT, heading)?.(path) ?? '')),
    ...tellMore(columns, 'left', left, ofJob.leftInAll),
    ...ignored.map(path => columns.map(([heading]) => entryOf(IGNORED, heading)?.(path) ?? '')),
    ...tellMore(columns, 'ignored', ignored, ofJob.ignoredInAll),
  ];
  return stringify(
    records.map(record => record.map(toCell)),
    { bom: true, delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  );
}

/** A row for those whose names were not kept; none where all were, so that such receipts are as before. */
function tellMore(
  columns: readonly Column[],
  outcome: 'left' | 'ignored',
  named: readonly string[],
  inAll = named.length,
): readonly (readonly string[])[] {
  const more = inAll - named.length;
  if (more <= 0) return [];
  const reason = `and ${tellCount(more)} more, which are not named here`;
  const cells = new Map([
    ['outcome', outcome],
    ['reason', reason],
  ]);
  return [columns.map(([heading]) => cells.get(heading) ?? '')];
}

/** Below the files: the register itself, and what it lists that did not come. By heading. */
function rowsOfRegister({ path, sha256, notThere, notices }: ReceiptRegister): readonly Cells<string>[] {
  const folder = folderOf(path);
  return [
    { file: nameOf(path), folder, outcome: 'register', sha256, notes: notices.join(' ') },
    ...notThere.map(({ file, text }) => ({
      file,
      folder,
      outcome: 'listed, not there',
      reason: text,
      what_to_do: FIX_NOT_THERE,
    })),
  ];
}

function toColumn(label: string): Column {
  const isTaken = [...BEFORE_FIELDS, ...AFTER_FIELDS].some(([heading]) => heading === label.toLowerCase());
  const values = ({ stored }: ReceiptRow) => stored.flatMap(one => (one.label === label ? [one.value] : []));
  return [isTaken ? `${label} (field)` : label, file => values(file).join('; ')];
}

function toCell(value: string | number): string | number {
  return typeof value === 'number' ? value : toCsvText(value);
}

/** `2026-01-31 09:30:00` in UTC: a form that spreadsheets read as a time in every language. */
function toSheetTime(instant: string | undefined): string {
  return instant === undefined ? '' : instant.slice(0, 19).replace('T', ' ');
}
