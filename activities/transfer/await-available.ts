// Looks at reported files until the service has them available, with as few looks as can be.

import { atOnce } from '../host/concurrency';
import type { FileTransfer } from './file-transfer';
import { firstLookAgeMs, MAX_FIRST_LOOK_AGE_MS, pauseAfterLookMs } from './look-pace';
import { goneAt, isUnanswered, lookAt, setUnansweredAside } from './session-calls';
import { readLook } from './session-step';
import type { TransferRun } from './transfer-run';

const LOOKS_AT_ONCE = 4;
// The status may lag behind a report that was accepted; only a session that
// keeps asking for segments means it.
const LOOKS_BEFORE_REPORTING_AGAIN = 3;

interface Watch {
  transfer: FileTransfer;
  looks: number;
  wantedSegments: number;
  /** Monotonic; `undefined` when nobody knows. */
  reportedMs: number | undefined;
  /** Monotonic; `undefined` before the first look, whose time depends on what was learned from others. */
  dueMs: number | undefined;
  startedMs: number;
}

/**
 * Afterwards each of these files is available, or has to be sent or reported again, or its time in this call
 * is over and it is left. Files are looked at in the order of their reports, each old enough by then. A
 * failure that ends the call is not thrown, but recorded in the run.
 */
export async function awaitAvailable(transfers: readonly FileTransfer[], run: TransferRun): Promise<void> {
  const startedMs = run.clock.monotonicMs();
  const waiting = transfers.map(transfer => ({
    transfer,
    looks: 0,
    wantedSegments: 0,
    reportedMs: reportedMsOf(transfer, run),
    dueMs: undefined,
    startedMs,
  }));
  const sweep = new Sweep(waiting, run);
  if (run.evidence.away.has('look')) await run.guard(() => sweep.askFirst());
  await atOnce(Math.min(LOOKS_AT_ONCE, waiting.length), () => run.guard(() => sweep.work()));
}

class Sweep {
  readonly #waiting: Watch[];
  readonly #run: TransferRun;
  #tooYoungMs: number | undefined;

  constructor(waiting: Watch[], run: TransferRun) {
    this.#waiting = waiting;
    this.#run = run;
  }

  async work(): Promise<void> {
    for (let watch = this.#takeNext(); watch !== undefined; watch = this.#takeNext()) await this.#turn(watch);
  }

  /** While nothing can be looked at, one file asks for all of them. */
  async askFirst(): Promise<void> {
    const { evidence, clock } = this.#run;
    const { away } = evidence;
    const chosen = away.choose(this.#waiting.map(({ transfer }) => transfer));
    const watch = this.#waiting.find(({ transfer }) => transfer === chosen);
    if (watch === undefined) return;
    this.#take(watch);
    const turn = this.#turn(watch);
    await away.ask(watch.transfer.file.path, turn, clock.monotonicMs());
    await turn;
    if (away.has('look')) throw away.error;
  }

  async #turn(watch: Watch): Promise<void> {
    const { clock, waitSignal } = this.#run;
    const waitMs = this.#dueMs(watch) - clock.monotonicMs();
    if (waitMs > 0) await clock.sleep(waitMs, waitSignal);
    if (await this.#lookOrSetAside(watch)) this.#waiting.push(watch);
  }

  #takeNext(): Watch | undefined {
    let next: Watch | undefined;
    for (const watch of this.#waiting) {
      if (next === undefined || this.#dueMs(watch) < this.#dueMs(next)) next = watch;
    }
    if (next !== undefined) this.#take(next);
    return next;
  }

  #take(watch: Watch): void {
    this.#waiting.splice(this.#waiting.indexOf(watch), 1);
  }

  #dueMs(watch: Watch): number {
    if (watch.dueMs !== undefined) return watch.dueMs;
    const { reportedMs } = watch;
    return reportedMs === undefined ? 0 : reportedMs + firstLookAgeMs(this.#tooYoungMs);
  }

  async #lookOrSetAside(watch: Watch): Promise<boolean> {
    try {
      return await this.#look(watch);
    } catch (error: unknown) {
      if (!isUnanswered(error)) throw error;
      setUnansweredAside(watch.transfer, this.#run, error);
      return false;
    }
  }

  /** Whether to look again. */
  async #look(watch: Watch): Promise<boolean> {
    const { transfer } = watch;
    const run = this.#run;
    run.throwIfStopped();
    const ageMs = run.clock.monotonicMs() - (watch.reportedMs ?? Number.POSITIVE_INFINITY);
    const shown = await lookAt(transfer, run);
    const state = readLook(shown);
    watch.looks += 1;
    if (state === 'available') transfer.becameAvailable();
    if (state === 'unusable') transfer.left('session-refused', goneAt(transfer, shown));
    if (state === 'available' || state === 'unusable') return false;

    watch.wantedSegments = state === 'wants-segments' ? watch.wantedSegments + 1 : 0;
    if (watch.wantedSegments >= LOOKS_BEFORE_REPORTING_AGAIN) {
      transfer.unreported();
      return false;
    }
    // Of a file of an earlier call that is stuck, nothing is learned about those just reported.
    if (watch.looks === 1 && transfer.reportedAtMs !== undefined)
      this.#tooYoungMs = Math.max(this.#tooYoungMs ?? 0, ageMs);
    watch.dueMs = run.clock.monotonicMs() + pauseAfterLookMs(watch.looks);
    // A file that takes longer than this is left to a later call, so that the others need not wait for it.
    if (run.isInTime(watch.dueMs, watch.startedMs)) return true;
    transfer.isLeft = true;
    return false;
  }
}

/** Of what was reported before this call only a date is known, perhaps by the clock of another host. */
function reportedMsOf(transfer: FileTransfer, { clock }: TransferRun): number | undefined {
  const { reportedAtMs } = transfer.session;
  if (transfer.reportedAtMs !== undefined || reportedAtMs === undefined) return transfer.reportedAtMs;
  const ageMs = Math.min(MAX_FIRST_LOOK_AGE_MS, Math.max(0, clock.wallMs() - reportedAtMs));
  return clock.monotonicMs() - ageMs;
}
