// What a person has corrected in a receipt that came back: the rows that may be corrected and were changed,
// and what is to be said of all others that were. Each row is known by the mark that the receipt gave it,
// whatever was sorted, hidden or deleted since. Pure.
import type { Register } from '../find-register';
import { findReceiptColumns, MARK_HEADER, PLAIN_COLUMNS } from '../receipt/receipt-columns';
import type { SaidRow, Step } from '../receipt/said-row';
import { joinSome, quote } from '../register-fault';
import { type KindLists, kindOf, listKinds } from '../sheet/cell-kinds';
import { columnLetter } from '../sheet/column-letter';
import { type Cell, EMPTY_CELL, type SheetFile } from '../sheet/grid';
import { MOST_COLUMNS, tellTooLong } from '../sheet/row-limits';
import { toCsvText } from '../write/safe-text';
import { asItStood, type Rewritten, tellRewritten } from './as-it-stood';
import { findMarked, type Marked, type MarkedRow } from './marked-rows';
import { toCommonNumber } from './rewritten-number';
import { pairColumns, type SheetColumn, textAt, trim } from './sheet-columns';

/** What may become of a row now. */
export type RowState =
  /** Set apart, or held: a correction of it is taken up. */
  | 'open'
  /** It went through, or was there already. */
  | 'done'
  /** A correction of it was taken up before. */
  | 'taken'
  /** Set apart, while others of its folder are held: it is corrected in the receipt. */
  | 'set-apart'
  /** Between its answer and its end. */
  | 'on-the-way'
  /** Listed, and its file never came. */
  | 'no-file';

/** A row of the receipt. */
export interface ReceiptRowNow {
  /** Of the register, as people count; absent for a file that no row lists. */
  readonly row?: number;
  /** Below the job's folder; absent where no file came. */
  readonly path?: string;
  readonly state: RowState;
  /** Of one that was taken up before: what it said then, by header. */
  readonly taken?: SaidRow;
  /** Corrections that were taken up while it was held, or that nobody asked for, in their order. */
  readonly steps?: readonly Step[];
}

export interface ReceiptNow {
  readonly jobId: string;
  /** As it was read for the job; absent where it had none: then each file is a row, by folder and name. */
  readonly register?: Pick<Register, 'columns' | 'rows'> | undefined;
  readonly rows: readonly ReceiptRowNow[];
  /** Its rows are answered, and make no new register: those have a bound of columns in all. */
  readonly isAnswered?: true;
}

/** With the places in `cells`, from 0, of what the sheet has as something else than texts. */
export interface CorrectedRow extends KindLists<number> {
  /** In the sheet as it was saved, as people count. */
  readonly number: number;
  readonly path: string;
  /** One text for each of `headers`; that of the file's column is its path. */
  readonly cells: readonly string[];
  /** Which of `headers` have another cell than the sheet had that was corrected, from 0. */
  readonly changed: readonly number[];
  /** The reason that the sheet shows of it; '' where a person has taken that out. */
  readonly reason: string;
}

export type Corrections =
  | { readonly kind: 'refused'; readonly text: string }
  | {
      readonly kind: 'read';
      /** Those of the person, without ours. */
      readonly headers: readonly string[];
      readonly rows: readonly CorrectedRow[];
      /** Sentences on what was changed and is not taken up. */
      readonly told: readonly string[];
      /** Some counts otherwise than it stands: it is as before a correction, or a program wrote it anew. */
      readonly isOutdated?: true;
    };

/** The columns of the receipt of a job without a register. */
const PLAIN_REGISTER: NonNullable<ReceiptNow['register']> = {
  columns: [
    { index: 0, letter: 'A', header: PLAIN_COLUMNS.file, meaning: { kind: 'file' } },
    { index: 1, letter: 'B', header: PLAIN_COLUMNS.folder, meaning: { kind: 'other' } },
  ],
  rows: [],
};

function isFolder({ header, before }: SheetColumn): boolean {
  return before !== undefined && header === PLAIN_COLUMNS.folder;
}

/** Of the plain receipt of a job with a register, which is made where that one's cannot be. */
const NO_COLUMNS =
  'This sheet does not have the columns of the register, for none could be made with them, so that nothing can be corrected in it. Answer on the page for what is held. For what was set apart, correct the register and drop it again, with those files.';

export function readCorrections(receipt: ReceiptNow, sheet: SheetFile): Corrections {
  const marked = findMarked(sheet);
  if (marked === undefined) {
    return refused(
      `The sheet has no column ${quote(MARK_HEADER)} any more, so that nothing says which rows these are. Take the receipt as it came, and correct that.`,
    );
  }
  const owners = marked.rows.flatMap(({ mark }) => mark?.jobId ?? []);
  if (!owners.includes(receipt.jobId)) {
    return refused(
      owners.length === 0
        ? `The column ${quote(MARK_HEADER)} is empty, so that nothing says which rows these are. Take the receipt as it came, and correct that.`
        : 'This is the receipt of another job. Save each receipt over itself, in its own folder.',
    );
  }
  const ofJob = marked.rows.filter(({ mark }) => mark?.jobId === receipt.jobId);
  if (receipt.register !== undefined && ofJob.every(({ isPlain }) => isPlain)) return refused(NO_COLUMNS);
  const { columns: before } = receipt.register ?? PLAIN_REGISTER;
  const ours = new Set(findReceiptColumns(before.map(({ header }) => header)));
  const theirs = before.filter(({ index, header }) => !ours.has(index) && header !== '');
  const paired = pairColumns(theirs, marked.headers, marked.markColumn);
  if (paired.missing.length > 0) {
    const [word, it] = paired.missing.length === 1 ? ['column', 'it'] : ['columns', 'them'];
    return refused(
      `The sheet has no ${word} ${joinSome(paired.missing.map(quote))} any more. Put ${it} back: the receipt as it came has ${it}.`,
    );
  }
  const folder = receipt.register === undefined ? paired.columns.find(isFolder) : undefined;
  const columns = paired.columns.filter(column => column !== folder);
  const tooLarge = tellTooLarge(receipt, marked, columns);
  if (tooLarge.length > 0) return refused(tooLarge.slice(0, MOST_OF_HEADERS).join(' '));
  const { reasonAt } = paired;
  return compare(receipt, marked.rows, columns, {
    folderAt: folder?.now,
    reasonAt,
    isCsv: sheet.format === 'csv',
  });
}

/** More of them, and what is told of all others would not be read. */
const MOST_OF_HEADERS = 20;

/** What is wrong with the columns and their headers as a whole. */
function tellTooLarge(
  { isAnswered }: ReceiptNow,
  { number, headers }: Marked,
  columns: readonly SheetColumn[],
): readonly string[] {
  const cells = columns.map(({ now }) => ({ column: now, text: headers[now] ?? '' }));
  const tooLong = tellTooLong(
    number,
    cells,
    cells.map(({ text }) => text),
  );
  // An answer asks for columns itself, such as Action, also where the register has as many as it may have.
  const counted = isAnswered === true ? columns.filter(({ before }) => before === undefined) : columns;
  if (counted.length <= MOST_COLUMNS) return tooLong;
  const others = isAnswered === true ? 'the register and the receipt' : 'the receipt';
  return [
    `The sheet has ${counted.length} columns besides those of ${others}, and more than ${MOST_COLUMNS} are not read. Delete those that nobody needs.`,
    ...tooLong,
  ];
}

/** What a person is told of rows that were changed and are not taken up, by the reason why they are not. */
const REASONS = {
  done: (rows: string) =>
    `${rows}: what is done is not touched. To send a new revision, drop the file again with a register.`,
  taken: (rows: string) =>
    `${rows}: a correction was taken up before. If it is to be corrected once more, do so in the receipt of that.`,
  outdated: (rows: string) =>
    `${rows}: some of it is as it was before a correction that was taken up, and what was taken up counts. If that is wrong, correct it in the sheet as it lies there now, which shows it.`,
  'set-apart': (rows: string) =>
    `${rows}: set apart already. Correct it in the receipt, which comes when nothing of the folder is held any more.`,
  'on-the-way': (rows: string) =>
    `${rows}: on its way by now, so that it is not changed. Wait for what becomes of it.`,
  'no-file': (rows: string) =>
    `${rows}: the file never came, so that there is nothing to go on with. Drop it with a register that lists it.`,
  'other-file': (rows: string) =>
    `${rows}: another file is named than before. A row keeps its file here: write its name as it was, or drop the other file with a register.`,
  double: (rows: string) =>
    `${rows}: more than one of them is the same row of the receipt. Keep one of each.`,
  unknown: (rows: string) =>
    `${rows}: not from this receipt, so that nothing says which file is meant. Drop new files with a register.`,
};
type Reason = keyof typeof REASONS;

/** Columns that are no cells of a row, from 0, and how the sheet was saved. */
interface PlacedApart {
  readonly folderAt: number | undefined;
  readonly reasonAt: number | undefined;
  readonly isCsv: boolean;
}

function compare(
  receipt: ReceiptNow,
  marked: readonly MarkedRow[],
  columns: readonly SheetColumn[],
  { folderAt, reasonAt, isCsv }: PlacedApart,
): Corrections {
  const toKey = (texts: readonly string[]) => JSON.stringify(isCsv ? texts.map(toCommonNumber) : texts);
  const { before, asBefore } = indexRegister(receipt, columns, toKey);
  const knownOf = rowFinder(receipt, columns, folderAt);
  const found = marked.map(row => ({ row, known: knownOf(row) }));
  const counts = new Map<ReceiptRowNow, number>();
  for (const { known } of found) if (known !== undefined) counts.set(known, (counts.get(known) ?? 0) + 1);
  const corrected: CorrectedRow[] = [];
  const left = new Map<Reason, number[]>();
  const errorsTold: string[] = [];
  const longTold: string[] = [];
  const leave = (reason: Reason, number: number) => {
    const numbers = left.get(reason);
    if (numbers === undefined) left.set(reason, [number]);
    else numbers.push(number);
  };
  const rewritten: (Rewritten & { readonly row: number })[] = [];
  for (const { row, known } of found) {
    const { number } = row;
    if (known === undefined) {
      // A row of the register that is about no single file has no mark.
      if (!asBefore.has(toKey(columns.map(({ now }) => textAt(row.cells, now))))) leave('unknown', number);
      continue;
    }
    const old = known.row === undefined ? [] : (before.get(known.row) ?? []);
    const stood = isCsv ? readAsItStood(known, row, old, columns) : { cells: row.cells, rewritten: [] };
    const { cells } = stood;
    if (known.state === 'open') rewritten.push(...stood.rewritten.map(one => ({ ...one, row: number })));
    if (isAsTaken(known, cells, columns)) continue;
    const { changed, isOutdated } = findChanges(known, { ...row, cells }, old, columns);
    if (isOutdated && known.state === 'open') leave('outdated', number);
    if (changed.length === 0) continue;
    const errors = columns.filter(({ now }) => cells[now]?.kind === 'error');
    if ((counts.get(known) ?? 0) > 1) leave('double', number);
    else if (known.state !== 'open' || known.path === undefined) leave(reasonOfState(known.state), number);
    else if (changed.some(({ isFile }) => isFile)) leave('other-file', number);
    else if (errors.length > 0) errorsTold.push(...errors.map(({ now }) => tellError(number, now, cells)));
    else {
      const texts = textsOf(cells, columns, known.path);
      const named = columns.map(({ now }, at) => ({ column: now, text: texts[at] ?? '' }));
      const tooLong = tellTooLong(number, named, texts);
      longTold.push(...tooLong);
      const at = changed.map(column => columns.indexOf(column));
      if (tooLong.length === 0)
        corrected.push({
          number,
          path: known.path,
          cells: texts,
          changed: at,
          reason: textAt(row.cells, reasonAt),
          ...kindsIn(cells, old, columns),
        });
    }
  }
  const told = [
    ...cutFaults(errorsTold, 'cell shows an error.', 'cells show an error.'),
    ...cutFaults(longTold, 'cell or row is too long.', 'cells or rows are too long.'),
    ...[...left].map(([reason, rows]) => REASONS[reason](tellRows(rows))),
    ...rewritten.slice(0, 1).map(one => tellRewritten(one.row, one, rewritten.length - 1)),
  ];
  const isOutdated = left.has('outdated') || rewritten.length > 0;
  return {
    kind: 'read',
    headers: columns.map(({ header }) => header),
    rows: corrected,
    told,
    ...(isOutdated ? { isOutdated } : {}),
  };
}

/** Against all that has stood in each of its cells. */
function readAsItStood(
  { taken, steps = [] }: ReceiptRowNow,
  { cells, mark }: MarkedRow,
  old: readonly Cell[],
  columns: readonly SheetColumn[],
): ReturnType<typeof asItStood> {
  const shown = Math.min(mark?.corrections ?? 0, steps.length);
  const since = steps.slice(shown).map(({ said }) => said);
  const said = [taken, ...since.toReversed()].flatMap(one => one ?? []);
  const beforeOf = new Map(columns.map(({ key, before }) => [key, before]));
  return asItStood(cells, columns, key => {
    const before = beforeOf.get(key);
    const base = steps[shown - 1]?.shows;
    const stood = base === undefined ? old[before ?? -1] : toSaidCell(base, key);
    return [...(stood === undefined ? [] : [stood]), ...said.map(one => toSaidCell(one, key))];
  });
}

function toSaidCell(said: SaidRow, key: string): Cell {
  return { text: said.get(key) ?? '', kind: 'text' };
}

function isAsTaken(
  { taken }: ReceiptRowNow,
  cells: readonly Cell[],
  columns: readonly SheetColumn[],
): boolean {
  if (taken === undefined) return false;
  return columns.every(({ now, isFile, key }) => isFile || textAt(cells, now) === trim(taken.get(key) ?? ''));
}

/**
 * Against the sheet as it was put there: a correction that was taken up since is no change of this sheet,
 * neither where the sheet has it nor where it has what stood there before. Of one that was refused afterwards
 * the run may have kept the values, or not: each cell goes that says something else than any time before. So
 * it is with one that nobody asked for; but a copy with that in it says nothing of what is asked since.
 */
function findChanges(
  { row: listed, steps = [] }: ReceiptRowNow,
  { cells, mark }: MarkedRow,
  old: readonly Cell[],
  columns: readonly SheetColumn[],
): { readonly changed: readonly SheetColumn[]; readonly isOutdated: boolean } {
  const shown = Math.min(mark?.corrections ?? 0, steps.length);
  const { isRefused = false, isUnasked = false } = steps.at(-1) ?? {};
  let isOutdated = false;
  const changed = columns.filter(({ isFile, before, now, key }) => {
    const text = textAt(cells, now);
    if (isFile) return listed !== undefined && text !== textAt(old, before);
    const say = (said: SaidRow | undefined) => trim(said?.get(key) ?? '');
    const base = shown === 0 ? textAt(old, before) : say(steps[shown - 1]?.shows);
    const since = steps.slice(shown).map(({ said }) => say(said));
    const kept = isRefused ? since.slice(0, -1) : since;
    const isSentAgain =
      (isRefused || isUnasked) &&
      since.length === 0 &&
      [textAt(old, before), ...steps.map(({ shows }) => say(shows))].some(earlier => earlier !== text);
    const isChanged = (text !== base && !kept.includes(text)) || isSentAgain;
    if (!isChanged && since.length > 0 && since.at(-1) !== text) isOutdated = true;
    return isChanged;
  });
  return { changed, isOutdated };
}

/** The rows as they were read: by number, and their texts as keys, by which a row without a mark is known. */
function indexRegister(
  { register: { rows } = PLAIN_REGISTER }: ReceiptNow,
  columns: readonly SheetColumn[],
  toKey: (texts: readonly string[]) => string,
) {
  return {
    before: new Map(rows.map(({ number, cells }) => [number, cells])),
    asBefore: new Set(rows.map(({ cells }) => toKey(columns.map(({ before }) => textAt(cells, before))))),
  };
}

/** Which row of the receipt a row of the sheet is. */
function rowFinder(
  { jobId, rows }: ReceiptNow,
  columns: readonly SheetColumn[],
  folderAt: number | undefined,
) {
  const fileAt = columns.find(({ isFile }) => isFile)?.now;
  const listed = new Map<number, ReceiptRowNow>();
  const unlisted = new Map<string, ReceiptRowNow>();
  for (const each of rows) {
    if (each.row !== undefined) listed.set(each.row, each);
    else if (each.path !== undefined) {
      // The receipt shows the path as it is in a workbook, and made safe in a CSV.
      for (const way of [each.path, toCsvText(each.path)]) unlisted.set(trim(way), each);
    }
  }
  return ({ mark, cells }: MarkedRow): ReceiptRowNow | undefined => {
    if (mark?.jobId !== jobId) return undefined;
    if (mark.row !== undefined) return listed.get(mark.row);
    const folder = textAt(cells, folderAt);
    return unlisted.get(`${folder === '' ? '' : `${folder}/`}${textAt(cells, fileAt)}`);
  };
}

function reasonOfState(state: RowState): Reason {
  return state === 'open' ? 'no-file' : state;
}

function textsOf(cells: readonly Cell[], columns: readonly SheetColumn[], path: string): readonly string[] {
  return columns.map(({ isFile, now }) => (isFile ? path : (cells[now]?.text ?? '')));
}

/** What stands as it stood is what it was: programs make texts of numbers, and numbers of texts. */
function kindsIn(
  cells: readonly Cell[],
  old: readonly Cell[],
  columns: readonly SheetColumn[],
): KindLists<number> {
  return listKinds(
    columns.map(({ isFile, before, now }, at) => {
      const isAsBefore = before !== undefined && textAt(cells, now) === textAt(old, before);
      const cell = (isAsBefore ? old[before] : cells[now]) ?? EMPTY_CELL;
      return [at, isFile ? 'text' : kindOf(cell)];
    }),
  );
}

/** Characters shown of a cell's error: a name in it may be long. */
const MOST_SHOWN = 80;
/** Faults that are told each: one formula that is wrong, or too long, is so in every row. */
const MOST_FAULTS = 100;

function cutFaults(faults: readonly string[], one: string, many: string): readonly string[] {
  const rest = faults.length - MOST_FAULTS;
  if (rest <= 0) return faults;
  return [...faults.slice(0, MOST_FAULTS), `${rest} further ${rest === 1 ? one : many}`];
}

function tellError(row: number, column: number, cells: readonly Cell[]): string {
  return `Row ${row}, column ${columnLetter(column)}: The cell shows ${(cells[column] ?? EMPTY_CELL).text.trim().slice(0, MOST_SHOWN)}. Correct the formula, or write the value.`;
}

export function tellRows(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? 'Row' : 'Rows'} ${joinSome(numbers.map(String))}`;
}

function refused(text: string): Corrections {
  return { kind: 'refused', text };
}
