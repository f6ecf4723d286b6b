// What the upload engine asks of the outside: upload sessions, a clock, a log; and
// the shapes that cross its border.

import type { ByteSeals } from './hashing/byte-seals';

/**
 * A presigned address for one segment, as the session gave it. Opaque and secret:
 * copied, never parsed, never logged.
 */
export interface PresignedSegment {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Advice only (clocks differ): the storage's 403 decides. */
  expiresAtMs?: number;
}

/** `other` is any status this build does not know; it counts as "taken over, not yet available". */
export type SessionStatus = 'ready' | 'receiving' | 'complete' | 'available' | 'other';

export interface ByteRange {
  offset: number;
  sizeBytes: number;
}

export interface FileSegment extends ByteRange {
  /** Lower-case hex. */
  sha256: string;
}

/** A file as it was hashed when it was claimed: what is sent must be exactly this. */
export interface FileToSend {
  /** Absolute. */
  path: string;
  fileName: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  segments: readonly FileSegment[];
  /** By these its bytes are known again on their way out; without, by their SHA-256. */
  byteSeals?: ByteSeals;
}

export interface OpenedSession {
  sessionId: string;
  /** One for each segment of the file, in order. */
  segments: PresignedSegment[];
}

export type SessionLook =
  | { kind: 'found'; status: SessionStatus; freshSegments: PresignedSegment[] }
  | { kind: 'gone' };

/**
 * Step 5 of the specification without its JSON. `open` throws `FileRefusedError` when the service refuses
 * this very file, `report` throws `ReportRefusedError` for any 4xx that is about the session; everything else
 * they throw is not about the file, and `transferFiles` throws it on unchanged.
 */
export interface UploadSessions {
  open(file: FileToSend, signal: AbortSignal): Promise<OpenedSession>;
  /** ETags without quotes, one a segment, in order. */
  report(
    sessionId: string,
    partEtags: readonly (string | null)[],
    signal: AbortSignal,
  ): Promise<SessionStatus>;
  /**
   * Fresh addresses come for the segments whose ETag was not yet reported, in segment order; a 404 is `gone`.
   */
  look(sessionId: string, signal: AbortSignal): Promise<SessionLook>;
}

/** What of a file is finished: plain JSON without a secret, so that it can travel in a heartbeat. */
export interface FileProgress {
  sessionId: string;
  openedAtMs: number;
  partEtags: (string | null)[];
  /** All ETags are reported. */
  finished: boolean;
  /**
   * Since when we wait for the service to release it, Unix ms: the waiting is
   * counted over all attempts and calls.
   */
  reportedAtMs?: number;
  available: boolean;
  /** Sessions before this one that were too slow, counted over all attempts and calls; absent for none. */
  tooSlow?: number;
}

/** Why one file cannot be sent as it is, whatever the number of attempts. */
export type TransferRefusal =
  | 'file-changed'
  | 'file-missing'
  | 'file-unreadable'
  | 'size-refused'
  | 'type-refused'
  | 'session-refused'
  | 'too-slow'
  | 'storage-refused'
  | 'report-refused'
  | 'never-available';

export type TransferOutcome =
  /** `putBytes`: what this call put on the wire for the file, repeated segments included. */
  | {
      kind: 'available';
      sessionId: string;
      openedAtMs: number;
      reportedAtMs: number | undefined;
      putBytes: number;
    }
  /** Not refused and not available in the time of the call; `progress` is what a later one begins with. */
  | { kind: 'left'; progress: FileProgress | undefined }
  | { kind: 'refused'; reason: TransferRefusal; detail: string };

export interface TransferLog {
  debug(facts: Record<string, unknown>, message: string): void;
  warn(facts: Record<string, unknown>, message: string): void;
}
