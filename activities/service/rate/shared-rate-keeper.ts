// The keeper of the rate limit: one gate that serves its own process directly and the others of the host by a
// socket. All wait in one queue, first come, first served.
import type { Server, Socket } from 'node:net';
import type { Clock } from '../../host/clock';
import { isServiceError } from '../errors';
import { type AcquireInput, HeaderRateGate, type Permit } from './rate-gate';
import type { RateAnswer } from './rate-state';
import { DeskLostError, type RateDesk } from './shared-rate-desk';
import type { RateStateFile } from './shared-rate-state';
import { type FromKeeper, LineChannel, type ToKeeper } from './shared-rate-wire';

export interface RateKeeperOptions {
  readonly server: Server;
  readonly cell: RateStateFile;
  readonly clock: Clock;
  readonly random?: (() => number) | undefined;
  /**
   * Whether nobody else has become the keeper; asked now and then, and after
   * every standstill of this process.
   */
  readonly isNewest: () => boolean;
  /** This process is no keeper any more. Called at once, from within whatever was being done. */
  readonly onLost: () => void;
}

/**
 * A keeper that stood still may have been replaced meanwhile: it looks before it
 * does anything after such a time.
 */
const LOOK_EVERY_MS = 500;
/**
 * Processes that live come back to a new keeper at once; what they do not claim by
 * then belonged to one that died.
 */
const CLAIM_WITHIN_MS = 2_000;

type Channel = LineChannel<ToKeeper, FromKeeper>;

/** One process that takes its permits here. */
interface Guest {
  readonly channel: Channel;
  /** By the guest's own numbers. */
  readonly waiting: Map<number, AbortController>;
  /** By seq. */
  readonly held: Map<number, Permit>;
  isGone: boolean;
}

export class RateKeeper implements RateDesk {
  readonly #options: RateKeeperOptions;
  readonly #gate: HeaderRateGate;
  readonly #guests = new Set<Guest>();
  /** Permits given by the keeper before, by seq: nobody has claimed them yet. */
  readonly #unclaimed: Map<number, Permit>;
  readonly #claims: NodeJS.Timeout;
  #lookedAtMs: number;
  #isOver = false;

  constructor(options: RateKeeperOptions) {
    this.#options = options;
    const { cell, clock, random, server } = options;
    this.#lookedAtMs = clock.monotonicMs();
    const { underWay } = cell.read();
    this.#unclaimed = new Map(underWay.map(({ seq, weight }) => [seq, { seq, weight, sentAtMs: 0 }]));
    this.#gate = new HeaderRateGate({ clock, random, cell, mayServe: () => this.#mayServe() });
    server.on('connection', socket => this.#welcome(socket));
    server.on('error', () => this.#resign());
    // A process with nothing else to do may end.
    server.unref();
    this.#claims = setTimeout(() => this.#forgetUnclaimed(), CLAIM_WITHIN_MS).unref();
  }

  acquire(input: AcquireInput): Promise<Permit> {
    if (!this.#mayServe()) return Promise.reject(new DeskLostError());
    return this.#gate.acquire(input);
  }

  take(permit: Permit, answer: RateAnswer | null, atMs: number): number | undefined {
    return this.#gate.take(permit, answer, atMs);
  }

  release(permit: Permit): void {
    this.#gate.release(permit);
  }

  /** Takes over permits of a process that lives. */
  adopt(held: readonly Permit[]): void {
    for (const { seq } of held) this.#unclaimed.delete(seq);
    this.#gate.adopt(held);
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#claims);
    this.#options.server.close();
    for (const guest of this.#guests) guest.channel.end();
    this.#gate.abandon(new DeskLostError());
    this.#options.cell.close();
  }

  #mayServe(): boolean {
    if (this.#isOver) return false;
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#lookedAtMs < LOOK_EVERY_MS) return true;
    this.#lookedAtMs = nowMs;
    if (this.#options.isNewest()) return true;
    this.#resign();
    return false;
  }

  #resign(): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onLost();
  }

  #welcome(socket: Socket): void {
    socket.unref();
    const channel = LineChannel.atKeeper(socket);
    const guest: Guest = { channel, waiting: new Map(), held: new Map(), isGone: false };
    this.#guests.add(guest);
    channel.listen(
      message => this.#hear(guest, message),
      () => this.#leave(guest),
    );
  }

  #hear(guest: Guest, message: ToKeeper): void {
    if (this.#isOver) return;
    switch (message.kind) {
      case 'hello':
        for (const permit of message.held) guest.held.set(permit.seq, permit);
        this.adopt(message.held);
        break;
      case 'acquire':
        this.#queue(guest, message);
        break;
      case 'cancel':
        guest.waiting.get(message.id)?.abort(new DeskLostError());
        break;
      case 'observe':
        guest.held.delete(message.permit.seq);
        this.take(message.permit, message.answer, message.atMs);
        if (!this.#isOver) guest.channel.send({ kind: 'noted', seq: message.permit.seq });
        break;
      case 'release':
        guest.held.delete(message.permit.seq);
        this.release(message.permit);
        break;
      case 'ping':
        guest.channel.send({ kind: 'pong' });
    }
  }

  #queue(guest: Guest, { id, weight, waitMs }: Extract<ToKeeper, { readonly kind: 'acquire' }>): void {
    const stop = new AbortController();
    guest.waiting.set(id, stop);
    const input: AcquireInput = {
      weight,
      maxWaitMs: waitMs,
      signal: stop.signal,
      onWaiting: untilMs => guest.channel.send({ kind: 'waiting', id, untilMs }),
    };
    this.acquire(input)
      .then(permit => {
        if (guest.isGone) return this.release(permit);
        guest.held.set(permit.seq, permit);
        guest.channel.send({ kind: 'granted', id, permit });
      })
      .catch((error: unknown) => {
        // Nothing is said to those who left, nor by a keeper that is none any more: the connection ends.
        if (!isServiceError(error) || error.code !== 'RATE_LIMITED') return;
        guest.channel.send({ kind: 'refused', id, retryAtMs: error.retryAtMs });
      })
      .finally(() => guest.waiting.delete(id));
  }

  /** A process that has ended may have sent what it held permits for; nobody will say what came of it. */
  #leave(guest: Guest): void {
    guest.isGone = true;
    this.#guests.delete(guest);
    if (this.#isOver) return;
    for (const stop of guest.waiting.values()) stop.abort(new DeskLostError());
    for (const permit of guest.held.values()) this.take(permit, null, this.#options.clock.monotonicMs());
  }

  #forgetUnclaimed(): void {
    for (const permit of this.#unclaimed.values()) {
      this.take(permit, null, this.#options.clock.monotonicMs());
    }
    this.#unclaimed.clear();
  }
}
