// Answers for the rows of a saved sheet, batch by batch: one update each, or a few for much text. It may be
// repeated: a row answers what was asked when its sheet was read, and nothing that is asked since.
import { type HeldAnswer, QUESTION_CHANGED } from '../../../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../../../workflows/ingest/ingest-contract';
import { quote } from '../../../registers/register-fault';
import { pickKinds } from '../../../registers/sheet/cell-kinds';
import type { Receipt } from '../../batch/kept-receipt';
import { hash } from '../receipt-files';
import type { HeldBatch, HeldBatches } from './held-batches';
import type { Answered, SavedRows } from './held-marks';

type SavedRow = SavedRows['rows'][number];
type Refused = Answered['refused'][number];

export interface RowAnswers {
  readonly taken: number;
  /** Of the batches whose rows are not to be answered again. */
  readonly ends: readonly { readonly batchId: string; readonly refused: Refused[] }[];
  /** Other batches could not be asked: their rows are to be answered later. */
  readonly isLate: boolean;
}

/** The rows of a saved sheet, and when it was read. */
interface RowsToAnswer extends Pick<SavedRows, 'at'> {
  readonly rows: readonly SavedRow[];
}

/** A row, with what the run asks as it knows it: another question in its place refuses the answer. */
interface Due extends SavedRow {
  readonly meant: HeldAnswer['asked'];
}

/** Why an answer was not taken. */
interface Fault extends Pick<Refused, 'why' | 'isUnasked'> {
  readonly row: Due;
}

/** As the receipt is to say who answered. */
const AS = 'the corrected sheet';

/**
 * Temporal takes no argument of 2 MiB, and its client goes on sending one of 4 MiB until the time is up: that
 * could not be told from an outage, and such an answer would be given again for ever.
 */
const MOST_BYTES = 1024 ** 2;
const TOO_LONG = 'What was changed in it is longer than an answer may be. Shorten its cells.';

const AGAIN = 'If its values are to go as they stand, write "send" into a column "Action".';
const OTHERWISE_ASKED = `Something else is asked of it by now than its sheet was saved for, and it was not taken as an answer to that. Look at the row in the sheet that is made anew, and say there what is to become of it. ${AGAIN}`;
const RUN_ENDED = `The run of its batch has ended, and nobody takes an answer for it. Have the batch resumed ("drawbridge resume"), and then say once more what is to become of the row. ${AGAIN}`;

export async function answerRows(
  { rows, at }: RowsToAnswer,
  project: Receipt['project'],
  batches: HeldBatches,
): Promise<RowAnswers> {
  let taken = 0;
  let isLate = false;
  const ends: RowAnswers['ends'][number][] = [];
  for (const batchId of new Set(rows.map(row => row.batchId))) {
    const batch = { project, batchId };
    const ofBatch = rows.filter(row => row.batchId === batchId);
    const told = await answerBatch(batch, { rows: ofBatch, at }, batches);
    if (told === undefined) isLate = true;
    else ends.push({ batchId, refused: told.refused });
    taken += told?.taken ?? 0;
  }
  return { taken, ends, isLate };
}

/** Undefined where the batch cannot be asked just now: what of it was taken is not asked the next time. */
async function answerBatch(
  batch: HeldBatch,
  { rows, at }: RowsToAnswer,
  batches: HeldBatches,
): Promise<{ readonly taken: number; readonly refused: Refused[] } | undefined> {
  const waiting = await batches.ask(batch);
  if (waiting === undefined) return undefined;
  const heldOf = new Map(waiting.held.map(document => [document.path, document]));
  const due: Due[] = [];
  const refused: Refused[] = [];
  for (const row of rows) {
    const { number, file } = row;
    const held = heldOf.get(row.path);
    if (held === undefined) continue;
    const one = { ...row, meant: toMeant(held) };
    if (!isStillAsked(row, at, held)) refused.push({ number, file, why: OTHERWISE_ASKED, isUnasked: true });
    else if (bytesOf(one) > MOST_BYTES) refused.push({ number, file, why: TOO_LONG });
    else due.push(one);
  }
  if (due.length === 0) return { taken: 0, refused };
  try {
    const faults = await answerDue(batch, due, batches);
    return { taken: due.length - faults.length, refused: [...refused, ...faults] };
  } catch {
    return undefined;
  }
}

/** Whether what the run asks now is what the row answers. */
function isStillAsked({ asked, isSetApart }: SavedRow, at: string, held: HeldDocument): boolean {
  const { question, reason, sinceMs } = held;
  if (asked !== undefined) return asked.question === question && asked.reason === hash(reason.text);
  // Of an earlier version. What has been asked since before the sheet was read, nobody has answered since.
  const isAnswerable = isSetApart === true || question === 'missing-values' || question === 'duplicate';
  return isAnswerable && sinceMs <= Date.parse(at);
}

/** The words of a reason may be longer than those of an answer may be. */
const MOST_OF_REASON = 32_767;

function toMeant({ question, reason: { text } }: HeldDocument): Due['meant'] {
  return { question, ...(text.length > MOST_OF_REASON ? {} : { reason: text }) };
}

async function answerDue(batch: HeldBatch, due: readonly Due[], batches: HeldBatches): Promise<Refused[]> {
  const first = await send(batch, due, batches);
  const whyOf = new Map(first.map(({ row, why }) => [row.path, why]));
  const again = due.flatMap(row => reword(row, whyOf.get(row.path)) ?? []);
  const second = again.length === 0 ? [] : await send(batch, again, batches);
  const repeated = new Set(again.map(({ path }) => path));
  const faults = [...first.filter(({ row }) => !repeated.has(row.path)), ...second];
  return faults.map(({ row: { number, file }, why, ...rest }) => ({
    number,
    file,
    why: why.slice(0, 4_000),
    ...rest,
  }));
}

async function send(batch: HeldBatch, due: readonly Due[], batches: HeldBatches): Promise<readonly Fault[]> {
  const all: Fault[] = [];
  for (const part of inParts(due)) {
    const answers = { answers: part.map(toAnswer), as: AS, inCells: true as const };
    const told = await batches.answer(batch, answers);
    if (told === 'run-ended') {
      all.push(...part.map(row => ({ row, why: RUN_ENDED, isUnasked: true as const })));
      continue;
    }
    for (const { document, why } of told.refused) {
      const row = part.find(({ path }) => path === document);
      if (row !== undefined) all.push(toFault(row, why));
    }
  }
  return all;
}

/** Between our question and the answer, somebody else may have answered, and something else be asked. */
function toFault(row: Due, why: string): Fault {
  return why.startsWith(QUESTION_CHANGED) ? { row, why: OTHERWISE_ASKED, isUnasked: true } : { row, why };
}

/** As few as there can be, each of one update. */
function inParts(rows: readonly Due[]): readonly (readonly Due[])[] {
  const parts: Due[][] = [];
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

function bytesOf(row: Due): number {
  return Buffer.byteLength(JSON.stringify(toAnswer(row)));
}

function toAnswer(row: Due) {
  const { values, meant } = row;
  return {
    documents: [row.path],
    ...(Object.keys(values).length === 0 ? {} : { values }),
    ...pickKinds(row),
    ...(row.isSetApart === true ? { decision: 'set-apart' as const } : {}),
    ...(row.isSent ? { decision: 'retry' as const } : {}),
    asked: meant,
  };
}

/**
 * A refused row by what its refusal tells: without columns that are no fields of the project, and with a text
 * parted at its semicolons where it stands for several values. Undefined where that was not the reason.
 */
function reword(row: Due, why: string | undefined): Due | undefined {
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
