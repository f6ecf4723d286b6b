// A rate gate that notes what responses tell besides: the clock of the service, what is left of its limits.
import { systemClock } from '../../activities/host/clock';
import { parseHttpDate } from '../../activities/host/retry-after';
import type { AcquireInput, Permit, RateGate } from '../../activities/service/rate/rate-gate';
import { readRateHeaders } from '../../activities/service/rate/rate-headers';
import type { Skew } from './judge-clock';

export interface LimitLeft {
  readonly limit: number;
  readonly remaining: number;
}

export class ListeningGate implements RateGate {
  readonly #gate: RateGate;
  readonly #nowMs: () => number;
  readonly #sentMs = new Map<number, number>();
  readonly #limits = new Map<number, LimitLeft>();
  #clock: Skew | undefined;
  #hasAnswered = false;

  constructor(gate: RateGate, nowMs: () => number = systemClock.wallMs) {
    this.#gate = gate;
    this.#nowMs = nowMs;
  }

  /** Whether any request was answered, whatever the response said. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Undefined while no response had a date. */
  get clock(): Skew | undefined {
    return this.#clock;
  }

  /** As the newest responses told them. */
  get limits(): readonly LimitLeft[] {
    return [...this.#limits.values()];
  }

  async acquire(input: AcquireInput): Promise<Permit> {
    const permit = await this.#gate.acquire(input);
    this.#sentMs.set(permit.seq, this.#nowMs());
    return permit;
  }

  observe(permit: Permit, headers: ReadonlyMap<string, string>, status: number | null): number | undefined {
    if (status !== null) this.#note(headers, status, this.#sentMs.get(permit.seq));
    return this.#gate.observe(permit, headers, status);
  }

  release(permit: Permit): void {
    this.#gate.release(permit);
  }

  #note(headers: ReadonlyMap<string, string>, status: number, sentMs: number | undefined): void {
    this.#hasAnswered = true;
    const nowMs = this.#nowMs();
    const dateMs = parseHttpDate(headers.get('date'));
    // A date tells whole seconds.
    if (dateMs !== undefined && sentMs !== undefined)
      this.#clock = { lowMs: dateMs - nowMs, highMs: dateMs + 1_000 - sentMs };
    const { limit, remaining } = readRateHeaders(headers, status, nowMs);
    if (limit !== undefined && remaining !== undefined) this.#limits.set(limit, { limit, remaining });
  }
}
