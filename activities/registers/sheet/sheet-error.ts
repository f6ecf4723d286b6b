// Why a sheet cannot be read: one sentence for the person who made it, with what to do about it.

export type SheetErrorCode =
  /** The file has no bytes, or a workbook has no sheet with cells. */
  | 'empty'
  /** A password keeps it shut. */
  | 'encrypted'
  /** Not whole: still being saved or copied, or damaged. Looked at again later, it may be well. */
  | 'torn'
  /** Its content is not what its name says, or a kind of sheet that is not read. */
  | 'wrong-kind'
  /** Beyond a limit of size, or of the time it may take. */
  | 'too-large'
  /** A CSV in no encoding that is read, or in two at once. */
  | 'bad-encoding'
  /** A CSV with a quotation mark that is never closed. */
  | 'bad-csv'
  /** Somebody has it open so that it cannot be read. Not thrown here, but by whoever opens the file. */
  | 'locked'
  /** The file has another name somewhere else. Not thrown here either. */
  | 'linked-twice';

/** Thrown by everything in this folder; `code` decides, never the message. The message names no path. */
export class SheetError extends Error {
  override readonly name = 'SheetError';
  readonly code: SheetErrorCode;

  constructor(code: SheetErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

export function tornSheet(cause?: unknown): SheetError {
  return new SheetError(
    'torn',
    'The sheet is not whole: it is still being saved or copied, or it is damaged. Open it, save it again, and drop it again.',
    cause,
  );
}

export function encryptedSheet(): SheetError {
  return new SheetError('encrypted', 'The sheet has a password. Save it without one, and drop it again.');
}

/** For whoever meets a file that is open elsewhere. */
export function lockedSheet(cause?: unknown): SheetError {
  return new SheetError(
    'locked',
    'The sheet is open in a program that keeps it to itself. Close it there; it is looked at again.',
    cause,
  );
}

/** For whoever meets a file that has another name, where only files are read that have one. */
export function linkedSheet(): SheetError {
  return new SheetError(
    'linked-twice',
    'The sheet is linked from another place as well. Copy it into the drop folder instead of linking it.',
  );
}

/** `what` as a sentence's beginning: "The sheet has more than 50,000 rows". */
export function tooLargeSheet(what: string, cause?: unknown): SheetError {
  return new SheetError('too-large', `${what}; that is too much for a register.`, cause);
}
