// One rate limit for all processes of a host that use the same account. The first of them, the leader,
// keeps it in its memory; the others, its followers, take their permits from it by a Unix socket in the state
// folder, and when it ends the next one takes over.
//
// Why a leader and not a file under a lock: the kernel tells everybody at once when a process is gone, so
// nothing ever stays with the dead; waiters are woken by a reply rather than by looking again; all of them
// stand in one queue; and the leader itself, which on most hosts is the only process, pays for no lock and no
// other process. Its state is written to a file before a permit is handed out, so whoever takes over, or
// starts again, goes on where it stood.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, hostClock } from '../../host/clock';
import { codeOf, hasCode } from '../../host/error-code';
import { IncidentLog } from '../../host/incident-log';
import { thisProcess } from '../../host/process-identity';
import { orAborted } from '../or-aborted';
import { markOfHost } from './host-mark';
import { LeaderLostError, type PermitSource } from './permit-source';
import { type AcquireInput, HeaderRateGate, type Permit, type RateDemand, type RateGate } from './rate-gate';
import { readRateHeaders } from './rate-headers';
import type { RateResponse } from './rate-state';
import { type Elected, RateElection, readBoot } from './shared-rate-election';
import { RateFollower } from './shared-rate-follower';
import { RateLeader } from './shared-rate-leader';
import { RateStateFile, readRateStateFile } from './shared-rate-state';

export interface SharedRateGateOptions {
  /** The host's folder for it, on a local disk; each account has a folder of its own below. */
  readonly folder: string;
  /** What the limit belongs to: processes with the same text share it. */
  readonly account: string;
  /** The part of each limit that this host may use, above 0 and at most 1. */
  readonly fraction?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly logger?:
    | {
        debug(facts: Readonly<Record<string, unknown>>, message: string): void;
        warn(facts: Readonly<Record<string, unknown>>, message: string): void;
      }
    | undefined;
  /** How often a leader is asked for a sign of life while somebody waits. */
  readonly askEveryMs?: number | undefined;
}

/** A limit of the service, as the newest response that named it tells of it. */
export interface SeenLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetInMs: number;
  /** Longest time to its reset that was ever told: its window is at least as long. */
  readonly longestMs: number;
}

/**
 * A process that must keep the limit alone (no sockets here, no folder) looks for the others again after
 * this.
 */
const LOOK_AGAIN_MS = 30_000;
/** Pause before an election: a leader that ends every connection must not keep its followers busy. */
const BEFORE_NEXT_ELECTION_MS = 10;
/** To be raised when the form of the messages or of the state changes: old and new processes cannot share. */
const FORM = 1;

export class SharedRateGate implements RateGate {
  readonly #options: SharedRateGateOptions;
  readonly #clock: Clock;
  readonly #election: RateElection;
  /** The folder of this account's sockets and state; made with the first permit. */
  readonly folder: string;
  /** Stands for the account, without revealing it: a hash. */
  readonly account: string;
  /** Called whenever somebody has to wait because this host has no part of the account's limit yet. */
  onWaiting: (() => void) | undefined;
  /** The part that was set last; it counts as soon as this process leads. */
  #lease: number | undefined;
  /** Given to this process and neither observed nor released, by seq. */
  readonly #taken = new Map<number, Permit>();
  /** What is to be told to the next source of permits, because there was none at the time. */
  #untold: ((source: PermitSource) => unknown)[] = [];
  #source: PermitSource | undefined;
  #finding: Promise<PermitSource> | undefined;
  /** Where this process keeps the limit alone: when to look for the others again. */
  #lookAgainAtMs = Number.POSITIVE_INFINITY;
  /** By the code of its fault: that the limit is noted or shared no more. */
  readonly #unshared = new IncidentLog<'limit'>();
  #isClosed = false;
  /** The limits as responses told them, by their number of requests, and when. */
  readonly #limits = new Map<number, SeenLimit & { readonly toldAtMs: number }>();

  constructor(options: SharedRateGateOptions) {
    this.#options = options;
    this.#clock = options.clock ?? hostClock;
    this.account = hash('sha256', `${FORM}\n${options.account}`).slice(0, 16);
    this.folder = join(options.folder, this.account);
    this.#election = new RateElection({ folder: this.folder });
  }

  async acquire(input: AcquireInput): Promise<Permit> {
    const deadlineMs = this.#clock.monotonicMs() + input.maxWaitMs;
    for (;;) {
      input.signal?.throwIfAborted();
      const source = this.#present() ?? (await orAborted(this.#find(), input.signal));
      const maxWaitMs = Math.max(0, deadlineMs - this.#clock.monotonicMs());
      try {
        const permit = await source.acquire({ ...input, maxWaitMs });
        this.#taken.set(permit.seq, permit);
        return permit;
      } catch (error) {
        // The next leader is being looked for already.
        if (!hasCode<LeaderLostError['code']>(error, 'RATE_LEADER_LOST')) throw error;
      }
    }
  }

  observe(permit: Permit, headers: ReadonlyMap<string, string>, status: number | null): number | undefined {
    const response = status === null ? null : readRateHeaders(headers, status, this.#clock.wallMs());
    const atMs = this.#clock.monotonicMs();
    if (response !== null) this.#remember(response);
    this.#taken.delete(permit.seq);
    return this.#tell(source => source.take(permit, response, atMs)) ?? this.#toldOf(response);
  }

  /** What the service has told this process of its limits, brought up to now; the lowest limit first. */
  get limits(): readonly SeenLimit[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#limits.values()]
      .map(({ toldAtMs, ...told }) => {
        const resetInMs = Math.max(0, told.resetInMs - (nowMs - toldAtMs));
        // The window has ended: the next one begins with all of it left.
        return { ...told, resetInMs, remaining: resetInMs === 0 ? told.limit : told.remaining };
      })
      .sort((one, other) => one.limit - other.limit);
  }

  #remember({ limit, remaining, resetAtServerMs, dateMs }: RateResponse): void {
    if (limit === undefined || remaining === undefined || resetAtServerMs === undefined) return;
    const resetInMs = Math.max(0, resetAtServerMs - (dateMs ?? this.#clock.wallMs()));
    const longestMs = Math.max(resetInMs, this.#limits.get(limit)?.longestMs ?? 0);
    this.#limits.set(limit, { limit, remaining, resetInMs, longestMs, toldAtMs: this.#clock.monotonicMs() });
  }

  release(permit: Permit): void {
    this.#taken.delete(permit.seq);
    this.#tell(source => source.release(permit));
  }

  /**
   * How much of the limit this host had work for since the last call; undefined where another process leads,
   * or each keeps the limit alone. The first call makes this process the leader, if there is none.
   */
  async demand(): Promise<RateDemand | undefined> {
    const source = this.#present() ?? (await this.#find());
    return source instanceof RateLeader ? source.demand() : undefined;
  }

  /**
   * Sets the part of the account's limit that is this host's; it counts while this process leads, now or
   * later.
   */
  lease(part: number | undefined): void {
    this.#lease = part;
    if (this.#source instanceof RateLeader) this.#source.lease(part);
  }

  /** Stands for this host, among those that share the account's limit. */
  async host(): Promise<string> {
    return await markOfHost(this.#options.folder, thisProcess(), error => {
      this.#options.logger?.warn(
        { event: 'host-unmarked', folder: this.#options.folder, error },
        'The mark of this host (host-mark) cannot be used: it is told by its name, each container as one more host',
      );
    });
  }

  /** Hands the lead over, if it is here. Whoever waits still is turned away with an error. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#finding?.catch(() => undefined);
    this.#source?.close();
    this.#source = undefined;
  }

  /** Tells the source something, now or as soon as there is one. */
  #tell<Heard>(say: (source: PermitSource) => Heard): Heard | undefined {
    const source = this.#source;
    const heard = source === undefined ? undefined : say(source);
    // In the middle of it a leader may notice that it leads no longer.
    if (source === undefined || this.#source !== source) this.#untold.push(say);
    return heard;
  }

  /** The pause that a refusal names, when no source is there to work it out. */
  #toldOf(response: RateResponse | null): number | undefined {
    return this.#source === undefined && response?.retryAfterMs !== undefined
      ? this.#clock.wallMs() + response.retryAfterMs
      : undefined;
  }

  #present(): PermitSource | undefined {
    if (this.#clock.monotonicMs() < this.#lookAgainAtMs) return this.#source;
    this.#lose(this.#source);
    return undefined;
  }

  async #find(deadUpTo = 0, inMs = 0): Promise<PermitSource> {
    if (this.#isClosed) throw new Error('The rate gate is closed');
    this.#finding ??= this.#elect(deadUpTo, inMs).finally(() => {
      this.#finding = undefined;
    });
    return await this.#finding;
  }

  async #elect(deadUpTo: number, inMs: number): Promise<PermitSource> {
    let source: PermitSource;
    if (inMs > 0) await delay(inMs);
    try {
      const elected = await this.#election.run(deadUpTo);
      source = elected.role === 'leader' ? this.#lead(elected) : this.#follow(elected);
      this.#lookAgainAtMs = Number.POSITIVE_INFINITY;
      this.#unshared.ends('limit');
      this.#options.logger?.debug(
        { role: elected.role, term: elected.term },
        'rate limit shared on this host',
      );
    } catch (error) {
      source = this.#goAlone(error);
    }
    this.#source = source;
    // As the source already, for in the middle of it a leader may notice that it leads no longer.
    if (source instanceof RateLeader) {
      source.adopt([...this.#taken.values()]);
      if (this.#lease !== undefined) source.lease(this.#lease);
    }
    for (const say of this.#untold.splice(0)) this.#tell(say);
    return source;
  }

  #lead({ term, server }: Extract<Elected, { readonly role: 'leader' }>): PermitSource {
    const boot = readBoot();
    const before = this.#election.statePathBefore(term);
    const cell = new RateStateFile({
      path: this.#election.statePath(term),
      boot,
      from: before === undefined ? null : readRateStateFile(before, boot),
      fraction: this.#options.fraction ?? 1,
      onFault: error => this.#warn(error, 'The rate limit cannot be noted for the time after this process'),
      onRoom: () => void this.#unshared.ends('limit'),
      clock: this.#clock,
    });
    this.#election.removeBefore(term);
    const leader: RateLeader = new RateLeader({
      server,
      cell,
      clock: this.#clock,
      random: this.#options.random,
      isNewest: () => this.#election.isNewest(term),
      onLost: () => this.#lose(leader),
      onWaiting: () => this.onWaiting?.(),
    });
    return leader;
  }

  #follow({ term, socket }: Extract<Elected, { readonly role: 'follower' }>): PermitSource {
    const follower: RateFollower = new RateFollower({
      socket,
      clock: this.#clock,
      random: this.#options.random,
      taken: [...this.#taken.values()],
      onLost: (isHung, unnoted) => {
        for (const { permit, response, atMs } of unnoted) {
          this.#untold.push(source => source.take(permit, response, atMs));
        }
        this.#lose(follower, isHung ? term : 0);
      },
      askEveryMs: this.#options.askEveryMs,
    });
    return follower;
  }

  /** This process keeps to the limit by itself; what others spend it learns only from its own responses. */
  #goAlone(error: unknown): PermitSource {
    this.#warn(error, 'The rate limit is not shared with other processes of this host');
    this.#lookAgainAtMs = this.#clock.monotonicMs() + LOOK_AGAIN_MS;
    const gate = new HeaderRateGate({
      clock: this.#clock,
      random: this.#options.random,
      fraction: this.#options.fraction,
    });
    gate.adopt([...this.#taken.values()]);
    return {
      acquire: input => gate.acquire(input),
      take: (permit, response, atMs) => gate.take(permit, response, atMs),
      release: permit => gate.release(permit),
      close: () => gate.abandon(new LeaderLostError()),
    };
  }

  /**
   * Drops the source, and looks for the next one at once: permits that are under way must be claimed there.
   */
  #lose(source: PermitSource | undefined, deadUpTo = 0): void {
    if (source === undefined || this.#source !== source) return;
    this.#source = undefined;
    source.close();
    if (!this.#isClosed) this.#find(deadUpTo, BEFORE_NEXT_ELECTION_MS).catch(() => undefined);
  }

  #warn(error: unknown, message: string): void {
    const code = codeOf(error) ?? '';
    if (!this.#unshared.begins('limit', code)) return;
    this.#options.logger?.warn({ event: 'rate-limit-unshared', code }, message);
  }
}
