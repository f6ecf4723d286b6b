// What each reason is called above its rows, and what is known beforehand of trying again without a change.
// Pure.
import type { KnownReason } from '../../../activities/share/receipt/corrected/set-apart-safety';
import { texts } from '../texts/texts';

/** Why a document would come back if tried again unchanged, as far as that can be told from here. */
type Stands = 'same-file' | 'same-values' | 'same-register' | 'same-rights' | 'nothing-known';

interface ReasonKind {
  readonly stands: Stands;
  /** A better file in its place may go through: with the same name, row and values. */
  readonly isOfFile?: true;
}

const { sameFile, sameValues, sameRegister, sameRights } = texts.apart.stands;
const STANDS: Readonly<Record<Stands, string | null>> = {
  'same-file': sameFile,
  'same-values': sameValues,
  'same-register': sameRegister,
  'same-rights': sameRights,
  'nothing-known': null,
};

const FILE: ReasonKind = { stands: 'same-file', isOfFile: true };
const NAME: ReasonKind = { stands: 'same-file' };
const BYTES: ReasonKind = { stands: 'nothing-known', isOfFile: true };
const VALUES: ReasonKind = { stands: 'same-values' };
const REGISTER: ReasonKind = { stands: 'same-register' };
const RIGHTS: ReasonKind = { stands: 'same-rights' };
const OPEN: ReasonKind = { stands: 'nothing-known' };

const KINDS: Readonly<Record<KnownReason, ReasonKind>> = {
  'empty-file': FILE,
  'too-large': FILE,
  'not-a-file': FILE,
  shortcut: FILE,
  'linked-twice': FILE,
  'unreadable-name': NAME,
  'control-characters': NAME,
  'direction-marks': NAME,
  'blank-name': NAME,
  'too-long': NAME,
  'keeps-changing': BYTES,
  'unreadable-file': BYTES,
  'file-changed': BYTES,
  'file-missing': BYTES,
  'file-unreadable': BYTES,
  'size-refused': FILE,
  'type-refused': NAME,
  'session-refused': BYTES,
  'too-slow': BYTES,
  'storage-refused': BYTES,
  'report-refused': BYTES,
  'never-available': BYTES,
  'ambiguous-value': VALUES,
  'inactive-value': VALUES,
  'list-not-shown': OPEN,
  'malformed-value': VALUES,
  'missing-values': VALUES,
  'too-many-values': VALUES,
  'unknown-field': VALUES,
  'unknown-value': VALUES,
  INVALID_PROPERTY: VALUES,
  INVALID_INPUT: VALUES,
  'register-unusable': REGISTER,
  'register-alone': REGISTER,
  'register-later': REGISTER,
  'receipt-alone': REGISTER,
  'register-header': REGISTER,
  'register-row': REGISTER,
  'not-listed': REGISTER,
  'link-failed': OPEN,
  'values-unconfirmed': OPEN,
  'values-changed': OPEN,
  'name-mismatch': OPEN,
  'event-id-missing': OPEN,
  'taken-by-a-person': OPEN,
  'perhaps-taken': OPEN,
  'perhaps-submitted': OPEN,
  'comes-and-goes': OPEN,
  'not-carried': OPEN,
  DUPLICATE_REVISION: VALUES,
  WORKFLOW_CONFLICT: OPEN,
  WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION: RIGHTS,
  UPLOAD_NOT_FOUND: OPEN,
  FILE_KEY_MISMATCH: OPEN,
  CONCURRENCY_CONFLICT: OPEN,
  UNKNOWN_FAILURE: OPEN,
  ACCESS_DENIED: RIGHTS,
  PERMISSION_DENIED: RIGHTS,
  INVALID_TOKEN: OPEN,
  INTERNAL_ERROR: OPEN,
  NOT_FOUND: OPEN,
  'hold-expired': OPEN,
  'set-apart-by-person': OPEN,
};

const TITLES: Readonly<Record<KnownReason, string>> = texts.apart.titles;

function kindOf(code: string): ReasonKind {
  return isKnown(code) ? KINDS[code] : OPEN;
}

function isKnown(code: string): code is KnownReason {
  return Object.hasOwn(KINDS, code);
}

export function titleOf(code: string): string {
  return isKnown(code) ? TITLES[code] : texts.apart.otherTitle;
}

/** Says why it would come back unchanged; null where it may well go through. */
export function standsOf(code: string): string | null {
  return STANDS[kindOf(code).stands];
}

/** Whether other values in its row can cure it: then the cause is gone with them. */
export function isOfValues(code: string): boolean {
  return ['same-values', 'same-register'].includes(kindOf(code).stands);
}

/** Whether a better file can cure it, under the same name and with the same row. */
export function isOfFile(code: string): boolean {
  return kindOf(code).isOfFile === true;
}
