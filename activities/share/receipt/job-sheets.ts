// The receipt of a job as people read it: their register with what became of each row, or a workbook with
// what did not go through first. Made from the sealed receipts of its batches; those stay the truth.
import type { Register } from '../../registers/find-register';
import {
  type CorrectedRows,
  columnsToFill,
  type PlacedRows,
  placeCorrected,
} from '../../registers/receipt/corrected-cells';
import type { FileResult } from '../../registers/receipt/plain-receipt';
import type { ReceiptFacts } from '../../registers/receipt/receipt-about';
import type { DocumentResult } from '../../registers/receipt/receipt-row';
import type {
  RegisterReceipt,
  RegisterResult,
  UnlistedResult,
} from '../../registers/receipt/register-receipt';
import { type SheetTask, writeInThread } from '../../registers/receipt/write-in-thread';
import { columnNumber } from '../../registers/sheet/column-letter';
import type { SheetFile } from '../../registers/sheet/grid';
import { SheetError } from '../../registers/sheet/sheet-error';
import { FIX_NOT_THERE, tallyOutcomes } from '../../registers/words/outcome-words';
import type { Receipt, ReceiptRow } from '../batch/kept-receipt';
import { OUTCOME_OF_ROW } from '../batch/outcome-of-row';
import { nameOf } from '../files/relative-path';
import type { JobRecord } from '../jobs/job-record';
import { type NamedBatch, nameBeside } from './receipt-files';
import { tellSource } from './tell-source';
import { notesOf, whatToDoOf } from './words-of-row';

export interface JobSheetInput {
  readonly record: JobRecord;
  /** Names of files that were left in its folder. */
  readonly ignored: readonly string[];
  readonly ignoredInAll?: number | undefined;
  /** Names of files that no row was about and that stayed there. */
  readonly left?: readonly string[];
  readonly leftInAll?: number | undefined;
  /** Those of its batches, in the order of the job, final unless `isSoFar`; there is at least one. */
  readonly receipts: readonly Receipt[];
  readonly register?: ReadRegister | undefined;
  /** Of all times in it. */
  readonly zone: string;
  /** The job has not ended: some of its documents are held or on their way. */
  readonly isSoFar?: boolean;
  /** Of a sheet without a register: columns in which a person writes what is missing. */
  readonly toFill?: readonly string[];
  /** What people have corrected in rows that are held, by the path below the job's folder. */
  readonly corrected?: CorrectedRows;
}

/** The register that the job had for all its batches. */
export interface ReadRegister {
  /** Below the job's folder. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: Buffer;
  readonly file: SheetFile;
  readonly register: Register;
  /** Rows about files that did not come; told only at the end of the job. */
  readonly notThere: readonly { readonly row: number; readonly file: string; readonly text: string }[];
}

export interface JobSheet {
  readonly name: string;
  readonly bytes: Buffer;
}

/** File systems take names of 255 bytes; other programs add to them. */
const LONGEST_NAME = 200;

/**
 * Undefined when the workbook cannot be written: that must not keep a job from its end, and the other
 * receipts say the same.
 */
export async function makeJobSheet(input: JobSheetInput): Promise<JobSheet | undefined> {
  const { register, receipts } = input;
  if (register !== undefined) {
    const bytes = await tryWrite(toRegisterTask(input, register));
    if (bytes !== undefined) return { name: nameBeside(receipts, nameFor(register.path)), bytes };
  }
  const bytes = await tryWrite(toPlainTask(input));
  return bytes && { name: nameBeside(receipts, 'receipt.xlsx'), bytes };
}

/**
 * The sheet in which held rows are corrected. Undefined when it cannot be written: a plain one in the place
 * of the register's lacks the columns in which they are.
 */
export async function makeSheetToCorrect(input: JobSheetInput): Promise<Buffer | undefined> {
  const { register } = input;
  return await tryWrite(register === undefined ? toPlainTask(input) : toRegisterTask(input, register));
}

/** What the sheet of a job may be called; the first one that lies there is its sheet. */
export function listSheetNames(
  register: string | undefined,
  receipts: readonly NamedBatch[],
): readonly string[] {
  const names = [...(register === undefined ? [] : [nameFor(register)]), 'receipt.xlsx'];
  return names.map(name => nameBeside(receipts, name));
}

async function tryWrite(task: SheetTask): Promise<Buffer | undefined> {
  try {
    return await writeInThread(task);
  } catch (error) {
    if (error instanceof SheetError) return undefined;
    throw error;
  }
}

/** What the sheet is called in which held rows of a job are corrected. */
export function nameToCorrect(register: string | undefined, receipts: readonly Receipt[]): string {
  if (register === undefined) return nameBeside(receipts, 'receipt.xlsx').replace(/^receipt/, 'to-correct');
  return nameBeside(receipts, nameFor(register)).replace(/^receipt-/, 'to-correct-');
}

/** With the register's own name in it, so that it is known as one when it comes back. */
function nameFor(path: string): string {
  const name = nameOf(path);
  return Buffer.byteLength(name) <= LONGEST_NAME
    ? `receipt-${name}`
    : `receipt-register${/\.[^.]+$/.exec(name)?.[0]}`;
}

const NONE_CORRECTED: CorrectedRows = new Map();

function toPlainTask(input: JobSheetInput): SheetTask {
  const { corrected = NONE_CORRECTED, toFill = [], register } = input;
  // In the place of a register's sheet it lacks what the rows said.
  const needs = register === undefined ? SUCH_AS_THIS : undefined;
  const results = listFiles(input).map(({ file, path }): FileResult => {
    const { corrections = 0, said } = corrected.get(path) ?? {};
    const filled = said === undefined ? {} : { corrections, filled: said };
    return { path, ...toResult(file, needs), ...filled };
  });
  const columns = columnsToFill(corrected, toFill);
  return { kind: 'plain-workbook', facts: toFacts(input, results), results, toFill: columns };
}

function toRegisterTask(input: JobSheetInput, read: ReadRegister): SheetTask {
  const { register, file, bytes } = read;
  const grid = file.grids.find(({ name }) => name === register.sheet);
  const rows = (grid?.rows ?? []).map(cells => cells.map(({ text, written = text }) => written));
  const { corrected = NONE_CORRECTED } = input;
  const cellsOf = new Map(register.rows.map(({ number, cells }) => [number - 1, cells]));
  const textAt = (row: number, column: number) => cellsOf.get(row)?.[column]?.text ?? '';
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const placed = placeCorrected(corrected, register.columns, textAt, width);
  const { results, unlisted } = splitByRows(input, read, placed);
  const receipt: RegisterReceipt = {
    facts: {
      ...toFacts(input, [...results, ...unlisted]),
      register: { path: read.path, sha256: read.sha256 },
    },
    headerRow: register.headerRow - 1,
    headers: rows[register.headerRow - 1] ?? [],
    fileColumn: register.columns.find(({ meaning }) => meaning.kind === 'file')?.index ?? 0,
    results,
    unlisted,
    added: placed.added,
  };
  return file.csv === undefined
    ? { kind: 'register-workbook', register: { bytes, sheetName: register.sheet, rows }, receipt }
    : { kind: 'register-csv', register: { rows, dialect: file.csv }, receipt };
}

interface ByRows {
  readonly results: readonly RegisterResult[];
  readonly unlisted: readonly UnlistedResult[];
}

/** Each row has one file; a second one of the same row, and files without one, stand below. */
function splitByRows(input: JobSheetInput, { notThere }: ReadRegister, placed: PlacedRows): ByRows {
  const results = new Map<number, RegisterResult>();
  const unlisted: UnlistedResult[] = [];
  for (const { file, path, isOfRegister } of listFiles(input)) {
    const row = isOfRegister && file.row !== undefined ? file.row - 1 : undefined;
    const isListed = row !== undefined && !results.has(row);
    const corrections = input.corrected?.get(path)?.corrections ?? 0;
    const written = placed.cellsOf(path, isListed ? row : undefined);
    const result = { ...toResult(file, SUCH_AS_THIS), corrections, written };
    if (isListed) results.set(row, { row, faultyColumns: listFaulty(file), ...result });
    else unlisted.push({ file: path, ...result });
  }
  // On the way, what has not come may still lie in the drop folder or be on its way into a batch.
  for (const { row, text } of input.isSoFar === true ? [] : notThere) {
    if (results.has(row - 1)) continue;
    results.set(row - 1, {
      row: row - 1,
      outcome: 'set-apart',
      reason: `Listed, not there. ${text}`,
      whatToDo: FIX_NOT_THERE,
    });
  }
  return { results: [...results.values()], unlisted };
}

interface JobFile {
  readonly file: ReceiptRow;
  /** Below the job's folder. */
  readonly path: string;
  /** Its row is one of the job's register, and of no other that came with its batch. */
  readonly isOfRegister: boolean;
}

function listFiles({ record, receipts }: JobSheetInput): readonly JobFile[] {
  const within = record.folder === null ? '' : `${record.folder}/`;
  return receipts.flatMap(({ files, registers }) =>
    files.map(file => ({
      file,
      path: file.path.startsWith(within) ? file.path.slice(within.length) : file.path,
      isOfRegister: registers === undefined,
    })),
  );
}

const SUCH_AS_THIS = 'a register that lists it, such as this sheet';

/** A row of a batch's receipt in the words for people. */
function toResult(row: ReceiptRow, needs: string | undefined): DocumentResult {
  const whatToDo = whatToDoOf(row, needs);
  return {
    outcome: OUTCOME_OF_ROW[row.outcome],
    ...(row.reason === undefined ? {} : { reason: row.reason.text }),
    ...(whatToDo === undefined ? {} : { whatToDo }),
    ...(row.revisionId ? { revision: row.revisionId } : {}),
    ...(row.uploadId === undefined ? {} : { uploadId: row.uploadId }),
    ...(row.submittedAt === undefined ? {} : { submittedAt: row.submittedAt }),
    ...(row.sha256 === undefined ? {} : { sha256: row.sha256 }),
    sizeBytes: row.sizeBytes,
    values: row.stored.map(({ label, value, from }) => ({
      label,
      value,
      ...(from === undefined ? {} : { from: tellSource(from, row.row) }),
    })),
    notes: notesOf(row),
  };
}

/** Columns that the reason names, from 0, as the register came. */
export function listFaulty({ reason, row }: Pick<ReceiptRow, 'reason' | 'row'>): readonly number[] {
  if (reason === undefined || row === undefined) return [];
  const named = reason.text.matchAll(new RegExp(`Row ${row}, column ([A-Z]{1,3}):`, 'g'));
  return [...named].map(([, letters = '']) => columnNumber(letters));
}

function toFacts(
  { record, receipts, ignored, ignoredInAll, left = [], leftInAll, zone, isSoFar = false }: JobSheetInput,
  results: readonly DocumentResult[],
): ReceiptFacts {
  const written = receipts.map(({ writtenAt }) => writtenAt).sort();
  return {
    jobId: record.jobId,
    jobName: record.place,
    share: record.share,
    tally: tallyOutcomes(results.map(({ outcome }) => outcome)),
    writtenAt: written.at(-1) ?? record.createdAt,
    zone,
    isFinal: !isSoFar,
    ignored,
    ignoredInAll,
    left,
    leftInAll,
  };
}
