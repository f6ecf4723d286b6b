// Our columns of a receipt. They are known again by their headers, so that a receipt that comes back as a
// register is not given a second set of them. Pure.
import type { AddedColumn } from '../write/additions';

/** Why a file is not through, or what is asked of it. */
export const REASON_HEADER = 'Reason';

/** In front: what a person looks for. */
export const FRONT_COLUMNS: readonly AddedColumn[] = [
  { header: 'Outcome', width: 13 },
  { header: REASON_HEADER, width: 46, wraps: true },
  { header: 'What to do', width: 46, wraps: true },
  { header: 'Revision id', width: 30 },
];

/** Between ours, where there is no register: what a person calls the file, and where it lay. */
export const PLAIN_COLUMNS = { file: 'File', folder: 'Folder' };

/**
 * The first of ours to the right: it says which row of which receipt this is, however the sheet was sorted.
 */
export const MARK_HEADER = 'Receipt row';

/** To the right: what a person looks up. The zone of the times is named once, in the header. */
export function listBackColumns(zone: string): readonly AddedColumn[] {
  return [
    { header: MARK_HEADER, width: 26 },
    { header: 'Values as stored', width: 40 },
    { header: `Submitted (${zone})`, width: 26 },
    { header: 'Upload', width: 16 },
    { header: 'Size in bytes', width: 14 },
    { header: 'SHA-256', width: 68 },
    { header: 'Notes', width: 40 },
  ];
}

/**
 * Where our columns of an earlier receipt stand among these headers, from 0: those in front
 * wherever they stand side by side, those behind wherever they follow their mark. None for a
 * sheet that was never a receipt.
 */
export function findReceiptColumns(headers: readonly string[]): readonly number[] {
  const folded = headers.map(header => header.trim().toLowerCase());
  return [...findRun(folded, FRONT_COLUMNS), ...findRun(folded, listBackColumns(''))];
}

function findRun(headers: readonly string[], columns: readonly AddedColumn[]): readonly number[] {
  const wanted = columns.map(({ header }) => header.toLowerCase());
  const fits = (at: number) =>
    wanted.every((header, index) =>
      header.startsWith('submitted (')
        ? headers[at + index]?.startsWith('submitted (')
        : headers[at + index] === header,
    );
  const start = headers.findIndex((_, at) => fits(at));
  return start === -1 ? [] : wanted.map((_, index) => start + index);
}

/** `4f2a9c row 43`, the row as people count it. */
export function markRow(jobId: string, row: number): string {
  return `${jobId} row ${row}`;
}

/** Of a file that no row lists. */
export function markFile(jobId: string): string {
  return `${jobId} not listed`;
}

/** Of a held row that was corrected before: it says how many corrections of it the sheet shows. */
export function markCorrected(mark: string, corrections: number): string {
  return corrections === 0 ? mark : `${mark} corrected ${corrections}`;
}

/** In a receipt without a register the mark is the id of the job alone. */
const MARK =
  /^(?:(?=[0-9a-f]{20}(?: corrected \d+)?$)|(?=\S+ (?:row|not) ))(\S+)(?: (?:row (\d{1,9})|not listed))?(?: corrected (\d{1,9}))?$/;

const PLAIN_MARK = /^[0-9a-f]{20}(?: corrected \d+)?$/;

/** Whether it is the mark of a receipt that was made without a register. */
export function isPlainMark(text: string): boolean {
  return PLAIN_MARK.test(text.trim());
}

export interface Mark {
  readonly jobId: string;
  readonly row: number | undefined;
  /** How many corrections of the row the sheet showed when it was put there. */
  readonly corrections: number;
}

/** What a cell under the mark's header says; undefined for what we never wrote there. */
export function readMark(text: string): Mark | undefined {
  const [, jobId, row, corrections] = MARK.exec(text.trim()) ?? [];
  if (jobId === undefined) return undefined;
  return { jobId, row: row === undefined ? undefined : Number(row), corrections: Number(corrections ?? 0) };
}
