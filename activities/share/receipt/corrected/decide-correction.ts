// What a saved sheet of a finished job asks for: which of its rows that were set apart are to be sent anew,
// and what there is to say of the others. Decided once for each sheet, by what is sealed.
import { join } from 'node:path';
import { findMarked } from '../../../registers/corrections/marked-rows';
import {
  type ReceiptRowNow,
  type RowState,
  readCorrections,
} from '../../../registers/corrections/read-corrections';
import { type SaidRow, toSaidRow } from '../../../registers/receipt/said-row';
import { quote } from '../../../registers/register-fault';
import type { RegisterNames } from '../../../registers/register-name';
import { pickKinds } from '../../../registers/sheet/cell-kinds';
import type { SheetFile } from '../../../registers/sheet/grid';
import { readSheet } from '../../../registers/sheet/read-sheet';
import { SheetError } from '../../../registers/sheet/sheet-error';
import { isDone, type Receipt, type ReceiptRow, wasSeen } from '../../batch/kept-receipt';
import type { DocumentWords } from '../../drop/document-words';
import { isThere } from '../../files/if-there';
import { nameOf } from '../../files/relative-path';
import { temporaryName } from '../../files/share-fs';
import { below, type ShareLayout } from '../../files/share-layout';
import type { JobPaths, JobRecord } from '../../jobs/job-record';
import type { KeptRegisters } from '../../jobs/kept-register';
import { isDropped, NOTHING_CHANGED } from '../dropped-name';
import { cutTold } from '../held/sheet-room';
import { inJobOrder } from '../job-receipt';
import { hash } from '../receipt-files';
import type { Correction } from './correction-record';
import { type NeededInRow, neededInRow } from './set-apart-safety';
import { StoppedRows } from './stopped-rows';

/** A job that has its receipt. */
export interface FinishedJob {
  readonly record: JobRecord;
  readonly paths: JobPaths;
}

/** A sheet as it was saved. */
export interface SavedSheet {
  /** From the root of the share. */
  readonly path: string;
  readonly bytes: Buffer;
}

export interface DecideHow {
  readonly kept: KeptRegisters;
  /** Whether a file is a register by its name alone. */
  readonly isNamed: RegisterNames;
  /** What the headers are called that say which revision of which document it is. */
  readonly readWords: () => Promise<DocumentWords>;
  readonly mayWait: boolean;
  /** It has not the name of a sheet of this job: without a row of the job in it, it is a person's own. */
  readonly isOtherName?: boolean;
  /** What is told of it, where corrections are not read from such a sheet. */
  readonly unread?: string | undefined;
}

/** @throws SheetError `torn` for one that may still be being saved, as long as `mayWait`. */
export async function decideCorrection(
  layout: ShareLayout,
  job: FinishedJob,
  sheet: SavedSheet,
  receipts: readonly Receipt[],
  earlier: readonly Correction[],
  { kept, isNamed, readWords, mayWait, isOtherName = false, unread }: DecideHow,
): Promise<Correction> {
  const { jobId, folder, register } = job.record;
  const nothing: Correction = {
    version: 1,
    jobId,
    sheet: sheet.path,
    sheetSha256: hash(sheet.bytes),
    headers: [],
    rows: [],
    told: [],
  };
  if (folder === null || isDocument(folder, receipts, sheet)) return nothing;
  if (unread !== undefined) return { ...nothing, told: [unread] };
  const file = await readSheet(sheet.bytes, sheet.path).catch(error => {
    if (error instanceof SheetError && !(error.code === 'torn' && mayWait)) return error;
    throw error;
  });
  if (file instanceof SheetError) return { ...nothing, told: [file.message] };
  if (isOtherName && !hasRowsOf(jobId, file)) return nothing;
  const read = register && (await kept.read(layout, job.paths, register));
  const rows = listRows(folder, receipts, await listTaken(layout, job, earlier));
  const listed = new Set(rows.flatMap(({ row }) => row ?? []));
  const missing = (read?.register.rows ?? [])
    .filter(({ number }) => !listed.has(number))
    .map(({ number }): ReceiptRowNow => ({ row: number, state: 'no-file' }));
  const found = readCorrections(
    { jobId, register: read?.register, rows: [...rows.map(toRowNow), ...missing] },
    file,
  );
  if (found.kind === 'refused') return { ...nothing, told: [found.text] };
  const fileOf = new Map(rows.map(row => [row.path, row.file]));
  // What was told of an earlier save is not told once more, except to a person who has dropped the sheet.
  const isAsked = isDropped(nameOf(sheet.path));
  const known = new Set(isAsked ? [] : earlier.flatMap(correction => correction.told));
  const said = found.told.filter(text => !known.has(text));
  const stopped = new StoppedRows(found.headers, await readWords());
  const taken = found.rows.flatMap(row => {
    const { number, path, cells } = row;
    const file = fileOf.get(path);
    const { sha256, reason } = file ?? {};
    if (stopped.stops(row, neededIn(file))) return [];
    if (sha256 !== undefined) return [{ number, path, cells: [...cells], sha256, ...pickKinds(row) }];
    said.push(
      `Row ${number}: the file ${quote(path)} itself could not be sent, whatever its row says: ${reason?.text ?? ''} Drop a new one with a register.`,
    );
    return [];
  });
  said.push(...stopped.tell().filter(text => !known.has(text)));
  if (taken.length === 0 && said.length === 0 && isAsked) said.push(NOTHING_CHANGED);
  const told = cutTold(said);
  if (taken.length === 0) return { ...nothing, told };
  if (nameOfRegister(job.record, taken, isNamed) === undefined)
    return { ...nothing, told: [...told, NO_NAME] };
  const name = temporaryName().replace(/^\.tmp-/, '');
  return { ...nothing, headers: [...found.headers], rows: taken, told, folder: `${jobId} ${name}` };
}

function neededIn(file: ReceiptRow | undefined): NeededInRow {
  if (file?.reason === undefined) return 'send';
  return neededInRow({ reason: file.reason, wasSeen: wasSeen(file) });
}

/** Whether it is a document of the job, only called like a sheet of ours. */
function isDocument(folder: string, receipts: readonly Receipt[], { path, bytes }: SavedSheet): boolean {
  const files = receipts.flatMap(each => each.files);
  return files.some(file => file.path === `${folder}/${nameOf(path)}` && file.sha256 === hash(bytes));
}

function hasRowsOf(jobId: string, file: SheetFile): boolean {
  return findMarked(file)?.rows.some(({ mark }) => mark?.jobId === jobId) === true;
}

/** Names for the register of corrected rows, if the job had none; used if the share's settings know them. */
const NAMES = ['register.xlsx', 'transmittal.xlsx', 'document list.xlsx'];
export const NO_NAME =
  'The folder had no register, and what registers are called on this share is set so that none can be made of these rows: drop the files with a register.';

/** What the register of corrected rows is called; undefined where it would not be known as one. */
export function nameOfRegister(
  { register }: JobRecord,
  rows: Correction['rows'],
  isNamed: RegisterNames,
): string | undefined {
  if (register !== undefined) return register.path;
  const taken = new Set(rows.map(({ path }) => path.normalize('NFC').toLowerCase()));
  return NAMES.find(name => !taken.has(name) && isNamed(name));
}

interface FileRow extends ReceiptRowNow {
  readonly path: string;
  readonly file: ReceiptRow;
}

/**
 * What rows said that were taken up before, by path and header; not those whose files still lie there, but
 * for a correction that waits with its files.
 */
async function listTaken(
  { fs, attention, corrections }: ShareLayout,
  { record }: FinishedJob,
  earlier: readonly Correction[],
): Promise<TakenRows> {
  const taken = new Map<string, SaidRow>();
  for (const { headers, rows, folder } of earlier) {
    const waits = folder !== undefined && (await isThere(fs, join(corrections, folder)));
    for (const { path, cells } of rows) {
      if (!waits && (await isThere(fs, below(join(attention, record.place), path)))) continue;
      taken.set(path, toSaidRow(headers, cells));
    }
  }
  return taken;
}

type TakenRows = ReadonlyMap<string, SaidRow>;

function listRows(folder: string, receipts: readonly Receipt[], taken: TakenRows): readonly FileRow[] {
  return inJobOrder(receipts).flatMap(({ files, registers }) =>
    files.map((file): FileRow => {
      const path = file.path.startsWith(`${folder}/`) ? file.path.slice(folder.length + 1) : file.path;
      const before = taken.get(path);
      const state =
        before === undefined ? { state: stateOf(file) } : { state: 'taken' as const, taken: before };
      return { ...(registers === undefined ? rowOf(file) : {}), path, ...state, file };
    }),
  );
}

function rowOf({ row }: ReceiptRow): { readonly row?: number } {
  return row === undefined ? {} : { row };
}

function stateOf({ outcome }: ReceiptRow): RowState {
  return isDone(outcome) ? 'done' : 'open';
}

function toRowNow({ file: _file, ...row }: FileRow): ReceiptRowNow {
  return row;
}
