// What a saved sheet answers for held rows: the changed cells of each, and what is to be said of all else
// that was changed. Pure.
import { foldText } from '../../../host/fold-text';
import { foldHeader } from '../../../registers/column-words';
import {
  type CorrectedRow,
  type ReceiptNow,
  type ReceiptRowNow,
  type RowState,
  readCorrections,
} from '../../../registers/corrections/read-corrections';
import { indexWords, type WordIndex } from '../../../registers/name-columns';
import { keysOf } from '../../../registers/receipt/said-row';
import { quote } from '../../../registers/register-fault';
import { type KindLists, kindAt, type ListedKind, listKinds } from '../../../registers/sheet/cell-kinds';
import type { SheetFile } from '../../../registers/sheet/grid';
import { type Action, readAction } from '../../../registers/words/action-words';
import { isDone, type ReceiptRow } from '../../batch/kept-receipt';
import type { RegisterWords } from '../../register/find-job-register';
import { hash } from '../receipt-files';
import { ACTION, type CorrectedBefore } from './corrected-before';
import type { HeldHere, HeldState } from './gather-held';
import type { SavedRows } from './held-marks';
import { cutTold } from './sheet-room';

export interface HeldJob {
  readonly jobId: string;
  /** The top folder that it was dropped as. */
  readonly folder: string;
  readonly register: ReceiptNow['register'];
  readonly state: HeldState;
  /** What was corrected before, by the path of its file below the folder. */
  readonly before: ReadonlyMap<string, CorrectedBefore>;
  readonly words: Pick<RegisterWords, 'synonyms' | 'emptyWord'>;
}

export type DecidedRows = Pick<SavedRows, 'headers' | 'rows' | 'told' | 'isOutdated'>;

export function decideRows(job: HeldJob, sheet: SheetFile): DecidedRows {
  const rows = listRows(job);
  const listed = new Set(rows.flatMap(({ row }) => row ?? []));
  const missing = (job.register?.rows ?? [])
    .filter(({ number }) => !listed.has(number))
    .map(({ number }): ReceiptRowNow => ({ row: number, state: 'no-file' }));
  const found = readCorrections(
    { jobId: job.jobId, register: job.register, rows: [...rows, ...missing], isAnswered: true },
    sheet,
  );
  if (found.kind === 'refused') return { headers: [], rows: [], told: [found.text] };
  const { synonymOf } = indexWords({ fields: [], isComplete: false, synonyms: job.words.synonyms });
  const told = [...found.told];
  const taken = found.rows.flatMap(row => {
    const { path } = row;
    const here = job.state.held.get(`${job.folder}/${path}`);
    if (here === undefined) return [];
    const said = readRow(job, found.headers, row, synonymOf);
    const fault = findFault(here.question, said) ?? findKept(job, found.headers, row, said);
    if (fault !== undefined) told.push(`Row ${row.number}: ${fault}`);
    return fault === undefined ? [toSaved(job, here, row, said)] : [];
  });
  const { isOutdated } = found;
  return {
    headers: [...found.headers],
    rows: taken,
    told: cutTold(told),
    ...(isOutdated === undefined ? {} : { isOutdated }),
  };
}

interface Said extends Pick<SavedRows['rows'][number], 'values'>, KindLists<string> {
  /** What the column Action says, if that can answer a held document. */
  readonly action: 'send' | 'set-apart' | undefined;
}

function readRow(
  { words }: HeldJob,
  headers: readonly string[],
  row: CorrectedRow,
  synonymOf: WordIndex['synonymOf'],
): Said {
  const { cells, changed } = row;
  const values: Record<string, string | string[]> = {};
  const kinds: [string, ListedKind | 'text'][] = [];
  let action: Said['action'];
  for (const at of changed) {
    const header = headers[at] ?? '';
    const text = (cells[at] ?? '').trim();
    if (foldHeader(header) === ACTION) {
      action = toAnswer(readAction(text));
      continue;
    }
    const name = synonymOf(header) ?? bareHeader(header);
    values[name] = isEmptyWord(text, words) ? [] : text;
    kinds.push([name, kindAt(row, at)]);
  }
  return { values, action, ...listKinds(kinds) };
}

function isEmptyWord(text: string, { emptyWord }: HeldJob['words']): boolean {
  return foldText(text) === foldText(emptyWord);
}

function toAnswer(action: Action | undefined): Said['action'] {
  return action === 'send' || action === 'set-apart' ? action : undefined;
}

/** Without the mark by which templates show that a column is required. */
function bareHeader(header: string): string {
  return (
    header
      .replace(/\s+/g, ' ')
      .replace(/^[\s*]+/, '')
      // Only from where such a run begins: else the time grows with the square of its length.
      .replace(/(?<![\s*:.])[\s*:.]+$/, '')
  );
}

/** Why the row cannot be answered with what was changed in it. */
function findFault(question: HeldHere['question'], { values, action }: Said): string | undefined {
  if (action === 'set-apart') return undefined;
  const isAnyValue = Object.keys(values).length > 0;
  if (question === 'duplicate') {
    return action === 'send'
      ? undefined
      : 'it does not wait for a value alone. If it is to go, as its row says now, write "send" for it into a column "Action"; if it is not to go, write "set apart" there.';
  }
  if (question !== 'missing-values') {
    return 'it waits for something that a sheet answers in one way only: "set apart" in a column "Action", if it is not to go. Else ask for what its reason says.';
  }
  if (isAnyValue || action === 'send') return undefined;
  return 'what was changed in it says nothing of the document. Write the value that is missing or wrong, or "set apart" into the column "Action".';
}

/** A run lets an emptied cell say nothing: what it took up for that cell before would go on unseen. */
function findKept(
  { before, words }: HeldJob,
  headers: readonly string[],
  { path, cells, changed }: CorrectedRow,
  { action }: Said,
): string | undefined {
  if (action === 'set-apart') return undefined;
  const { steps = [] } = before.get(path) ?? {};
  const keys = keysOf(headers);
  for (const at of changed) {
    const [header = '', key = ''] = [headers[at], keys[at]];
    if (foldHeader(header) === ACTION || (cells[at] ?? '').trim() !== '') continue;
    const step = steps.findLast(({ said }) => (said.get(key) ?? '').trim() !== '');
    if (step === undefined) continue;
    const was = step.isUnasked === true ? 'may have been' : 'was';
    return `${quote(step.said.get(key) ?? '')} ${was} taken up for ${quote(header)}, and an empty cell does not take it back. If the field is to be empty, write ${quote(words.emptyWord)}; else write its value.`;
  }
  return undefined;
}

function toSaved(
  { folder }: HeldJob,
  here: HeldHere,
  { number, path, cells, reason: shown }: CorrectedRow,
  { values, action, ...kinds }: Said,
): SavedRows['rows'][number] {
  const { batch, question, reason } = here;
  const isOther = action === 'send' && isOfOtherDoubt(here, shown);
  // Values count also for a document that seems to be double: a mistyped Number may be why.
  const isValued = question === 'missing-values' || question === 'duplicate';
  return {
    number,
    batchId: batch.batchId,
    path: `${folder}/${path}`,
    file: path,
    cells: [...cells],
    ...(action !== 'set-apart' && isValued ? { values, ...kinds } : { values: {} }),
    isSent: action === 'send',
    ...(action === 'set-apart' ? { isSetApart: true } : {}),
    asked: { question, reason: hash(isOther ? shown : reason) },
  };
}

/**
 * A doubt that came in place of the one that the sheet shows was not seen by who wrote into that. What the
 * sheet shows ends with the reason; programs change signs and white space in it, and write no other words.
 */
function isOfOtherDoubt({ question, reason }: HeldHere, shown: string): boolean {
  const words = (text: string) => text.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '');
  return question === 'duplicate' && shown !== '' && !words(shown).endsWith(words(reason));
}

function listRows({ folder, state, before }: HeldJob): readonly ReceiptRowNow[] {
  return state.receipts.flatMap(({ files, registers }) =>
    files.map((file): ReceiptRowNow => {
      const path = file.path.startsWith(`${folder}/`) ? file.path.slice(folder.length + 1) : file.path;
      const known = before.get(path);
      return {
        ...(registers === undefined && file.row !== undefined ? { row: file.row } : {}),
        path,
        state: stateOf(file),
        ...(known === undefined ? {} : { steps: known.steps }),
        ...(known === undefined || known.isTaken ? {} : { taken: known.last }),
      };
    }),
  );
}

function stateOf({ outcome }: ReceiptRow): RowState {
  if (outcome === 'held') return 'open';
  if (outcome === 'open') return 'on-the-way';
  return isDone(outcome) ? 'done' : 'set-apart';
}
