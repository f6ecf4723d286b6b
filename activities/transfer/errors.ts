// The upload engine's errors. They are told apart by `code`; no message holds
// an address, a header or a query.

import { hasCode } from '../host/error-code';
import type { TransferRefusal } from './ports';

/**
 * What the failure of an activity is made of (scope/failure.ts): a code that is not in
 * its table does not compile there.
 */
export type TransferErrorCode =
  | 'FILE_EMPTY'
  | 'FILE_TOO_BIG'
  | 'FILE_REFUSED'
  | 'REPORT_REFUSED'
  | 'SOURCE_FILE'
  | 'STORAGE_UNAVAILABLE'
  | 'STORAGE_FAULT'
  | 'UNSAFE_TARGET'
  | 'NOT_RELEASED'
  | 'HASH_THREAD'
  | 'SESSION_TURNED'
  | 'UNANSWERED'
  | 'STOPPED';

/** The base of all errors of the upload engine. */
export abstract class TransferError extends Error {
  abstract readonly code: TransferErrorCode;

  constructor(detail?: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = new.target.name;
  }
}

/**
 * Thrown by `UploadSessions.open` when the service refuses this file itself (4xx about size, type or name).
 */
export class FileRefusedError extends TransferError {
  readonly code = 'FILE_REFUSED';
  readonly reason: TransferRefusal;

  constructor(
    reason: 'size-refused' | 'type-refused' | 'session-refused',
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
    this.reason = reason;
  }
}

/** Thrown by `UploadSessions.report` for a 4xx about the session: what stands is then found out by a look. */
export class ReportRefusedError extends TransferError {
  readonly code = 'REPORT_REFUSED';
}

export type SourceFault = 'file-changed' | 'file-missing' | 'file-unreadable';

/** The file on disk is not, or no longer, the file that was claimed. Concerns this file alone. */
export class SourceFileError extends TransferError {
  readonly code = 'SOURCE_FILE';
  readonly reason: SourceFault;

  constructor(reason: SourceFault, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.reason = reason;
  }
}

/**
 * The storage could not take bytes although it was tried several times, or asks for a long
 * wait. Everything can succeed later.
 */
export class StorageUnavailableError extends TransferError {
  readonly code = 'STORAGE_UNAVAILABLE';
  /** Wall time, when the storage named one. */
  readonly retryAtMs: number | undefined;

  constructor(detail: string, retryAtMs?: number, options?: ErrorOptions) {
    super(detail, options);
    this.retryAtMs = retryAtMs;
  }
}

/**
 * The service gave a storage address or headers that must not be used. A matter of
 * configuration, not of the file.
 */
export class UnsafeTargetError extends TransferError {
  readonly code = 'UNSAFE_TARGET';
}

/**
 * The service has not released files for use yet, and there is nothing new to say of any:
 * it is to be asked again at `retryAtMs`, wall time.
 */
export class NotReleasedError extends TransferError {
  readonly code = 'NOT_RELEASED';
  readonly retryAtMs: number;

  constructor(count: number, retryAtMs: number) {
    super(`the service has not released ${count === 1 ? 'the file' : `${count} files`} for use yet`);
    this.retryAtMs = retryAtMs;
  }
}

export type StorageFaultKind =
  /** 3xx or 4xx: this address does not take these bytes. */
  | 'refused'
  /** 408, 425, 429 or 5xx. */
  | 'busy'
  /** The connection broke after it stood: an expired address can look like this. */
  | 'reset'
  /** No byte moved, or no response came, for the allowed time. */
  | 'stalled'
  /** No connection came about. */
  | 'unreachable'
  /** A success without an ETag, or what is not HTTP. */
  | 'malformed';

/** One PUT failed; the file itself is as it should be. */
export class StorageFaultError extends TransferError {
  readonly code = 'STORAGE_FAULT';
  readonly kind: StorageFaultKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    input: { kind: StorageFaultKind; detail: string; status?: number; retryAfterMs?: number },
    options?: ErrorOptions,
  ) {
    super(input.detail, options);
    this.kind = input.kind;
    this.status = input.status;
    this.retryAfterMs = input.retryAfterMs;
  }
}

export function isSourceFileError(error: unknown): error is SourceFileError {
  return hasCode<TransferErrorCode>(error, 'SOURCE_FILE');
}

export function isStorageFault(error: unknown): error is StorageFaultError {
  return hasCode<TransferErrorCode>(error, 'STORAGE_FAULT');
}

export function isFileRefused(error: unknown): error is FileRefusedError {
  return hasCode<TransferErrorCode>(error, 'FILE_REFUSED');
}

export function isReportRefused(error: unknown): error is ReportRefusedError {
  return hasCode<TransferErrorCode>(error, 'REPORT_REFUSED');
}
