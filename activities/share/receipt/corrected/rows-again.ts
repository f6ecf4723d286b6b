// Rows of a finished job that a person has sent anew by hand, as their register has them or with other
// values: the same record as that of a corrected sheet, so that whoever carries those on carries these.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { RegisterColumn } from '../../../registers/name-columns';
import { findReceiptColumns, PLAIN_COLUMNS } from '../../../registers/receipt/receipt-columns';
import { quote } from '../../../registers/register-fault';
import type { RegisterNames } from '../../../registers/register-name';
import { kindOf, type ListedKind, listKinds } from '../../../registers/sheet/cell-kinds';
import { type CellKind, EMPTY_CELL } from '../../../registers/sheet/grid';
import { MOST_COLUMNS, tellTooLong } from '../../../registers/sheet/row-limits';
import { isDone, type ReceiptRow } from '../../batch/kept-receipt';
import { isThere } from '../../files/if-there';
import { withSuffix } from '../../files/move-file';
import type { OnNotOurs } from '../../files/own-marks';
import { temporaryName } from '../../files/share-fs';
import { below, type ShareLayout } from '../../files/share-layout';
import type { KeptRegisters } from '../../jobs/kept-register';
import { cutTold } from '../held/sheet-room';
import { inJobOrder } from '../job-receipt';
import { hash } from '../receipt-files';
import { readFinal } from '../settle-job';
import type { SheetNews } from '../sheet-news';
import type { Correction } from './correction-record';
import { type FinishedJob, NO_NAME, nameOfRegister } from './decide-correction';
import { type Earlier, listWaiting } from './waiting-rows';

export interface RowAgain {
  /** As it was dropped, relative to the drop folder. */
  readonly path: string;
  /** Which of them, where several of this path were set apart; absent for the first. */
  readonly batchId?: string;
  readonly index?: number;
  /** Header of a column to what is to stand in it; what is not named stays. */
  readonly values: Readonly<Record<string, string>>;
  /** The upload that goes in the place of its file; absent where the file itself goes. */
  readonly file?: { readonly upload: string; readonly sha256: string };
}

/** Columns and rows as people see them in the register: without the columns of a receipt. */
export interface JobColumns {
  readonly headers: readonly string[];
  /** Which of `headers` is the column of the file, from 0. */
  readonly fileAt: number;
  readonly rows: readonly { readonly path: string; readonly cells: readonly string[] }[];
}

export interface RowsDeps {
  readonly kept: KeptRegisters;
  readonly isNamed: RegisterNames;
}

/**
 * What became of rows that were sent again. `gone`: their files lie there no more, and whether they went with
 * what was asked for them, nobody has seen here.
 */
export interface RowsNews extends Omit<SheetNews, 'kind'> {
  readonly kind: SheetNews['kind'] | 'gone';
  /** Of `taken`, `waits` and `gone`: which of those that were asked for. Of all others something is told. */
  readonly wanted?: readonly RowAgain[];
}

/** What rows that are sent again make. */
export interface DecidedAgain {
  readonly correction: Correction;
  /** Those that have a row in it, with the path of that row. */
  readonly asked: readonly { readonly row: RowAgain; readonly path: string }[];
  /** Left out, with no word told: they go with what was asked for them before. */
  readonly waiting: readonly { readonly row: RowAgain; readonly earlier: Earlier }[];
}

interface KnownRow {
  readonly batchId: string;
  readonly file: ReceiptRow;
  /** Below the job's folder. */
  readonly path: string;
  /** Of its row in the register, as people count; a file that no row lists is counted on behind them. */
  readonly number: number;
  readonly cells: readonly string[];
  /** Of each of `cells`. */
  readonly kinds: readonly (CellKind | ListedKind)[];
}

interface KnownRows {
  readonly headers: readonly string[];
  readonly fileAt: number;
  readonly rows: readonly KnownRow[];
}

/** With the rows that did not become revisions. Undefined while the job has no receipt. */
export async function readColumns(
  layout: ShareLayout,
  job: FinishedJob,
  deps: RowsDeps,
): Promise<JobColumns | undefined> {
  const known = await readRows(layout, job, deps);
  return (
    known && {
      headers: known.headers,
      fileAt: known.fileAt,
      rows: known.rows.map(({ file, cells }) => ({ path: file.path, cells })),
    }
  );
}

/** Undefined while the job has no receipt. */
export async function decideAgain(
  layout: ShareLayout,
  job: FinishedJob,
  { wanted, by }: { readonly wanted: readonly RowAgain[]; readonly by: string },
  deps: RowsDeps & { readonly onNotOurs: OnNotOurs },
): Promise<DecidedAgain | undefined> {
  const { jobId } = job.record;
  const known = await readRows(layout, job, deps);
  if (known === undefined) return undefined;
  const added = new Set(wanted.flatMap(({ values }) => Object.keys(values)));
  for (const header of known.headers) added.delete(header);
  const headers = [...known.headers, ...added];
  const told: string[] = [];
  const besideOf = await listLater(layout, job, known.rows);
  const earlierOf = await listWaiting(layout, job.paths, deps.onNotOurs);
  const asked: { row: RowAgain; path: string }[] = [];
  const waiting: { row: RowAgain; earlier: Earlier }[] = [];
  const rows = wanted.flatMap((again): Correction['rows'] => {
    const { path: dropped, batchId, index, values, file: given } = again;
    const ofPath = known.rows.filter(({ file }) => file.path === dropped);
    const row =
      ofPath.find(one => one.batchId === batchId && one.file.index === index) ??
      (batchId === undefined ? ofPath[0] : undefined);
    if (row === undefined) {
      told.push(`${quote(dropped)} is none of those that were set apart.`);
      return [];
    }
    const { file, path, number } = row;
    const later = batchId === undefined ? ofPath.find(one => besideOf.has(one)) : row;
    const beside = later && besideOf.get(later);
    if (beside !== undefined) {
      told.push(
        `Row ${number}: several files were set apart as ${quote(path)}, and lie there as ${quote(path)} and ${quote(beside)}. The later one goes when it is called ${quote(path)}, once the other one has gone.`,
      );
      return [];
    }
    const earlier = earlierOf.get(path);
    if (earlier !== undefined) {
      waiting.push({ row: again, earlier });
      return [];
    }
    const sha256 = given?.sha256 ?? file.sha256;
    if (sha256 === undefined) {
      told.push(
        `Row ${number}: the file ${quote(path)} itself could not be sent: ${file.reason?.text ?? ''} Drop a new one with a register.`,
      );
      return [];
    }
    const cells = headers.map((header, at) =>
      at === known.fileAt ? path : ((Object.hasOwn(values, header) ? values[header] : row.cells[at]) ?? ''),
    );
    const tooLong = tellTooLong(
      number,
      cells.map((text, column) => ({ column, text })),
      cells,
    );
    told.push(...tooLong);
    if (tooLong.length > 0) return [];
    const upload = given === undefined ? {} : { upload: given.upload };
    // What is given as it stood was not touched.
    const kinds = row.kinds.map((kind, at) => [at, cells[at] === row.cells[at] ? kind : 'text'] as const);
    asked.push({ row: again, path });
    return [{ number, path, sha256, ...upload, cells, ...listKinds(kinds) }];
  });
  const nothing: Correction = {
    version: 1,
    jobId,
    sheet: `What ${by} sent again`,
    // A new one each time: what was sent again may come back, and be sent once more.
    sheetSha256: hash(`${jobId} ${randomUUID()}`),
    headers: [],
    rows: [],
    told: cutTold(told),
  };
  if (headers.length > MOST_COLUMNS) {
    const text = `With what was added there are more than ${MOST_COLUMNS} columns. Drop the files with a register.`;
    return { correction: { ...nothing, told: [text] }, asked: [], waiting };
  }
  if (rows.length === 0) return { correction: nothing, asked, waiting };
  if (nameOfRegister(job.record, rows, deps.isNamed) === undefined)
    return { correction: { ...nothing, told: [...nothing.told, NO_NAME] }, asked: [], waiting };
  const folder = `${jobId} ${temporaryName().replace(/^\.tmp-/, '')}`;
  return { correction: { ...nothing, headers, rows, folder }, asked, waiting };
}

/**
 * Of several that were set apart under one path, those that lie beside the first one under another name, and
 * that name: the file that has the name of the first is none of theirs.
 */
async function listLater(
  layout: ShareLayout,
  { record }: FinishedJob,
  rows: readonly KnownRow[],
): Promise<ReadonlyMap<KnownRow, string>> {
  const later = new Map<KnownRow, string>();
  const others = new Map<string, KnownRow[]>();
  for (const row of rows) {
    const known = others.get(row.path);
    if (known === undefined) others.set(row.path, []);
    else known.push(row);
  }
  for (const [path, more] of others) {
    if (more.length === 0) continue;
    const names = await listBeside(layout, record.place, path, more.length, others);
    // Where fewer lie there than there are rows, some have gone or come back: which ones, names do not tell.
    for (const [at, row] of more.entries()) {
      const beside = names[at] ?? names.at(-1);
      if (beside !== undefined) later.set(row, beside);
    }
  }
  return later;
}

/**
 * The other names under which files of a path lie, `plan (2).pdf` and so on, in the order of their numbers.
 * @param most how many names moving can have given.
 * @param documents by their paths.
 */
async function listBeside(
  { fs, attention }: ShareLayout,
  place: string,
  path: string,
  most: number,
  documents: ReadonlyMap<string, unknown>,
): Promise<readonly string[]> {
  const names: string[] = [];
  let tried = 0;
  for (let turn = 2; tried < most; turn += 1) {
    const beside = withSuffix(path, turn).toString();
    // Under such a name a document lies that was dropped with it.
    if (documents.has(beside)) continue;
    tried += 1;
    if (await isThere(fs, below(join(attention, place), beside))) names.push(beside);
  }
  return names;
}

async function readRows(
  layout: ShareLayout,
  { record, paths }: FinishedJob,
  { kept }: RowsDeps,
): Promise<KnownRows | undefined> {
  const { folder, register } = record;
  const receipts = await readFinal(layout, paths);
  if (receipts === undefined || folder === null) return undefined;
  const read = register && (await kept.read(layout, paths, register));
  const columns = read === undefined ? PLAIN : listTheirs(read.register.columns);
  const cellsOf = new Map(read?.register.rows.map(({ number, cells }) => [number, cells]));
  const fileAt = columns.findIndex(({ meaning }) => meaning.kind === 'file');
  // The row of a batch that had a register of its own is none of the job's register.
  const files = inJobOrder(receipts).flatMap(({ batchId, files: all, registers }) =>
    all.map(file => ({ batchId, file, row: registers === undefined ? file.row : undefined })),
  );
  // Each file has a number of its own: those without a row are counted on from the last one that has a row.
  const numbers = [...cellsOf.keys(), ...files.flatMap(({ row }) => row ?? [])];
  let last = numbers.reduce((one, other) => Math.max(one, other), 1);
  const apart = files.filter(({ file }) => !isDone(file.outcome));
  const rows = apart.map(({ batchId, file, row }): KnownRow => {
    const path = file.path.startsWith(`${folder}/`) ? file.path.slice(folder.length + 1) : file.path;
    const cells = row === undefined ? undefined : cellsOf.get(row);
    if (row === undefined) last += 1;
    return {
      batchId,
      file,
      path,
      number: row ?? last,
      cells: columns.map(({ index }, column) => (column === fileAt ? path : (cells?.[index]?.text ?? ''))),
      kinds: columns.map(({ index }, column) =>
        column === fileAt ? 'text' : kindOf(cells?.[index] ?? EMPTY_CELL),
      ),
    };
  });
  return { headers: columns.map(({ header }) => header), fileAt, rows };
}

const PLAIN: readonly RegisterColumn[] = [
  { index: 0, letter: 'A', header: PLAIN_COLUMNS.file, meaning: { kind: 'file' } },
];

/** Without those of a receipt that was dropped as a register. */
function listTheirs(columns: readonly RegisterColumn[]): readonly RegisterColumn[] {
  const ours = new Set(findReceiptColumns(columns.map(({ header }) => header)));
  return columns.filter(({ index, header }) => !ours.has(index) && header !== '');
}
