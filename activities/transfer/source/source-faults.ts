// What the file system says about a file, sorted: this file's fault, or the share's.

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, isSourceFileError, SourceFileError } from '../errors';

/** The file system failed in a way that says nothing about one file; `code` is the system's (EIO, ESTALE, ...). */
export class FileSystemError extends Error {
  readonly code: string;
  /** As the system's own errors have it: by this, codes such as ENOENT are known to come from the file system. */
  readonly syscall: string;

  constructor(code: string, options?: ErrorOptions) {
    super(`the file system answered ${code}`, options);
    this.name = 'FileSystemError';
    this.code = code;
    const cause = options?.cause as { readonly syscall?: unknown } | null | undefined;
    this.syscall = typeof cause?.syscall === 'string' ? cause.syscall : 'read';
  }
}

const DETAILS: Readonly<Record<string, { reason: SourceFileError['reason']; detail: string }>> = {
  CHANGED: { reason: 'file-changed', detail: 'the file changed while it was read' },
  ENOENT: { reason: 'file-missing', detail: 'the file is no longer there' },
  ENOTDIR: { reason: 'file-missing', detail: 'the folder of the file is no longer there' },
  NOT_REGULAR: { reason: 'file-unreadable', detail: 'not a regular file' },
  EISDIR: { reason: 'file-unreadable', detail: 'not a regular file' },
  ENXIO: { reason: 'file-unreadable', detail: 'not a regular file' },
  ELOOP: { reason: 'file-unreadable', detail: 'a symbolic link' },
  EACCES: { reason: 'file-unreadable', detail: 'reading the file is not permitted (EACCES)' },
  EPERM: { reason: 'file-unreadable', detail: 'reading the file is not permitted (EPERM)' },
  EBUSY: { reason: 'file-unreadable', detail: 'the file is in use (EBUSY)' },
  EIO: { reason: 'file-unreadable', detail: 'the file cannot be read (EIO)' },
};

/** A SourceFileError for what concerns one file, else a FileSystemError. The path stays out of both. */
export function toFileError(code: string, cause?: unknown): SourceFileError | FileSystemError {
  const options = cause === undefined ? { cause: new FileSystemError(code) } : { cause };
  const known = DETAILS[code];
  return known === undefined
    ? new FileSystemError(code, options)
    : new SourceFileError(known.reason, known.detail, options);
}

/**
 * The same for a file in a folder that may itself be out of reach: when the folder cannot be read either, it is the share that failed,
 * and the file must not be blamed for it.
 */
export async function toFileErrorAt(path: string, code: string, cause?: unknown): Promise<Error> {
  const error = toFileError(code, cause);
  if (!isSourceFileError(error) || error.reason === 'file-changed') return error;
  try {
    await stat(dirname(path));
    // It is there: the share was away when the file was asked for, and is back.
    const isBack = error.reason === 'file-missing' && (await isThere(path));
    return isBack ? new FileSystemError(code, { cause }) : error;
  } catch (folderError: unknown) {
    return new FileSystemError(codeOf(folderError) ?? code, { cause: folderError });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

/** SMB and virus scanners refuse for a moment what they allow the next. */
export function isPassingFileFault(code: string | undefined): boolean {
  return code === 'EACCES' || code === 'EPERM' || code === 'EBUSY' || code === 'EIO' || code === 'EAGAIN';
}
