// What the codes of file systems mean: the one table of them. Whoever has to decide something picks by
// meaning, never by code, so that a code nobody has met before is entered here once.
import { entryOf } from './entry-of';
import { codeOf } from './error-code';

export type FileTrouble =
  /** Nothing has this name. */
  | 'gone'
  /** What stands where a folder should be is none. */
  | 'no-folder'
  /** What stands there is a folder. */
  | 'is-folder'
  /** A symbolic link where none is followed. */
  | 'link'
  /** Something has this name already. */
  | 'taken'
  /** A folder that was to be empty holds something. */
  | 'not-empty'
  /** A name that the file system cannot have. */
  | 'bad-name'
  /**
   * Not permitted. Windows shares and virus scanners also say so for a moment,
   * while somebody has the file open.
   */
  | 'denied'
  /** Somebody else has the file open. */
  | 'busy'
  /** This machine lacks handles or memory, or was interrupted: for a moment. */
  | 'short'
  | 'full'
  | 'read-only'
  /** The mount, or the server behind it, does not answer. */
  | 'away'
  /**
   * As `away`, for a mount; but sockets say the same, so it counts only where a file
   * is known to have been asked for.
   */
  | 'disconnected'
  /**
   * Nothing behind the name: a socket or a pipe without a reader; of a whole mount,
   * that its device was taken away.
   */
  | 'no-device'
  /** Reading or writing failed: one bad block, or the whole disk. */
  | 'failing'
  /** The file system asks for a repair. */
  | 'damaged'
  /** Elsewhere than where a link or a rename can reach. */
  | 'other-device'
  /** This file system cannot do that. */
  | 'unsupported';

const TROUBLE_BY_CODE = {
  ENOENT: 'gone',
  ENOTDIR: 'no-folder',
  EISDIR: 'is-folder',
  ELOOP: 'link',
  EEXIST: 'taken',
  ENOTEMPTY: 'not-empty',
  ENAMETOOLONG: 'bad-name',
  EACCES: 'denied',
  EPERM: 'denied',
  EBUSY: 'busy',
  ETXTBSY: 'busy',
  EAGAIN: 'short',
  EINTR: 'short',
  EMFILE: 'short',
  ENFILE: 'short',
  ENOMEM: 'short',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read-only',
  ESTALE: 'away',
  ENODEV: 'away',
  ETIMEDOUT: 'away',
  EHOSTDOWN: 'away',
  EHOSTUNREACH: 'away',
  ENOTCONN: 'away',
  EREMOTEIO: 'away',
  ENETUNREACH: 'disconnected',
  ECONNREFUSED: 'disconnected',
  ECONNABORTED: 'disconnected',
  ECONNRESET: 'disconnected',
  ENXIO: 'no-device',
  EIO: 'failing',
  EUCLEAN: 'damaged',
  EXDEV: 'other-device',
  ENOTSUP: 'unsupported',
  EOPNOTSUPP: 'unsupported',
  ENOSYS: 'unsupported',
  EMLINK: 'unsupported',
  EINVAL: 'unsupported',
} as const satisfies Readonly<Record<string, FileTrouble>>;

/**
 * Codes of the operating system, for the few who have to tell one from others of the same meaning, or ask
 * for no file: a port that is taken, a pipe whose reader has gone. EFBIG is our own, of what is larger than
 * it should be.
 */
export type SystemCode = keyof typeof TROUBLE_BY_CODE | 'EADDRINUSE' | 'EFBIG' | 'EPIPE';

/** What an error of the file system means; undefined for all others. */
export function troubleOf(error: unknown): FileTrouble | undefined {
  return troubleOfCode(codeOf(error));
}

export function troubleOfCode(code: string | undefined): FileTrouble | undefined {
  return code === undefined ? undefined : entryOf(TROUBLE_BY_CODE, code);
}

/** There is nothing under this name, be it that a folder on the way is none. */
export function isGone(error: unknown): boolean {
  const trouble = troubleOf(error);
  return trouble === 'gone' || trouble === 'no-folder';
}

/**
 * Somebody else has the file open, or a scanner does: not ready yet (Windows
 * shares say EBUSY, EPERM or EACCES).
 */
export function isBusy(error: unknown): boolean {
  const trouble = troubleOf(error);
  return trouble === 'busy' || trouble === 'denied';
}

/**
 * Of this machine, of the way to the file system, or that somebody has the file open, for a while; of what
 * was asked for it says nothing.
 */
export function isPassing(error: unknown): boolean {
  const trouble = troubleOf(error);
  return trouble === 'short' || trouble === 'away' || trouble === 'busy';
}

/** Something stands where a name was to be made. */
export function isTaken(error: unknown): boolean {
  return troubleOf(error) === 'taken';
}

/** No room left on the file system, or for this account. */
export function isFull(error: unknown): boolean {
  return troubleOf(error) === 'full';
}
