// The errors of the share. Codes are stable; messages are written for whoever keeps the share running.
import { describeBug } from '../../host/describe-bug';
import { codeOf, hasCode, troubleCodeOf } from '../../host/error-code';
import { type FileTrouble, troubleOf } from '../../host/file-trouble';

/**
 * A file is gone, is not as it was taken in, or must not be sent. Concerns that file only: its document ends
 * with this reason, and the others go on.
 */
export type FileErrorCode = 'file-missing' | 'file-changed' | 'file-refused';

export type ShareErrorCode =
  /** The share cannot be reached, or answers with I/O errors: wait and try again. */
  | 'share-away'
  /** No room or no right to write: wait and try again. */
  | 'share-full'
  | 'share-read-only'
  /** No such batch on this share. */
  | 'batch-unknown'
  /** A file of ours on the share cannot be read as what it should be; the message names it. */
  | 'batch-damaged'
  /** A file of ours is there and cannot be opened just now; concerns its batch only. */
  | 'unreadable-now'
  /**
   * Where a folder of people's should be, or a file go to, something else stands that they have to move;
   * concerns its batch only: tried again until it is gone.
   */
  | 'folder-blocked'
  /** It was sealed with a key that this host does not have: a person gives it the right one. */
  | 'key-differs'
  /**
   * A batch of this share for a project that is not the share's: planted, or the
   * configuration was changed under it.
   */
  | 'project-differs'
  /** The manifest is not the one the caller was told of. */
  | 'manifest-differs'
  /** Another Temporal carries the batch; the message names it. */
  | 'batch-held'
  | FileErrorCode
  /** The outcomes do not account for every file of the batch. */
  | 'outcomes-incomplete'
  /** A folder that is to be tested has more files than a test run takes. */
  | 'folder-too-large'
  /** The caller asked for something that cannot be: a path outside the drop folder, too many files. */
  | 'bad-request';

/**
 * Thrown by everything in `activities/share`; `code` decides, never the message. Paths
 * in the message are relative to the share.
 */
export class ShareError extends Error {
  override readonly name = 'ShareError';
  readonly code: ShareErrorCode;

  constructor(code: ShareErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Whether `error` says something of one file, and nothing of the share or the batch. */
export function isFileError(error: unknown): error is ShareError & { readonly code: FileErrorCode } {
  return hasCode<FileErrorCode>(error, 'file-missing', 'file-changed', 'file-refused');
}

export interface ShareFault {
  /** The setting concerned, for example `done`. */
  readonly setting: string;
  readonly text: string;
  readonly fix: string;
}

/** All that is wrong with a share's configuration or folders, at once. */
export class ShareFaultsError extends Error {
  override readonly name = 'ShareFaultsError';
  readonly code = 'share-faults';
  readonly faults: readonly ShareFault[];

  constructor(share: string, faults: readonly ShareFault[]) {
    const lines = faults.map(fault => `- ${fault.setting}: ${fault.text} ${fault.fix}`);
    super(`Share "${share}" cannot be used:\n${lines.join('\n')}`);
    this.faults = faults;
  }
}

/**
 * The troubles that concern the whole share. All others concern one path, and only the caller knows what
 * follows from them.
 */
const SHARE_ERROR_BY_TROUBLE: Readonly<Partial<Record<FileTrouble, ShareErrorCode>>> = {
  full: 'share-full',
  'read-only': 'share-read-only',
  away: 'share-away',
  disconnected: 'share-away',
  'no-device': 'share-away',
  failing: 'share-away',
};

/**
 * Translates what the file system says of the whole share into a ShareError;
 * undefined when it says nothing of it.
 */
export function toShareError(error: unknown): ShareError | undefined {
  if (error instanceof ShareError) return error;
  const trouble = troubleOf(error);
  const code = trouble === undefined ? undefined : SHARE_ERROR_BY_TROUBLE[trouble];
  if (code === undefined) return undefined;
  return new ShareError(code, describe(code, codeOf(error) ?? ''), error);
}

function describe(code: ShareErrorCode, said: string): string {
  if (code === 'share-full') return `The share has no room left (${said}).`;
  return code === 'share-read-only' ? 'The share is read-only.' : `The share does not answer (${said}).`;
}

/**
 * Lets what concerns one thing on a share pass, so that all else can go on without it.
 * @throws ShareError where the whole share has the trouble.
 */
export function throwIfOfShare(error: unknown): void {
  const trouble = toShareError(error);
  if (trouble?.code.startsWith('share-') === true) throw trouble;
}

/**
 * The trouble that `error` says of one thing on a share; undefined where it is no trouble of a share.
 * @throws ShareError where the whole share has it.
 */
export function troubleOfOne(error: unknown): ShareError | undefined {
  throwIfOfShare(error);
  return toShareError(error);
}

/** The same in words; of a bug, its message and place. @throws ShareError where the whole share has it. */
export function describeTrouble(error: unknown): string {
  return troubleOfOne(error)?.message ?? troubleCodeOf(error) ?? describeBug(error);
}

/** Whether `error` is trouble neither of a share nor of a file: then its stack belongs in the log. */
export function isBug(error: unknown): boolean {
  return toShareError(error) === undefined && troubleCodeOf(error) === undefined;
}
