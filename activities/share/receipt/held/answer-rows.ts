// Answers for the rows of a saved sheet, batch by batch: one update each, or a few for much text. It may be
// repeated: what is not held any more is not answered again.
import { quote } from '../../../registers/register-fault';
import { pickKinds } from '../../../registers/sheet/cell-kinds';
import type { Receipt } from '../../batch/kept-receipt';
import type { HeldBatch, HeldBatches } from './held-batches';
import type { Answered, SavedRows } from './held-marks';

type SavedRow = SavedRows['rows'][number];

export interface RowAnswers {
  readonly taken: number;
  readonly refused: Answered['refused'];
  /** Some batches could not be asked: the whole is to be repeated later. */
  readonly isLate: boolean;
}

/** As the receipt is to say who answered. */
const AS = 'the corrected sheet';

/**
 * Temporal takes no argument of 2 MiB, and its client goes on sending one of 4 MiB until the time is up: that
 * could not be told from an outage, and such an answer would be given again for ever.
 */
const MOST_BYTES = 1024 ** 2;
const TOO_LONG = 'What was changed in it is longer than an answer may be. Shorten its cells.';

export async function answerRows(
  rows: readonly SavedRow[],
  project: Receipt['project'],
  batches: HeldBatches,
): Promise<RowAnswers> {
  let taken = 0;
  let isLate = false;
  const refused: Answered['refused'][number][] = [];
  for (const batchId of new Set(rows.map(row => row.batchId))) {
    const batch = { project, batchId };
    const waiting = await batches.ask(batch);
    const held = new Set(waiting?.held.map(({ path }) => path));
    const asked = rows.filter(row => row.batchId === batchId && held.has(row.path));
    if (waiting === undefined) isLate = true;
    const due = asked.filter(row => bytesOf(row) <= MOST_BYTES);
    const tooLong = asked.filter(row => bytesOf(row) > MOST_BYTES);
    refused.push(...tooLong.map(({ number, file }) => ({ number, file, why: TOO_LONG })));
    if (due.length === 0) continue;
    try {
      const faults = await answerBatch(batch, due, batches);
      taken += due.length - faults.length;
      refused.push(...faults);
    } catch {
      isLate = true;
    }
  }
  return { taken, refused, isLate };
}

async function answerBatch(
  batch: HeldBatch,
  rows: readonly SavedRow[],
  batches: HeldBatches,
): Promise<Answered['refused']> {
  const first = await send(batch, rows, batches);
  const whyOf = new Map(first.map(({ row, why }) => [row.path, why]));
  const again = rows.flatMap(row => reword(row, whyOf.get(row.path)) ?? []);
  const second = again.length === 0 ? [] : await send(batch, again, batches);
  const repeated = new Set(again.map(({ path }) => path));
  const refused = [...first.filter(({ row }) => !repeated.has(row.path)), ...second];
  return refused.map(({ row: { number, file }, why }) => ({ number, file, why: why.slice(0, 4_000) }));
}

async function send(batch: HeldBatch, rows: readonly SavedRow[], batches: HeldBatches) {
  const all: { readonly row: SavedRow; readonly why: string }[] = [];
  for (const part of inParts(rows)) {
    const { refused } = await batches.answer(batch, {
      answers: part.map(toAnswer),
      as: AS,
      inCells: true,
    });
    for (const { document, why } of refused) {
      const row = part.find(({ path }) => path === document);
      if (row !== undefined) all.push({ row, why });
    }
  }
  return all;
}

/** As few as there can be, each of one update. */
function inParts(rows: readonly SavedRow[]): readonly (readonly SavedRow[])[] {
  const parts: SavedRow[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    bytes += bytesOf(row);
    if (bytes > MOST_BYTES) {
      parts.push([]);
      bytes = bytesOf(row);
    }
    parts.at(-1)?.push(row);
  }
  return parts;
}

function bytesOf(row: SavedRow): number {
  return Buffer.byteLength(JSON.stringify(toAnswer(row)));
}

function toAnswer(row: SavedRow) {
  const { values } = row;
  return {
    documents: [row.path],
    ...(Object.keys(values).length === 0 ? {} : { values }),
    ...pickKinds(row),
    ...(row.isSetApart === true ? { decision: 'set-apart' as const } : {}),
    ...(row.isSent ? { decision: 'retry' as const } : {}),
  };
}

/**
 * A refused row by what its refusal tells: without columns that are no fields of the project, and with a text
 * parted at its semicolons where it stands for several values. Undefined where that was not the reason.
 */
function reword(row: SavedRow, why: string | undefined): SavedRow | undefined {
  if (why === undefined) return undefined;
  const known = Object.entries(row.values).filter(([name]) => !why.includes(`has no field ${quote(name)}`));
  const values = known.map(([name, text]): [string, string | string[]] => {
    if (typeof text !== 'string') return [name, text];
    const isSeveral = text.includes(';') && why.includes(`${quote(text)} for `);
    return [name, isSeveral ? partText(text) : text];
  });
  const isAsBefore = values.every(([name, value]) => row.values[name] === value);
  if (isAsBefore && values.length === Object.keys(row.values).length) return undefined;
  if (values.length === 0 && !row.isSent) return undefined;
  return { ...row, values: Object.fromEntries(values) };
}

/** One value stays a text: it is read as what stands in a cell, which a list is not. */
function partText(text: string): string | string[] {
  const parts = text.split(';').flatMap(part => (part.trim() === '' ? [] : [part.trim()]));
  return parts.length > 1 ? parts : (parts[0] ?? text);
}
