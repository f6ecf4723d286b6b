// A process that takes its permits from the leader of the host, by a socket.
import type { Socket } from 'node:net';
import { type Clock, hostClock } from '../../host/clock';
import { RateLimitedError } from '../errors';
import { LeaderLostError, type PermitSource } from './permit-source';
import { initialRateState, observeResponse } from './rate-calculator';
import type { AcquireInput, Permit } from './rate-gate';
import type { RateResponse, RateState } from './rate-state';
import { type FromLeader, LineChannel, type ToLeader } from './shared-rate-wire';

export interface RateFollowerOptions {
  readonly socket: Socket;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** Permits whose requests are under way, from the leader before. */
  readonly taken: readonly Permit[];
  /**
   * Called once, when the leader is gone; `isHung`: it is connected, but says nothing any more. `unnoted`:
   * observations that it never confirmed, which the next leader is to be told.
   */
  readonly onLost: (isHung: boolean, unnoted: readonly Observation[]) => void;
  /** How often a leader is asked for a sign of life while somebody waits. */
  readonly askEveryMs?: number | undefined;
}

/** What became of a permit, as the leader was told. */
export interface Observation {
  readonly permit: Permit;
  readonly response: RateResponse | null;
  readonly atMs: number;
}

/** Signs of life that may be missing before the leader counts as hung. */
const MOST_MISSING = 2;
const ASK_EVERY_MS = 2_000;

interface Asked {
  readonly settle: (message: Extract<FromLeader, { readonly id: number }>) => void;
  readonly fail: (error: unknown) => void;
}

export class RateFollower implements PermitSource {
  readonly #options: RateFollowerOptions;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #channel: LineChannel<FromLeader, ToLeader>;
  readonly #asked = new Map<number, Asked>();
  /** Observations that the leader has not confirmed yet, by the permit's seq. */
  readonly #unnoted = new Map<number, Observation>();
  #lastId = 0;
  #asking: NodeJS.Timeout | undefined;
  #missing = 0;
  #isOver = false;
  /**
   * What our own responses say of the server's clock and of refusals: enough to work out the pause that a
   * response asks for.
   */
  #view: RateState = initialRateState();

  constructor(options: RateFollowerOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.#clock = options.clock ?? hostClock;
    this.#channel = LineChannel.toLeader(options.socket);
    this.#channel.listen(
      message => this.#hear(message),
      () => this.#lose(false),
    );
    this.#socket.unref();
    this.#channel.send({ kind: 'hello', held: [...options.taken] });
  }

  async acquire(input: AcquireInput): Promise<Permit> {
    input.signal?.throwIfAborted();
    if (this.#isOver) throw new LeaderLostError();
    this.#lastId += 1;
    const id = this.#lastId;
    const onAbort = (): void => {
      this.#channel.send({ kind: 'cancel', id });
      this.#asked.get(id)?.fail(input.signal?.reason);
    };
    input.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise<Permit>((resolve, reject) => {
        const settle: Asked['settle'] = message => {
          if (message.kind === 'waiting') input.onWaiting?.(message.untilMs);
          else if (message.kind === 'granted') resolve(message.permit);
          else reject(toRefusal(message.retryAtMs));
        };
        this.#asked.set(id, { settle, fail: reject });
        this.#channel.send({
          kind: 'acquire',
          id,
          weight: input.weight ?? 1,
          // JSON has no infinity.
          waitMs: Math.min(Math.max(0, input.maxWaitMs), Number.MAX_SAFE_INTEGER),
        });
        this.#watch();
      });
    } finally {
      input.signal?.removeEventListener('abort', onAbort);
      this.#asked.delete(id);
      this.#watch();
    }
  }

  take(permit: Permit, response: RateResponse | null, atMs: number): number | undefined {
    this.#unnoted.set(permit.seq, { permit, response, atMs });
    this.#channel.send({ kind: 'observe', permit, answer: response, atMs });
    const random = this.#options.random ?? Math.random;
    const { state, pausedForMs } = observeResponse(this.#view, permit, atMs, response, random());
    const { clock, refusalsInARow, marginMs, pausedUntilMs } = state;
    this.#view = { ...initialRateState(), clock, refusalsInARow, marginMs, pausedUntilMs };
    return pausedForMs === undefined ? undefined : this.#clock.wallMs() + pausedForMs;
  }

  release(permit: Permit): void {
    this.#channel.send({ kind: 'release', permit });
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#asking);
    this.#channel.end();
    for (const { fail } of this.#asked.values()) fail(new LeaderLostError());
  }

  #hear(message: FromLeader): void {
    this.#missing = 0;
    if (message.kind === 'noted') this.#unnoted.delete(message.seq);
    if (message.kind === 'noted' || message.kind === 'pong') return;
    const asked = this.#asked.get(message.id);
    if (asked !== undefined) asked.settle(message);
    // Whoever asked has left meanwhile.
    else if (message.kind === 'granted') this.release(message.permit);
  }

  #lose(isHung: boolean): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onLost(isHung, [...this.#unnoted.values()]);
  }

  /** While somebody waits, the process stays alive, and the leader is asked whether it is alive. */
  #watch(): void {
    const isNeeded = this.#asked.size > 0 && !this.#isOver;
    if (isNeeded === (this.#asking !== undefined)) return;
    clearInterval(this.#asking);
    this.#asking = undefined;
    if (!isNeeded) {
      this.#socket.unref();
      return;
    }
    this.#socket.ref();
    this.#missing = 0;
    this.#asking = setInterval(() => this.#ask(), this.#options.askEveryMs ?? ASK_EVERY_MS);
  }

  #ask(): void {
    this.#missing += 1;
    if (this.#missing > MOST_MISSING) this.#lose(true);
    else this.#channel.send({ kind: 'ping' });
  }
}

function toRefusal(retryAtMs: number): RateLimitedError {
  return new RateLimitedError('the rate limit is spent', { effect: 'not-sent', retryAtMs });
}
