// What each reason is called above its rows, and what is known beforehand of trying again without a change.
// Pure.
import type { KnownReason } from '../../resume/set-apart-safety';

/** Why it would come back, as far as that can be told from here. */
type Stands = 'same-file' | 'same-values' | 'same-register' | 'same-rights' | 'nothing-known';

interface ReasonWords {
  readonly title: string;
  readonly stands: Stands;
  /** A better file in its place may go through: with the same name, row and values. */
  readonly isOfFile?: true;
}

const STANDS: Readonly<Record<Stands, string | null>> = {
  'same-file': 'The file is the same; it would come back.',
  'same-values': 'Its values are the same; unless the project has changed, it would come back.',
  'same-register': 'Its register is the same; it would come back.',
  'same-rights': 'Unless the account was given the right since, it would come back.',
  'nothing-known': null,
};

const file = (title: string): ReasonWords => ({ title, stands: 'same-file', isOfFile: true });
const name = (title: string): ReasonWords => ({ title, stands: 'same-file' });
const bytes = (title: string): ReasonWords => ({ title, stands: 'nothing-known', isOfFile: true });
const values = (title: string): ReasonWords => ({ title, stands: 'same-values' });
const register = (title: string): ReasonWords => ({ title, stands: 'same-register' });
const rights = (title: string): ReasonWords => ({ title, stands: 'same-rights' });
const open = (title: string): ReasonWords => ({ title, stands: 'nothing-known' });

const WORDS: Readonly<Record<KnownReason, ReasonWords>> = {
  'empty-file': file('The file is empty'),
  'too-large': file('The file is too large'),
  'not-a-file': file('It is no file'),
  shortcut: file('It is a shortcut to a file'),
  'linked-twice': file('The file has a second name'),
  'unreadable-name': name('The name cannot be read'),
  'control-characters': name('The name has hidden signs'),
  'direction-marks': name('The name has hidden signs'),
  'blank-name': name('The name is blank'),
  'too-long': name('The name is too long'),
  'keeps-changing': bytes('The file kept changing'),
  'unreadable-file': bytes('The file could not be read'),
  'file-changed': bytes('The file changed while it was sent'),
  'file-missing': bytes('The file was gone'),
  'file-unreadable': bytes('The file could not be read'),
  'size-refused': file('The service refused the size of the file'),
  'type-refused': name('The service refused this kind of file'),
  'session-refused': bytes('The upload was refused'),
  'storage-refused': bytes('The storage refused the file'),
  'report-refused': bytes('The upload was not taken as whole'),
  'never-available': bytes('The upload never became ready'),
  'ambiguous-value': values('A value could mean more than one'),
  'inactive-value': values('A value is no longer in use'),
  'malformed-value': values('A value is not written as it should be'),
  'missing-values': values('Values are missing'),
  'too-many-values': values('There are too many values for a field'),
  'unknown-field': values('A field is not one of this project'),
  'unknown-value': values('A value is not one of this project'),
  INVALID_PROPERTY: values('The service refused a value'),
  INVALID_INPUT: values('The service refused the values'),
  'register-unusable': register('The register cannot be used'),
  'register-alone': register('The register came without files'),
  'register-later': register('The register came after its files'),
  'receipt-alone': register('The receipt came without files'),
  'register-header': register('The header of the register has faults'),
  'register-row': register('The row of the register has faults'),
  'not-listed': register('No row of the register is about it'),
  'link-failed': open('Its upload could not be found again'),
  'name-mismatch': open('The service has it under another name'),
  'event-id-missing': open('The service did not say what became of it'),
  'taken-by-a-person': open('Somebody submitted it in the service'),
  'perhaps-taken': open('Somebody may have submitted it in the service'),
  'perhaps-submitted': open('It may have become a revision'),
  'comes-and-goes': open('Its upload came and went in the service'),
  'not-carried': open('It was not brought to its end'),
  DUPLICATE_REVISION: values('The revision exists already, with other content'),
  WORKFLOW_CONFLICT: open('A review stands against it'),
  WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION: rights('A review stands against it, of somebody else'),
  UPLOAD_NOT_FOUND: open('Its upload was gone from the service'),
  FILE_KEY_MISMATCH: open('Its upload was not the one that was sent'),
  CONCURRENCY_CONFLICT: open('Somebody changed the document at the same time'),
  UNKNOWN_FAILURE: open('The service refused it without saying why'),
  ACCESS_DENIED: rights('The account may not do this'),
  PERMISSION_DENIED: rights('The account may not do this'),
  INVALID_TOKEN: open('The sign-in was refused'),
  INTERNAL_ERROR: open('The service failed over it'),
  NOT_FOUND: open('The service did not find it'),
  'hold-expired': open('Not answered in time'),
  'set-apart-by-person': open('A person set it apart'),
};

const UNKNOWN: ReasonWords = open('The service refused it');

function wordsOf(code: string): ReasonWords {
  return Object.hasOwn(WORDS, code) ? WORDS[code as KnownReason] : UNKNOWN;
}

export function titleOf(code: string): string {
  return wordsOf(code).title;
}

/** Null where it may well go through. */
export function standsOf(code: string): string | null {
  return STANDS[wordsOf(code).stands];
}

/** Whether other values in its row can cure it: then the cause is gone with them. */
export function isOfValues(code: string): boolean {
  return ['same-values', 'same-register'].includes(wordsOf(code).stands);
}

/** Whether a better file can cure it, under the same name and with the same row. */
export function isOfFile(code: string): boolean {
  return wordsOf(code).isOfFile === true;
}
