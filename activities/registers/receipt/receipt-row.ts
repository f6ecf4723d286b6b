// What a receipt says of one document, in the words of people: the same for a register that goes back, for a
// receipt without one, and for the status file. Pure.
import { FORETOLD_WORDS, type Foretold } from '../words/foretold-words';
import { toSheetTime } from '../words/local-time';
import { OUTCOME_WORDS, type Outcome } from '../words/outcome-words';
import type { AddedRow } from '../write/additions';
import type { Tone } from '../write/looks';
import { markCorrected } from './receipt-columns';

export interface StoredValue {
  readonly label: string;
  readonly value: string;
  /** Where it came from, as it follows on the value: "register", "file name". */
  readonly from?: string;
}

/** One document of a job. Texts may hold anything: names and answers of others stand in them. */
export interface DocumentResult {
  readonly outcome: Outcome;
  /** In a test run: what would become of it. `outcome` is the nearest to that. */
  readonly foretold?: Foretold;
  /** What is wrong, and what to do about it; for what is held or set apart. */
  readonly reason?: string;
  readonly whatToDo?: string;
  /** The revision in the service, as people name it; else its id. */
  readonly revision?: string;
  readonly uploadId?: string;
  /** ISO, UTC. */
  readonly submittedAt?: string;
  readonly sizeBytes?: number;
  readonly sha256?: string;
  readonly values?: readonly StoredValue[];
  readonly notes?: readonly string[];
  /** While it is held: how many corrections of its row the sheet shows. */
  readonly corrections?: number;
}

const TONES: Readonly<Record<Outcome, Tone>> = {
  through: 'well',
  'already-there': 'same',
  'on-the-way': 'moves',
  'in-line': 'moves',
  held: 'waits',
  'set-apart': 'wrong',
};

const FORETOLD_TONES: Readonly<Record<Foretold, Tone>> = {
  through: 'well',
  'already-there': 'same',
  open: 'moves',
  held: 'waits',
  'set-apart': 'wrong',
  'not-there': 'wrong',
};

/**
 * The result as the cells of our columns, in their order. `mark` is the text of the column `MARK_HEADER`, by
 * which the row is known again.
 */
export function toAddedRow(result: DocumentResult, mark: string, zone: string): AddedRow {
  const { outcome, foretold, submittedAt, sizeBytes } = result;
  const isTest = foretold !== undefined;
  return {
    tone: isTest ? FORETOLD_TONES[foretold] : TONES[outcome],
    front: [
      isTest ? `TEST: ${FORETOLD_WORDS[foretold].word}` : OUTCOME_WORDS[outcome].word,
      result.reason ?? '',
      result.whatToDo ?? '',
      result.revision ?? (outcome === 'through' && !isTest ? 'not told' : ''),
    ],
    back: [
      markCorrected(mark, result.corrections ?? 0),
      tellValues(result.values ?? []),
      submittedAt === undefined ? '' : toSheetTime(submittedAt, zone),
      result.uploadId ?? '',
      sizeBytes === undefined ? '' : String(sizeBytes),
      result.sha256 ?? '',
      (result.notes ?? []).join(' '),
    ],
  };
}

/** "Status: A4 (register); Type: Drawing (file name)". */
function tellValues(values: readonly StoredValue[]): string {
  return values
    .map(({ label, value, from }) => `${label}: ${value}${from === undefined ? '' : ` (${from})`}`)
    .join('; ');
}
