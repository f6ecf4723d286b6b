// A service with two rate windows in simulated time, and callers who use the calculator: for proving what it
// promises over hours, in milliseconds.
import {
  initialRateState,
  observeResponse,
  planNextSend,
  rollWindows,
  takeLease,
  takePermit,
} from '../../../../activities/service/rate/rate-calculator';
import type { PermitFacts, RateResponse, RateState } from '../../../../activities/service/rate/rate-state';

export interface SimulatedLimit {
  readonly limit: number;
  readonly lengthMs: number;
}

export interface SimulationInput {
  readonly limits: readonly SimulatedLimit[];
  readonly requests: number;
  readonly callers: number;
  /** Latency of the n-th request, there and back. */
  readonly latencyMs: (n: number) => number;
  /** Server clock minus our monotonic clock at the start. */
  readonly skewMs: number;
  /** Windows begin at multiples of their length, or with the first request after the last one. */
  readonly windows: 'aligned' | 'on-demand';
  /** How an end between two seconds is put into X-Rate-Limit-Reset. */
  readonly rounding: 'up' | 'down';
  /** Requests that get no response, but count. */
  readonly isLost?: (n: number) => boolean;
  /** Hosts that use the account without knowing of each other; each has `callers`. One by default. */
  readonly hosts?: number;
  /** What each host may use of the limits; all by default. */
  readonly share?: number;
  /** What each host has leased of the account, in place of `hosts`. */
  readonly leases?: readonly number[];
}

export interface SimulationResult {
  readonly refused: number;
  readonly tookMs: number;
  readonly sentAtMs: readonly number[];
  readonly finalState: RateState;
}

interface Event {
  readonly atMs: number;
  readonly run: () => void;
}

/** One host: a state of its own, and callers who take whatever is left to do. */
interface Host {
  state: RateState;
  idle: number;
  wakeAtMs: number;
}

/** Runs until every request was answered with success; stops (and says so) when nothing can go on. */
export function simulate(input: SimulationInput): SimulationResult {
  const server = new SimulatedServer(input);
  const events: Event[] = [];
  const sentAtMs: number[] = [];
  const leases = input.leases ?? Array.from({ length: input.hosts ?? 1 }, () => undefined);
  const hosts = leases.map((lease): Host => {
    const state = takeLease(initialRateState(input.share), lease);
    return { state, idle: input.callers, wakeAtMs: Number.POSITIVE_INFINITY };
  });
  let nowMs = 0;
  let waiting = input.requests;
  let done = 0;
  let refused = 0;
  let tookMs = 0;

  const schedule = (atMs: number, run: () => void) => events.push({ atMs, run });
  const serve = (host: Host) => {
    host.wakeAtMs = Number.POSITIVE_INFINITY;
    host.state = rollWindows(host.state, nowMs);
    while (waiting > 0 && host.idle > 0) {
      const next = planNextSend(host.state, nowMs);
      if (next.askAgainAtMs > nowMs) {
        host.wakeAtMs = next.askAgainAtMs;
        return;
      }
      const taken = takePermit(host.state, nowMs);
      host.state = taken.state;
      waiting -= 1;
      host.idle -= 1;
      sentAtMs.push(nowMs);
      send(host, taken.permit);
    }
  };
  const send = (host: Host, permit: PermitFacts) => {
    const latencyMs = input.latencyMs(permit.seq);
    let response: RateResponse | null = null;
    schedule(nowMs + latencyMs / 2, () => {
      response = server.respond(nowMs);
      if (input.isLost?.(permit.seq) === true) response = null;
    });
    schedule(nowMs + latencyMs, () => {
      host.state = observeResponse(host.state, permit, nowMs, response, 0.5).state;
      host.idle += 1;
      if (response?.status === 429) {
        refused += 1;
        waiting += 1;
      } else {
        done += 1;
        tookMs = nowMs;
      }
    });
  };

  for (let steps = 0; done < input.requests; steps++) {
    if (steps > input.requests * 200 + 10_000)
      throw new Error(`stuck at ${done} of ${input.requests}, ${nowMs} ms`);
    for (const host of hosts) serve(host);
    events.sort((left, right) => left.atMs - right.atMs);
    const wakeAtMs = Math.min(...hosts.map(host => host.wakeAtMs));
    const next = events[0];
    if (next === undefined || wakeAtMs < next.atMs) {
      if (wakeAtMs === Number.POSITIVE_INFINITY)
        throw new Error(`nothing will ever happen again at ${nowMs} ms`);
      nowMs = wakeAtMs;
    } else {
      events.shift();
      nowMs = next.atMs;
      next.run();
    }
  }
  return { refused, tookMs, sentAtMs, finalState: hosts[0]!.state };
}

class SimulatedServer {
  readonly #input: SimulationInput;
  readonly #windows: { readonly limit: number; readonly lengthMs: number; endsAtMs: number; used: number }[];

  constructor(input: SimulationInput) {
    this.#input = input;
    this.#windows = input.limits.map(limit => ({ ...limit, endsAtMs: Number.NEGATIVE_INFINITY, used: 0 }));
  }

  respond(localMs: number): RateResponse {
    const serverMs = localMs + this.#input.skewMs;
    for (const window of this.#windows) {
      if (serverMs < window.endsAtMs) continue;
      window.used = 0;
      const fromMs =
        this.#input.windows === 'aligned'
          ? Math.floor(serverMs / window.lengthMs) * window.lengthMs
          : serverMs;
      window.endsAtMs = fromMs + window.lengthMs;
    }
    const isSpent = this.#windows.some(window => window.used >= window.limit);
    if (!isSpent) for (const window of this.#windows) window.used += 1;
    const shown = [...this.#windows].sort(
      (left, right) => left.limit - left.used - (right.limit - right.used) || right.endsAtMs - left.endsAtMs,
    )[0]!;
    const round = this.#input.rounding === 'up' ? Math.ceil : Math.floor;
    return {
      status: isSpent ? 429 : 200,
      limit: shown.limit,
      remaining: shown.limit - shown.used,
      resetAtServerMs: round(shown.endsAtMs / 1_000) * 1_000,
      dateMs: Math.floor(serverMs / 1_000) * 1_000,
    };
  }
}
