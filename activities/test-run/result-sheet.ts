// The result of a test run as people read it: the sheet that the receipt would be, each row marked TEST.
import type { FileResult } from '../registers/receipt/plain-receipt';
import type { ReceiptFacts } from '../registers/receipt/receipt-about';
import type { DocumentResult } from '../registers/receipt/receipt-row';
import type { RegisterReceipt, RegisterResult } from '../registers/receipt/register-receipt';
import { type SheetTask, writeInThread } from '../registers/receipt/write-in-thread';
import { SheetError } from '../registers/sheet/sheet-error';
import type { Foretold } from '../registers/words/foretold-words';
import { FIX_NOT_THERE, type Outcome, tallyOutcomes } from '../registers/words/outcome-words';
import { type PlannedCell, writeWorkbook } from '../registers/write/write-workbook';
import type { FoundRegister } from '../share/claim/job-registers';
import { listFaulty } from '../share/receipt/job-sheets';
import { tellSource } from '../share/receipt/tell-source';
import { type CheckReport, listLines, pathInFolder } from './check-report';
import { tellRound } from './explain-requirement';
import type { ForetoldFile } from './foretell-job';

export interface ResultSheet {
  readonly format: 'xlsx' | 'csv';
  readonly bytes: Buffer;
}

const NEAREST: Readonly<Record<Foretold, Outcome>> = {
  through: 'through',
  'already-there': 'already-there',
  open: 'on-the-way',
  held: 'held',
  'set-apart': 'set-apart',
  'not-there': 'set-apart',
};

/** The format of the result for a folder with this register. */
export function formatOfResult(register: FoundRegister | undefined): ResultSheet['format'] {
  return register?.file.csv === undefined ? 'xlsx' : 'csv';
}

/** A register that no library can write comes back as a sheet of our own. */
export async function makeResultSheet(
  report: CheckReport,
  register: FoundRegister | undefined,
): Promise<ResultSheet> {
  if (register !== undefined) {
    try {
      const bytes = await writeInThread(toRegisterTask(report, register));
      return { format: formatOfResult(register), bytes };
    } catch (error) {
      if (!(error instanceof SheetError)) throw error;
    }
  }
  return { format: 'xlsx', bytes: await writeInThread(toPlainTask(report)) };
}

/** A sheet that says, in place of a result, why there is none. */
export async function makeRefusalSheet(folder: string, why: string, madeAt: Date): Promise<ResultSheet> {
  const rows: PlannedCell[][] = [
    [{ text: `TEST of ${folder}`, look: 'title' }],
    [{ text: why, look: 'wrapped' }],
  ];
  const sheet = { name: 'TEST', widths: [110], rows, hasGrid: false };
  return {
    format: 'xlsx',
    bytes: await writeWorkbook({ title: `TEST of ${folder}`, sheets: [sheet], madeAt }),
  };
}

function toPlainTask(report: CheckReport): SheetTask {
  const results = report.files.map(
    (file): FileResult => ({ path: pathInFolder(report, file.path), ...toResult(file) }),
  );
  return { kind: 'plain-workbook', facts: toFacts(report), results };
}

function toRegisterTask(report: CheckReport, { file, register, bytes }: FoundRegister): SheetTask {
  const grid = file.grids.find(({ name }) => name === register.sheet);
  const rows = (grid?.rows ?? []).map(cells => cells.map(({ text, written = text }) => written));
  const listed = report.files.filter(({ row }) => row !== undefined);
  const results = [
    ...listed.map((one): RegisterResult => {
      const faultyColumns = listFaulty({ row: one.row, reason: one.reason });
      return { row: (one.row ?? 1) - 1, faultyColumns, ...toResult(one) };
    }),
    ...report.notThere.map(
      ({ row, text }): RegisterResult => ({
        row: row - 1,
        outcome: 'set-apart',
        foretold: 'not-there',
        reason: text,
        whatToDo: FIX_NOT_THERE,
      }),
    ),
  ];
  const receipt: RegisterReceipt = {
    facts: toFacts(report),
    headerRow: register.headerRow - 1,
    headers: rows[register.headerRow - 1] ?? [],
    fileColumn: register.columns.find(({ meaning }) => meaning.kind === 'file')?.index ?? 0,
    results,
    unlisted: report.files
      .filter(({ row }) => row === undefined)
      .map(one => ({ file: pathInFolder(report, one.path), ...toResult(one) })),
  };
  return file.csv === undefined
    ? { kind: 'register-workbook', register: { bytes, sheetName: register.sheet, rows }, receipt }
    : { kind: 'register-csv', register: { rows, dialect: file.csv }, receipt };
}

function toResult(file: ForetoldFile): DocumentResult {
  const { foretold, reason, requirement, sha256, sizeBytes, row } = file;
  return {
    outcome: NEAREST[foretold],
    foretold,
    ...(reason === undefined ? {} : { reason: reason.text, whatToDo: reason.fix }),
    ...(foretold === 'open' && requirement !== undefined
      ? {
          reason: [requirement.now, ...requirement.later]
            .filter(({ lacks }) => lacks.length > 0)
            .map(round => `If ${tellRound(round)}.`)
            .join(' '),
          whatToDo: 'Give these values in the register or the name to be sure, or leave them to the service.',
        }
      : {}),
    sizeBytes,
    ...(sha256 === undefined ? {} : { sha256 }),
    values: file.values.map(({ label, value, from }) => ({
      label,
      value,
      ...(from === undefined ? {} : { from: tellSource(from, row) }),
    })),
    notes: [...(requirement === undefined ? [] : [`Required by: ${requirement.now.when}.`]), ...file.notes],
  };
}

function toFacts(report: CheckReport): ReceiptFacts {
  return {
    jobId: 'TEST',
    jobName: report.folder,
    share: report.share,
    tally: tallyOutcomes(report.files.map(({ foretold }) => NEAREST[foretold])),
    writtenAt: report.testedAt,
    zone: report.zone,
    isFinal: false,
    ignored: report.ignored,
    test: { tally: report.tally, lines: listLines(report) },
  };
}
