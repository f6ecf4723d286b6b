// What a receipt says of one document, in the words of people: the same for a register that goes back, for a
// receipt without one, and for the status file. Pure.
import { toSheetTime } from '../words/local-time';
import { OUTCOME_WORDS, type Outcome } from '../words/outcome-words';
import type { AddedRow } from '../write/additions';
import type { Tone } from '../write/looks';

export interface StoredValue {
  readonly label: string;
  readonly value: string;
  /** Where it came from, as it follows on the value: "register", "file name". */
  readonly from?: string;
}

/** One document of a job. Texts may hold anything: names and answers of others stand in them. */
export interface DocumentResult {
  readonly outcome: Outcome;
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
}

const TONES: Readonly<Record<Outcome, Tone>> = {
  through: 'well',
  'already-there': 'same',
  'on-the-way': 'moves',
  'in-line': 'moves',
  held: 'waits',
  'set-apart': 'wrong',
};

/**
 * The result as the cells of our columns, in their order. `mark` is the text of
 * the column that knows the row.
 */
export function toAddedRow(result: DocumentResult, mark: string, zone: string): AddedRow {
  const { outcome, submittedAt, sizeBytes } = result;
  return {
    tone: TONES[outcome],
    front: [
      OUTCOME_WORDS[outcome].word,
      result.reason ?? '',
      result.whatToDo ?? '',
      result.revision ?? (outcome === 'through' ? 'not told' : ''),
    ],
    back: [
      mark,
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
