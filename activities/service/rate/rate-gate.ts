// Lets requests through as the service's rate headers allow. The port is what the client knows;
// HeaderRateGate gives the permits of one state; shared-rate-gate.ts lets all processes of a host take
// theirs from one HeaderRateGate.
import { type Clock, systemClock } from '../../host/clock';
import { jitterMs } from '../../host/retry-after';
import { RateLimitedError } from '../errors';
import {
  adoptPermits,
  countUpTo,
  initialRateState,
  observeResponse,
  planNextSend,
  returnPermit,
  rollWindows,
  takeLease,
  takePermit,
} from './rate-calculator';
import { readRateHeaders } from './rate-headers';
import type { PermitFacts, RateResponse, RateState } from './rate-state';

/** Leave to send one request (or `weight` of them). Every permit is observed or released, exactly once. */
export type Permit = PermitFacts;

export interface AcquireInput {
  readonly weight?: number | undefined;
  /**
   * How long (ms) the caller may wait here. Where the wait is expected to be longer, RateLimitedError is
   * thrown at once rather than at the end. A caller that waits a second at most (for a look, which can be
   * made later) gives way to all others, also to those that were turned away and told when to come back.
   */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when the caller has to wait (again when the leader changes), with the time (Unix ms) until which,
   * as far as is known.
   */
  readonly onWaiting?: ((untilMs: number) => void) | undefined;
}

/** Port. Waiters are served in the order in which they came; those that give way, after all others. */
export interface RateGate {
  /** Throws RateLimitedError (not sent), or the signal's reason. */
  acquire(input: AcquireInput): Promise<Permit>;
  /**
   * Takes in the response to a permitted request; `status` is null when none came. Returns the time (Unix ms)
   * before which the service asked not to be called again, if it did.
   */
  observe(permit: Permit, headers: ReadonlyMap<string, string>, status: number | null): number | undefined;
  /** Gives a permit back whose request certainly never left, instead of observing it. */
  release(permit: Permit): void;
}

/**
 * Where the calculator's state is kept. In memory by default; a file that outlives the process can stand in.
 */
export interface RateStateCell {
  read(): RateState;
  /** When this returns, the state is kept; only then are the permits in it handed out. */
  write(state: RateState): void;
}

export interface HeaderRateGateOptions {
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** Where the state is kept; by default in memory, beginning without any knowledge. */
  readonly cell?: RateStateCell | undefined;
  /**
   * The part of each limit that may be used here, above 0 and at most 1; without effect where `cell` is
   * given, for its state has a fraction of its own.
   */
  readonly fraction?: number | undefined;
  /**
   * Asked before a permit is given or the state is written. False: the state is another process's by now, and
   * this gate does nothing any more.
   */
  readonly mayServe?: (() => boolean) | undefined;
  /** Called while somebody waits because this host has no part of the account's limit yet. */
  readonly onWaiting?: (() => void) | undefined;
}

/**
 * How much of the account's limit a host has had work for since it was last asked; `limit` and `periodMs` are
 * those of the shortest window known.
 */
export interface RateDemand {
  readonly given: number;
  /** Somebody had to wait for another window, or for this host's part. */
  readonly isShort: boolean;
  readonly limit?: number;
  readonly periodMs?: number;
}

/** A longer wait is for the next window; a shorter one only for the probe that goes first in a new window. */
const SHORT_FROM_MS = 500;

/** A caller that waits no longer than this gives way. */
const GIVES_WAY_MS = 1_000;
/** They come so much later at most than their place is free (`jitterMs`), and count until then. */
const MOST_LATE_MS = 5_000;
/**
 * Whoever goes first is told to come at most a tenth of this after its place is free. Their places keep them
 * apart already, and a look that is let through in the time between is one that it waits behind.
 */
const FIRST_SPREAD_MS = 10_000;
/** The service tells the end of a window by the second: times no further apart may be those of one window. */
const ONE_TIME_MS = 1_000;
/** So many of the callers that were turned away are remembered; any more are not counted. */
const MOST_EXPECTED = 10_000;

interface Waiter {
  readonly weight: number;
  readonly givesWay: boolean;
  readonly deadlineMs: number;
  readonly resolve: (permit: Permit) => void;
  readonly reject: (error: unknown) => void;
  readonly onWaiting: ((untilMs: number) => void) | undefined;
  hasBeenTold: boolean;
}

/** Keeps to `X-Rate-Limit-*`, `Retry-After` and `Date`, by the service's public documentation. */
export class HeaderRateGate implements RateGate {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #cell: RateStateCell;
  readonly #mayServe: () => boolean;
  readonly #onWaiting: (() => void) | undefined;
  /** In the order in which they go: those that give way stand behind all others. */
  readonly #waiters: Waiter[] = [];
  /** When (on the gate's monotonic clock) callers that were turned away were told to come back, ascending. */
  readonly #expected: number[] = [];
  /** Those among them that do not give way. */
  readonly #expectedFirst: number[] = [];
  /** Numbers (`seq`), ascending, of the permits given in the open windows to callers that give way. */
  readonly #gaveWay: number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #given = 0;
  #isShort = false;

  constructor(options: HeaderRateGateOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#cell = options.cell ?? memoryCell(options.fraction);
    this.#mayServe = options.mayServe ?? (() => true);
    this.#onWaiting = options.onWaiting;
  }

  async acquire(input: AcquireInput): Promise<Permit> {
    input.signal?.throwIfAborted();
    let onAbort = () => {};
    try {
      return await new Promise<Permit>((resolve, reject) => {
        const waiter: Waiter = {
          weight: input.weight ?? 1,
          givesWay: input.maxWaitMs <= GIVES_WAY_MS,
          deadlineMs: this.#clock.monotonicMs() + input.maxWaitMs,
          resolve,
          reject,
          onWaiting: input.onWaiting,
          hasBeenTold: false,
        };
        onAbort = () => {
          this.#remove(waiter);
          reject(input.signal?.reason);
          this.#serve();
        };
        input.signal?.addEventListener('abort', onAbort, { once: true });
        this.#queue(waiter);
        this.#serve();
      });
    } finally {
      input.signal?.removeEventListener('abort', onAbort);
    }
  }

  observe(permit: Permit, headers: ReadonlyMap<string, string>, status: number | null): number | undefined {
    const response = status === null ? null : readRateHeaders(headers, status, this.#clock.wallMs());
    return this.take(permit, response, this.#clock.monotonicMs());
  }

  /**
   * As `observe`, for a response whose headers were read elsewhere; it came at `atMs` of the gate's clock.
   */
  take(permit: Permit, response: RateResponse | null, atMs: number): number | undefined {
    const observed = observeResponse(this.#cell.read(), permit, atMs, response, this.#random());
    this.#serve(observed.state);
    return observed.pausedForMs === undefined ? undefined : this.#clock.wallMs() + observed.pausedForMs;
  }

  release(permit: Permit): void {
    const at = this.#gaveWay.lastIndexOf(permit.seq);
    if (at >= 0) this.#gaveWay.splice(at, 1);
    this.#serve(returnPermit(this.#cell.read(), permit));
  }

  /**
   * Takes over permits that were given before this gate had the state; each is
   * observed or released like its own.
   */
  adopt(permits: readonly Permit[]): void {
    this.#serve(adoptPermits(this.#cell.read(), permits));
  }

  /** Sets the part of the account's limit that is this host's from now on; see `takeLease`. */
  lease(part: number | undefined): void {
    this.#serve(takeLease(this.#cell.read(), part));
  }

  /** What was given since the last call, whether somebody had to wait, and the shortest window known. */
  demand(): RateDemand {
    this.#serve();
    const { windows } = this.#cell.read();
    const [shortest] = [...windows].sort((one, other) => one.periodMs - other.periodMs);
    const demand = { given: this.#given, isShort: this.#isShort };
    this.#given = 0;
    this.#isShort = false;
    return {
      ...demand,
      ...(shortest === undefined ? {} : { limit: shortest.limit, periodMs: shortest.periodMs }),
    };
  }

  /** Turns every waiter away with this error. */
  abandon(error: Error): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  /**
   * Lets through whoever may go, turns away whoever would wait too long, and
   * wakes again when that can change.
   */
  #serve(known?: RateState): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#mayServe()) return;
    const nowMs = this.#clock.monotonicMs();
    for (const times of [this.#expected, this.#expectedFirst]) {
      times.splice(0, countUpTo(times, nowMs - MOST_LATE_MS));
    }
    let state = rollWindows(known ?? this.#cell.read(), nowMs);
    const oldest = Math.min(state.lastSeq, ...state.windows.map(({ openedAfterSeq }) => openedAfterSeq));
    this.#gaveWay.splice(0, countUpTo(this.#gaveWay, oldest));
    const given: (() => void)[] = [];
    let wakeAtMs = Number.POSITIVE_INFINITY;
    for (;;) {
      const first = this.#waiters[0];
      if (first === undefined) break;
      const ahead = first.givesWay ? this.#countFirst(nowMs) : 0;
      const next = planNextSend(state, nowMs, { weight: first.weight, ahead, gaveWay: this.#had(first) });
      this.#isShort ||= next.expectedAtMs - nowMs > SHORT_FROM_MS;
      const mayGoAtMs = first.givesWay ? Math.max(next.askAgainAtMs, next.expectedAtMs) : next.askAgainAtMs;
      if (mayGoAtMs > nowMs) {
        wakeAtMs = mayGoAtMs;
        break;
      }
      const taken = takePermit(state, nowMs, first.weight);
      state = taken.state;
      if (first.givesWay) this.#gaveWay.push(taken.permit.seq);
      this.#waiters.shift();
      given.push(() => first.resolve(taken.permit));
    }
    this.#given += given.length;
    this.#cell.write(state);
    for (const give of given) give();
    if (state.lease === 0 && this.#waiters.length > 0) this.#onWaiting?.();
    this.#turnAway(state, nowMs);
    for (const waiter of this.#waiters) wakeAtMs = Math.min(wakeAtMs, waiter.deadlineMs);
    if (this.#waiters.length > 0) {
      this.#timer = setTimeout(() => this.#serve(), Math.min(Math.max(1, wakeAtMs - nowMs), 60_000));
    }
  }

  #turnAway(state: RateState, nowMs: number): void {
    let ahead = 0;
    for (const waiter of [...this.#waiters]) {
      const { weight, givesWay } = waiter;
      const before = givesWay ? ahead + this.#countFirst(nowMs) : ahead;
      const gaveWay = this.#had(waiter);
      const { expectedAtMs } = planNextSend(state, nowMs, { weight, ahead: before, gaveWay });
      const inMs = Math.max(0, expectedAtMs - nowMs);
      if (expectedAtMs > waiter.deadlineMs || nowMs >= waiter.deadlineMs) {
        this.#remove(waiter);
        const backInMs = this.#expectBack(state, nowMs, { weight, givesWay, ahead });
        const spreadMs = givesWay ? backInMs : Math.min(backInMs, FIRST_SPREAD_MS);
        const retryAtMs = this.#clock.wallMs() + backInMs + jitterMs(spreadMs, this.#random());
        waiter.reject(
          new RateLimitedError('the rate limit is spent', {
            effect: 'not-sent',
            retryAtMs: Math.ceil(retryAtMs),
          }),
        );
        continue;
      }
      ahead += waiter.weight;
      if (!waiter.hasBeenTold && inMs > 0) {
        waiter.hasBeenTold = true;
        waiter.onWaiting?.(this.#clock.wallMs() + inMs);
      }
    }
  }

  /**
   * How long (ms) until this caller is to come back: in the first window that has room for it beside those
   * who were told so before, or all would come at one moment. Callers that give way stand behind everybody,
   * and nobody but they themselves behind them. Only those count who come no later: whoever comes before an
   * hour ends, and finds it spent, would else leave a place to the next one, who would be told the same time.
   */
  #expectBack(
    state: RateState,
    nowMs: number,
    { weight, givesWay, ahead }: { weight: number; givesWay: boolean; ahead: number },
  ): number {
    const expected = givesWay ? this.#expected : this.#expectedFirst;
    const gaveWay = this.#had({ givesWay });
    let atMs = nowMs;
    for (let before = 0, due = 0; ; before = due) {
      const next = planNextSend(state, nowMs, { weight, ahead: ahead + before, gaveWay });
      atMs = Math.max(next.expectedAtMs, nowMs + 1_000);
      due = countUpTo(expected, atMs + ONE_TIME_MS);
      if (due <= before) break;
    }
    if (this.#expected.length < MOST_EXPECTED) {
      for (const times of givesWay ? [this.#expected] : [this.#expected, this.#expectedFirst])
        times.splice(countUpTo(times, atMs), 0, atMs);
    }
    return atMs - nowMs;
  }

  #had({ givesWay }: Pick<Waiter, 'givesWay'>): readonly number[] | undefined {
    return givesWay ? this.#gaveWay : undefined;
  }

  /** Those that do not give way and are still to come back. */
  #countFirst(nowMs: number): number {
    return this.#expectedFirst.length - countUpTo(this.#expectedFirst, nowMs);
  }

  #queue(waiter: Waiter): void {
    const firstToGiveWay = this.#waiters.findIndex(({ givesWay }) => givesWay);
    if (waiter.givesWay || firstToGiveWay < 0) this.#waiters.push(waiter);
    else this.#waiters.splice(firstToGiveWay, 0, waiter);
  }

  #remove(waiter: Waiter): void {
    const position = this.#waiters.indexOf(waiter);
    if (position >= 0) this.#waiters.splice(position, 1);
  }
}

function memoryCell(fraction?: number): RateStateCell {
  let state = initialRateState(fraction);
  return {
    read: () => state,
    write: next => {
      state = next;
    },
  };
}
