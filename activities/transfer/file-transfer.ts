// What is known of one file during a call: progress, addresses, counts. No I/O but telling the caller.

import type { Place } from './evidence';
import type {
  FileProgress,
  FileToSend,
  OpenedSession,
  PresignedSegment,
  TransferOutcome,
  TransferRefusal,
} from './ports';

const PROGRESS_INTERVAL_MS = 1_000;

/** An address and when it ends, in our monotonic time; undefined when the clocks differ too much to tell. */
export interface Address {
  segment: PresignedSegment;
  endsAtMs: number | undefined;
}

export type TellProgress = (key: number, progress: FileProgress, bytesSent: number) => void;

export class FileTransfer {
  readonly key: number;
  readonly file: FileToSend;
  outcome: TransferOutcome | undefined;
  /** The storage could not be reached for this file; it has no outcome in this call. */
  isHeldBack = false;
  /** It is held back for what it met here; it goes on in this call when others get through there. */
  doubtedAt: Place | undefined;
  /** Its time in this call is over; a later call goes on with it. */
  isLeft = false;
  /** Monotonic; `undefined` when it was reported before this call. */
  reportedAtMs: number | undefined;
  /** Why the last session was left: the reason of a refusal when there may be no further one. */
  leftBecause: TransferRefusal = 'session-refused';
  /** Where the last session failed, if that is something that an outage can do to all files. */
  leftAt: Place | undefined;
  opens = 0;
  resends = 0;
  putBytes = 0;
  /** Counts the sets of addresses: of several segments with a dead one, only the first asks for new ones. */
  generation = 0;
  #tooSlow: number;
  #progress: FileProgress | undefined;
  #addresses: (Address | undefined)[] = [];
  #sentBytes = 0;
  #toldAtMs: number | undefined;
  readonly #tell: TellProgress;

  constructor(
    input: { key: number; file: FileToSend; progress?: FileProgress | undefined },
    tell: TellProgress,
  ) {
    this.key = input.key;
    this.file = input.file;
    this.#progress = input.progress === undefined ? undefined : copyOf(input.progress);
    this.#tooSlow = input.progress?.tooSlow ?? 0;
    this.#tell = tell;
  }

  get known(): FileProgress | undefined {
    return this.#progress;
  }

  /** The session under way; to be asked for only while there is one. */
  get session(): FileProgress {
    if (this.#progress === undefined) throw new Error('no session is open');
    return this.#progress;
  }

  get missing(): number[] {
    return this.session.partEtags.flatMap((etag, index) => (etag === null ? [index] : []));
  }

  /** False after a resume: only the service knows the addresses then. */
  get hasAddresses(): boolean {
    return this.#addresses.length > 0;
  }

  address(index: number): Address | undefined {
    return this.#addresses[index];
  }

  /**
   * To be asked for when a session has to be opened: a session still known then has grown too old. Of all
   * sessions only those count over attempts and calls in which a part of the file arrived, yet not all of it
   * in time. Where nothing arrived the storage was away, and what was sent whole waited for the service; a
   * healthy file would be refused after enough of those.
   */
  get tooSlow(): number {
    const known = this.#progress;
    const isSlow = known !== undefined && !known.finished && known.partEtags.some(etag => etag !== null);
    return this.#tooSlow + (isSlow ? 1 : 0);
  }

  began(opened: OpenedSession, at: { nowMs: number; monotonicMs: number }): void {
    const { tooSlow } = this;
    this.opens += 1;
    this.#tooSlow = tooSlow;
    this.#progress = {
      sessionId: opened.sessionId,
      openedAtMs: at.nowMs,
      partEtags: this.file.segments.map(() => null),
      finished: false,
      available: false,
      ...(tooSlow === 0 ? {} : { tooSlow }),
    };
    this.setAddresses(opened.segments, at);
    this.#tellNow();
  }

  setAddresses(
    segments: readonly (PresignedSegment | undefined)[],
    at: { nowMs: number; monotonicMs: number },
  ): void {
    this.generation += 1;
    this.#addresses = segments.map(segment => segment && { segment, endsAtMs: endOf(segment, at) });
  }

  /** The session is of no use any more. */
  left(because: TransferRefusal, at?: Place): void {
    this.#progress = undefined;
    this.#addresses = [];
    this.reportedAtMs = undefined;
    this.resends = 0;
    this.leftBecause = because;
    this.leftAt = at;
  }

  segmentSent(index: number, etag: string): void {
    this.session.partEtags[index] = etag;
    this.#tellNow();
  }

  /** Nothing that was sent counts: all segments go again in the same session. */
  sendAgain(): void {
    const { session } = this;
    session.finished = false;
    delete session.reportedAtMs;
    session.partEtags.fill(null);
    this.reportedAtMs = undefined;
    this.resends += 1;
    this.#sentBytes = 0;
    this.#tellNow();
  }

  finished(at: { nowMs: number; monotonicMs: number }): void {
    this.session.finished = true;
    this.session.reportedAtMs ??= at.nowMs;
    this.reportedAtMs = at.monotonicMs;
    this.#tellNow();
  }

  /** The service does not know of the report after all. A second time leads to another session. */
  unreported(): void {
    this.resends += 1;
    if (this.resends > 1) {
      this.left('report-refused');
      return;
    }
    this.session.finished = false;
    delete this.session.reportedAtMs;
    this.reportedAtMs = undefined;
    this.#tellNow();
  }

  /** @param reportedNowMs wall time; given when the response to the report itself said so. */
  becameAvailable(reportedNowMs?: number): void {
    const { session } = this;
    session.finished = true;
    if (reportedNowMs !== undefined) session.reportedAtMs ??= reportedNowMs;
    session.available = true;
    this.#tellNow();
    const { sessionId, openedAtMs, reportedAtMs } = session;
    this.outcome = { kind: 'available', sessionId, openedAtMs, reportedAtMs, putBytes: this.putBytes };
  }

  refuse(reason: TransferRefusal, detail: string): void {
    this.outcome = { kind: 'refused', reason, detail };
  }

  /** Bytes left for the wire; the caller hears of it about once a second. */
  bytesLeft(sizeBytes: number, monotonicMs: number): void {
    this.putBytes += sizeBytes;
    this.#sentBytes += sizeBytes;
    this.#toldAtMs ??= monotonicMs;
    if (monotonicMs - this.#toldAtMs < PROGRESS_INTERVAL_MS) return;
    this.#toldAtMs = monotonicMs;
    this.#tellNow();
  }

  /** Bytes of an attempt that failed: they no longer count as sent. */
  bytesLost(sizeBytes: number): void {
    this.#sentBytes -= sizeBytes;
  }

  #tellNow(): void {
    if (this.#progress !== undefined) this.#tell(this.key, copyOf(this.#progress), this.#sentBytes);
  }
}

function copyOf(progress: FileProgress): FileProgress {
  return { ...progress, partEtags: [...progress.partEtags] };
}

// An address that seems to have ended when it arrives shows that the clocks differ: then
// only what the storage says about it counts.
function endOf(segment: PresignedSegment, at: { nowMs: number; monotonicMs: number }): number | undefined {
  if (segment.expiresAtMs === undefined || segment.expiresAtMs <= at.nowMs) return undefined;
  return at.monotonicMs + (segment.expiresAtMs - at.nowMs);
}
