// The leader of the rate limit: one gate that serves its own process directly and the others of the host by a
// socket. All wait in one queue, first come, first served.
import type { Server, Socket } from 'node:net';
import type { Clock } from '../../host/clock';
import { isServiceError } from '../errors';
import { LeaderLostError, type PermitSource } from './permit-source';
import { type AcquireInput, HeaderRateGate, type Permit, type RateDemand } from './rate-gate';
import type { RateResponse } from './rate-state';
import type { RateStateFile } from './shared-rate-state';
import { type FromLeader, LineChannel, type ToLeader } from './shared-rate-wire';

export interface RateLeaderOptions {
  readonly server: Server;
  readonly cell: RateStateFile;
  readonly clock: Clock;
  readonly random?: (() => number) | undefined;
  /**
   * Whether nobody else has become the leader; asked now and then, and after
   * every standstill of this process.
   */
  readonly isNewest: () => boolean;
  /** This process is no leader any more. Called at once, from within whatever was being done. */
  readonly onLost: () => void;
  /** Called while somebody waits because this host has no part of the account's limit yet. */
  readonly onWaiting?: (() => void) | undefined;
}

/**
 * A leader that stood still may have been replaced meanwhile: it looks before it
 * does anything after such a time.
 */
const LOOK_EVERY_MS = 500;
/**
 * Processes that live come back to a new leader at once; what they do not claim by
 * then belonged to one that died.
 */
const CLAIM_WITHIN_MS = 2_000;

type Channel = LineChannel<ToLeader, FromLeader>;

/** One process that takes its permits here. */
interface Follower {
  readonly channel: Channel;
  /** By the ids that the follower gave its questions. */
  readonly waiting: Map<number, AbortController>;
  /** By seq. */
  readonly taken: Map<number, Permit>;
  isGone: boolean;
}

export class RateLeader implements PermitSource {
  readonly #options: RateLeaderOptions;
  readonly #gate: HeaderRateGate;
  readonly #followers = new Set<Follower>();
  /** Permits given by the leader before, by seq: nobody has claimed them yet. */
  readonly #unclaimed: Map<number, Permit>;
  readonly #claims: NodeJS.Timeout;
  #lookedAtMs: number;
  #isOver = false;

  constructor(options: RateLeaderOptions) {
    this.#options = options;
    const { cell, clock, random, server, onWaiting } = options;
    this.#lookedAtMs = clock.monotonicMs();
    const { underWay } = cell.read();
    this.#unclaimed = new Map(underWay.map(({ seq, weight }) => [seq, { seq, weight, sentAtMs: 0 }]));
    this.#gate = new HeaderRateGate({ clock, random, cell, mayServe: () => this.#mayServe(), onWaiting });
    server.on('connection', socket => this.#accept(socket));
    server.on('error', () => this.#stepDown());
    // A process with nothing else to do may end.
    server.unref();
    this.#claims = setTimeout(() => this.#forgetUnclaimed(), CLAIM_WITHIN_MS).unref();
  }

  acquire(input: AcquireInput): Promise<Permit> {
    if (!this.#mayServe()) return Promise.reject(new LeaderLostError());
    return this.#gate.acquire(input);
  }

  take(permit: Permit, response: RateResponse | null, atMs: number): number | undefined {
    return this.#gate.take(permit, response, atMs);
  }

  release(permit: Permit): void {
    this.#gate.release(permit);
  }

  /** Takes over permits of a process that lives. */
  adopt(taken: readonly Permit[]): void {
    for (const { seq } of taken) this.#unclaimed.delete(seq);
    this.#gate.adopt(taken);
  }

  lease(part: number | undefined): void {
    this.#gate.lease(part);
  }

  demand(): RateDemand {
    return this.#gate.demand();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#claims);
    this.#options.server.close();
    for (const follower of this.#followers) follower.channel.end();
    this.#gate.abandon(new LeaderLostError());
    this.#options.cell.close();
  }

  #mayServe(): boolean {
    if (this.#isOver) return false;
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#lookedAtMs < LOOK_EVERY_MS) return true;
    this.#lookedAtMs = nowMs;
    if (this.#options.isNewest()) return true;
    this.#stepDown();
    return false;
  }

  #stepDown(): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onLost();
  }

  #accept(socket: Socket): void {
    socket.unref();
    const channel = LineChannel.atLeader(socket);
    const follower: Follower = { channel, waiting: new Map(), taken: new Map(), isGone: false };
    this.#followers.add(follower);
    channel.listen(
      message => this.#hear(follower, message),
      () => this.#leave(follower),
    );
  }

  #hear(follower: Follower, message: ToLeader): void {
    if (this.#isOver) return;
    switch (message.kind) {
      case 'hello':
        for (const permit of message.held) follower.taken.set(permit.seq, permit);
        this.adopt(message.held);
        break;
      case 'acquire':
        this.#queue(follower, message);
        break;
      case 'cancel':
        follower.waiting.get(message.id)?.abort(new LeaderLostError());
        break;
      case 'observe':
        follower.taken.delete(message.permit.seq);
        this.take(message.permit, message.answer, message.atMs);
        if (!this.#isOver) follower.channel.send({ kind: 'noted', seq: message.permit.seq });
        break;
      case 'release':
        follower.taken.delete(message.permit.seq);
        this.release(message.permit);
        break;
      case 'ping':
        follower.channel.send({ kind: 'pong' });
    }
  }

  #queue(follower: Follower, { id, weight, waitMs }: Extract<ToLeader, { readonly kind: 'acquire' }>): void {
    const stop = new AbortController();
    follower.waiting.set(id, stop);
    const input: AcquireInput = {
      weight,
      maxWaitMs: waitMs,
      signal: stop.signal,
      onWaiting: untilMs => follower.channel.send({ kind: 'waiting', id, untilMs }),
    };
    this.acquire(input)
      .then(permit => {
        if (follower.isGone) return this.release(permit);
        follower.taken.set(permit.seq, permit);
        follower.channel.send({ kind: 'granted', id, permit });
      })
      .catch((error: unknown) => {
        // Nothing is said to a caller that has cancelled or left, nor by a leader that leads no longer: its
        // connections end.
        if (!isServiceError(error) || error.code !== 'RATE_LIMITED') return;
        follower.channel.send({ kind: 'refused', id, retryAtMs: error.retryAtMs });
      })
      .finally(() => follower.waiting.delete(id));
  }

  /**
   * A process that has ended may have sent what it had taken permits for; nobody will say what came of it.
   */
  #leave(follower: Follower): void {
    follower.isGone = true;
    this.#followers.delete(follower);
    if (this.#isOver) return;
    for (const stop of follower.waiting.values()) stop.abort(new LeaderLostError());
    for (const permit of follower.taken.values()) this.take(permit, null, this.#options.clock.monotonicMs());
  }

  #forgetUnclaimed(): void {
    for (const permit of this.#unclaimed.values()) {
      this.take(permit, null, this.#options.clock.monotonicMs());
    }
    this.#unclaimed.clear();
  }
}
