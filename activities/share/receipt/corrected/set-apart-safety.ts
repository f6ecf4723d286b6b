// Which documents that were set apart can be sent again without a look: those that certainly have no
// revision. And what has to be corrected in the row of one for it to go on: a remark that somebody writes
// beside a document, such as "found in the service", is no order to send it once more. Pure.
//
// An upload that became COMPLETED stays in the service, which knows no way to delete it: days
// later somebody may have submitted it there. So only what ended before its upload was ever shown
// is put back without being named.
import type { SetApartReason } from '../../../../workflows/ingest/decide/explain-set-apart';
import type { ServiceReasonCode } from '../../../../workflows/ingest/decide/judge-refusal';
import { entryOf } from '../../../host/entry-of';
import type { TransferRefusal } from '../../../transfer/ports';
import type { FileRefusal } from '../../drop/refuse-file';
import type { RegisterRefusal } from '../../register/register-refusal';
import type { SetApartFile } from '../set-apart';

/**
 * Every code that a receipt can carry for a document that was set apart, but for codes of
 * the service that nobody knows.
 */
export type KnownReason =
  | FileRefusal
  | TransferRefusal
  | RegisterRefusal
  | ValuesRefusal
  | SetApartReason
  | 'perhaps-submitted'
  | ServiceReasonCode;

/**
 * The plan gives them, of a value or of a row that no value can be made of: `test/types/reasons.test-d.ts`
 * holds that none is missing.
 */
type ValuesRefusal =
  | 'ambiguous-value'
  | 'inactive-value'
  | 'list-not-shown'
  | 'malformed-value'
  | 'too-many-values'
  | 'unknown-field'
  | 'unknown-value'
  | 'missing-values'
  | 'register-header'
  | 'register-row'
  | 'not-listed';

/**
 * `no-revision`: unless its upload was seen. `row-is-wrong`: the same, and its row is what is to be
 * corrected. `look-first`: there may be a revision, or somebody decided.
 */
type Verdict = 'no-revision' | 'row-is-wrong' | 'look-first';

const AFTER_SET_APART: Readonly<Record<KnownReason, Verdict>> = {
  // The file could not travel.
  'empty-file': 'no-revision',
  'too-large': 'no-revision',
  'not-a-file': 'no-revision',
  shortcut: 'no-revision',
  'linked-twice': 'no-revision',
  'unreadable-name': 'no-revision',
  'keeps-changing': 'no-revision',
  'unreadable-file': 'no-revision',
  'control-characters': 'no-revision',
  'direction-marks': 'no-revision',
  'blank-name': 'no-revision',
  'too-long': 'no-revision',
  // Its bytes did not arrive.
  'file-changed': 'no-revision',
  'file-missing': 'no-revision',
  'file-unreadable': 'no-revision',
  'size-refused': 'no-revision',
  'type-refused': 'no-revision',
  'session-refused': 'no-revision',
  'too-slow': 'no-revision',
  'storage-refused': 'no-revision',
  'report-refused': 'no-revision',
  'never-available': 'no-revision',
  // Its values do not fit the project; told before anything was made, or else the upload was seen.
  'ambiguous-value': 'row-is-wrong',
  'inactive-value': 'row-is-wrong',
  'list-not-shown': 'row-is-wrong',
  'malformed-value': 'row-is-wrong',
  'missing-values': 'row-is-wrong',
  'too-many-values': 'row-is-wrong',
  'unknown-field': 'row-is-wrong',
  'unknown-value': 'row-is-wrong',
  // Its register, or its row, cannot be used.
  'register-unusable': 'no-revision',
  'register-alone': 'no-revision',
  'register-later': 'no-revision',
  'receipt-alone': 'no-revision',
  'register-header': 'row-is-wrong',
  'register-row': 'row-is-wrong',
  'not-listed': 'row-is-wrong',
  INVALID_PROPERTY: 'row-is-wrong',
  INVALID_INPUT: 'row-is-wrong',
  // Its upload stands in the service, or it was gone, or submitting it was on its way.
  'link-failed': 'look-first',
  'values-unconfirmed': 'look-first',
  'values-changed': 'look-first',
  'name-mismatch': 'look-first',
  'event-id-missing': 'look-first',
  'taken-by-a-person': 'look-first',
  'perhaps-taken': 'look-first',
  'perhaps-submitted': 'look-first',
  'comes-and-goes': 'look-first',
  'not-carried': 'look-first',
  DUPLICATE_REVISION: 'look-first',
  WORKFLOW_CONFLICT: 'look-first',
  WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION: 'look-first',
  UPLOAD_NOT_FOUND: 'look-first',
  FILE_KEY_MISMATCH: 'look-first',
  CONCURRENCY_CONFLICT: 'look-first',
  UNKNOWN_FAILURE: 'look-first',
  ACCESS_DENIED: 'look-first',
  PERMISSION_DENIED: 'look-first',
  INVALID_TOKEN: 'look-first',
  INTERNAL_ERROR: 'look-first',
  NOT_FOUND: 'look-first',
  // A person decided, or had the time to.
  'hold-expired': 'look-first',
  'set-apart-by-person': 'look-first',
};

type Ended = Pick<SetApartFile, 'reason' | 'wasSeen'>;

export function isCertainlyWithoutRevision({ reason: { code }, wasSeen }: Ended): boolean {
  return verdictOf(code) !== 'look-first' && !wasSeen;
}

/**
 * What has to be corrected in its row: `anything` where it has no revision, or where its row is what was
 * wrong, whoever has seen its upload; else `send` in its column Action, by which somebody says that they have
 * looked. `revision`: that, or another Revision, Name or Number, as the service has this revision.
 */
export type NeededInRow = 'anything' | 'send' | 'revision';

export function neededInRow(ended: Ended): NeededInRow {
  const { code } = ended.reason;
  if (code === 'DUPLICATE_REVISION') return 'revision';
  return isCertainlyWithoutRevision(ended) || verdictOf(code) === 'row-is-wrong' ? 'anything' : 'send';
}

/** A reason that this table does not know is one of the service's, or of a newer version: looked at first. */
function verdictOf(code: string): Verdict {
  return entryOf(AFTER_SET_APART, code) ?? 'look-first';
}
