// Which documents that were set apart can be dropped again without a look: those that
// certainly have no revision. Pure.
//
// An upload that became COMPLETED stays in the service, which knows no way to delete it: days
// later somebody may have submitted it there. So only what ended before its upload was ever shown
// is put back without being named.
import { entryOf } from '../../activities/host/entry-of';
import type { ValueProblem } from '../../activities/ingest/decide/explain-value';
import type { EntryProblem } from '../../activities/ingest/decide/read-entry';
import type { FileRefusal } from '../../activities/share/drop/refuse-file';
import type { RegisterRefusal } from '../../activities/share/register/register-refusal';
import type { TransferRefusal } from '../../activities/transfer/ports';
import type { SetApartReason } from '../../workflows/ingest/decide/explain-set-apart';
import type { ServiceReasonCode } from '../../workflows/ingest/decide/judge-refusal';
import { type SetApartDocument, type StoppedFilter, toPlainCode } from './stopped-batch';

/**
 * Every code that a receipt can carry for a document that was set apart, but for codes of
 * the service that nobody knows.
 */
export type KnownReason =
  | FileRefusal
  | TransferRefusal
  | ValueProblem['code']
  | RegisterRefusal
  | EntryProblem
  | 'missing-values'
  | SetApartReason
  | 'perhaps-submitted'
  | ServiceReasonCode;

/** `no-revision`: unless its upload was seen. `look-first`: there may be a revision, or somebody decided. */
const AFTER_SET_APART: Readonly<Record<KnownReason, 'no-revision' | 'look-first'>> = {
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
  'ambiguous-value': 'no-revision',
  'inactive-value': 'no-revision',
  'list-not-shown': 'no-revision',
  'malformed-value': 'no-revision',
  'missing-values': 'no-revision',
  'too-many-values': 'no-revision',
  'unknown-field': 'no-revision',
  'unknown-value': 'no-revision',
  // Its register, or its row, cannot be used.
  'register-unusable': 'no-revision',
  'register-alone': 'no-revision',
  'register-later': 'no-revision',
  'receipt-alone': 'no-revision',
  'register-header': 'no-revision',
  'register-row': 'no-revision',
  'not-listed': 'no-revision',
  INVALID_PROPERTY: 'no-revision',
  INVALID_INPUT: 'no-revision',
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

/** A reason that this table does not know is one of the service's, or of a newer version: looked at first. */
export function isCertainlyWithoutRevision({
  reason: { code },
  wasSeen,
}: Pick<SetApartDocument, 'reason' | 'wasSeen'>): boolean {
  const verdict = entryOf(AFTER_SET_APART, code) ?? 'look-first';
  return verdict === 'no-revision' && !wasSeen;
}

/**
 * Whether it was asked for by name: its batch, itself, or the code of its reason;
 * words of a reason name nothing.
 */
export function isNamed(filter: StoppedFilter, { reason }: Pick<SetApartDocument, 'reason'>): boolean {
  return (
    filter.batchId !== undefined ||
    filter.document !== undefined ||
    (filter.reason !== undefined && toPlainCode(filter.reason) === toPlainCode(reason.code))
  );
}
