// The state of the rate limit in a file, so that it outlives the process that keeps it. Written in place,
// before any permit of that state is handed out: what a killed process leaves is the last state it acted on.
// It is worth nothing after the machine has started anew, so nothing waits for the disk.
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { type Clock, systemClock } from '../../host/clock';
import { IncidentLog } from '../../host/incident-log';
import { initialRateState } from './rate-calculator';
import type { RateStateCell } from './rate-gate';
import type { RateState } from './rate-state';

const finite = z.number();

/** In the file the probe is called `scout`, as in 0.1.0: older and newer builds read each other's files. */
type StoredState = Omit<RateState, 'probe'> & { readonly scout: RateState['probe'] };

/** Without the lease, which belongs to the process that has asked for it. */
const storedState: z.ZodType<StoredState> = z.object({
  windows: z.array(
    z.object({
      limit: finite,
      seen: finite,
      charged: finite,
      chargedMark: finite,
      seq: finite,
      resetAtServerMs: finite.nullable(),
      isAssumed: z.boolean(),
      openedAfterSeq: finite,
      periodMs: finite,
      carried: finite,
      others: finite,
      othersBefore: finite,
      ownLeft: finite.nullable(),
    }),
  ),
  clock: z.object({ lowMs: finite, highMs: finite, asOfMs: finite }).nullable(),
  pausedUntilMs: finite,
  refusalsInARow: finite,
  lastSeq: finite,
  underWay: z.array(z.object({ seq: finite, weight: finite })),
  scout: z.union([z.enum(['none', 'needed']), z.object({ seq: finite, sentAtMs: finite })]),
  marginMs: finite,
  rolledAtMs: finite,
  share: finite,
  silentSeq: finite,
});

/** `writes` stands at both ends: a file that was cut off in the middle of a write is not believed. */
const stateFile = z.object({ writes: finite, boot: z.string(), state: storedState, written: finite });

/**
 * The state that a leader before us left, of this start of the machine; null when
 * there is none that can be used.
 */
export function readRateStateFile(path: string, boot: string): RateState | null {
  try {
    const read = stateFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    if (!read.success || read.data.boot !== boot || read.data.writes !== read.data.written) return null;
    const { scout: probe, ...others } = read.data.state;
    return { ...others, probe };
  } catch {
    return null;
  }
}

export interface RateStateFileOptions {
  readonly path: string;
  readonly boot: string;
  /** The state that the leader before left; null: nothing is known. */
  readonly from: RateState | null;
  readonly fraction: number;
  /**
   * Called when the file cannot be written, and again if it cannot be removed either; the state is kept in
   * memory all the same.
   */
  readonly onFault: (error: unknown) => void;
  /** Called when it can be written again. */
  readonly onRoom?: (() => void) | undefined;
  readonly clock?: Clock;
}

/** Pause after a failed write: a disk that is full is not tried again at each request. */
const TRY_AGAIN_MS = 5_000;

/** A cell whose state is in memory and, whenever it changes, in the file. */
export class RateStateFile implements RateStateCell {
  readonly #options: RateStateFileOptions;
  readonly #clock: Clock;
  /** By path: that the file cannot be written. */
  readonly #failing = new IncidentLog();
  #state: RateState;
  #descriptor: number | undefined;
  #writes = 0;
  #longest = 0;
  #tryAgainAtMs = 0;
  #isClosed = false;

  constructor(options: RateStateFileOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#state = { ...(options.from ?? initialRateState()), share: options.fraction };
    this.#store();
  }

  read(): RateState {
    return this.#state;
  }

  write(state: RateState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#store();
  }

  close(): void {
    this.#isClosed = true;
    this.#leave();
  }

  #store(): void {
    const { path, boot, onFault, onRoom } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    if (this.#isClosed || (this.#failing.isOpen(path) && nowMs < this.#tryAgainAtMs)) return;
    try {
      this.#descriptor ??= openSync(path, 'w', 0o600);
      this.#writes += 1;
      const { probe, ...others } = this.#state;
      const text = JSON.stringify({
        writes: this.#writes,
        boot,
        state: { ...others, scout: probe } satisfies StoredState,
        written: this.#writes,
      });
      // Padded with blanks, to write over what a longer state left.
      this.#longest = Math.max(this.#longest, text.length);
      const bytes = Buffer.from(text.padEnd(this.#longest));
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.#descriptor, bytes, at, bytes.length - at, at);
      if (this.#failing.ends(path)) onRoom?.();
    } catch (error) {
      if (this.#failing.begins(path)) onFault(error);
      this.#tryAgainAtMs = this.#clock.monotonicMs() + TRY_AGAIN_MS;
      this.#leave();
      this.#remove();
    }
  }

  #leave(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    this.#longest = 0;
    if (descriptor === undefined) return;
    try {
      closeSync(descriptor);
    } catch {
      // What a full disk did not take may be told only here; the file is removed, or nobody's any more.
    }
  }

  /** No state is better than an old one: it would promise requests that were sent since. */
  #remove(): void {
    try {
      rmSync(this.#options.path, { force: true });
    } catch (error) {
      this.#options.onFault(error);
    }
  }
}
