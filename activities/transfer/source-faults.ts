// What the file system says about a file, sorted: this file's fault, or the share's.

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { entryOf } from '../host/entry-of';
import { codeOf } from '../host/error-code';
import { type FileTrouble, troubleOfCode } from '../host/file-trouble';
import { isSourceFileError, SourceFileError } from './errors';

/**
 * The file system failed in a way that says nothing about one file; `code` is
 * the system's (EIO, ESTALE, ...).
 */
export class FileSystemError extends Error {
  readonly code: string;
  /**
   * As the system's own errors have it: by this, codes such as ENOENT are known to come from the file system.
   */
  readonly syscall: string;

  constructor(code: string, options?: ErrorOptions) {
    super(`the file system answered ${code}`, options);
    this.name = 'FileSystemError';
    this.code = code;
    const cause = options?.cause as { readonly syscall?: unknown } | null | undefined;
    this.syscall = typeof cause?.syscall === 'string' ? cause.syscall : 'read';
  }
}

interface FileFault {
  readonly reason: SourceFileError['reason'];
  readonly detail: string;
}

const NOT_REGULAR: FileFault = { reason: 'file-unreadable', detail: 'not a regular file' };

/** What the hashing thread and the reader find out themselves; the file system has no such codes. */
export type OwnCode = 'CHANGED' | 'NOT_REGULAR';

const FAULT_BY_OWN_CODE: Readonly<Record<OwnCode, FileFault>> = {
  CHANGED: { reason: 'file-changed', detail: 'the file changed while it was read' },
  NOT_REGULAR,
};

/**
 * The fault, if it is this one file's as long as its folder can be read; undefined:
 * it is the share's or this machine's.
 */
function faultOf(trouble: FileTrouble, code: string): FileFault | undefined {
  switch (trouble) {
    case 'gone':
      return { reason: 'file-missing', detail: 'the file is no longer there' };
    case 'no-folder':
      return { reason: 'file-missing', detail: 'the folder of the file is no longer there' };
    case 'is-folder':
    case 'no-device':
      return NOT_REGULAR;
    case 'link':
      return { reason: 'file-unreadable', detail: 'a symbolic link' };
    case 'denied':
      return { reason: 'file-unreadable', detail: `reading the file is not permitted (${code})` };
    case 'busy':
      return { reason: 'file-unreadable', detail: `the file is in use (${code})` };
    case 'failing':
      return { reason: 'file-unreadable', detail: `the file cannot be read (${code})` };
    default:
      return undefined;
  }
}

/** A SourceFileError for what concerns one file, else a FileSystemError. The path stays out of both. */
export function toFileError(code: string, cause?: unknown): SourceFileError | FileSystemError {
  const options = cause === undefined ? { cause: new FileSystemError(code) } : { cause };
  const trouble = troubleOfCode(code);
  const fault = trouble === undefined ? entryOf(FAULT_BY_OWN_CODE, code) : faultOf(trouble, code);
  return fault === undefined
    ? new FileSystemError(code, options)
    : new SourceFileError(fault.reason, fault.detail, options);
}

/**
 * The same for a file in a folder that may itself be out of reach: when the folder cannot be read either, it
 * is the share that failed, and the file must not be blamed for it.
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
  const trouble = troubleOfCode(code);
  return trouble === 'denied' || trouble === 'busy' || trouble === 'failing';
}
