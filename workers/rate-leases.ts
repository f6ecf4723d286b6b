// Keeps this host's part of the account's rate limit where other hosts use it, too: sees that there are
// others, asks the run that hands out the parts (workflows/rate), and tells the gate. A host that is alone
// asks for no part: it sees that it is alone by who polls our queues, which adds no event to any history.
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client';
import { type Clock, systemClock } from '../activities/host/clock';
import type { RateDemand } from '../activities/service/rate/rate-gate';
import { SERVICE_TASK_QUEUE, transferTaskQueue } from '../workflows/contract';
import type { LeaseQuestion, LeaseReply } from '../workflows/rate/decide/rate-leases';
import {
  CALLS,
  leaseUpdate,
  type RateLeasesInput,
  rateLeasesWorkflowId,
} from '../workflows/rate/rate-leases-contract';

/** The gate of this process, as far as it is needed here. */
export interface LeasedGate {
  demand(): Promise<RateDemand | undefined>;
  lease(part: number | undefined): void;
  onWaiting: (() => void) | undefined;
}

/** What is asked of Temporal; each throws when Temporal does not answer. */
export interface LeaseRun {
  /** Whether other hosts have workers. */
  hasOthers(): Promise<boolean>;
  /** A count that grows each time the run calls on hosts that have a part to ask anew. */
  calls(): Promise<number>;
  ask(question: Omit<LeaseQuestion, 'host'>): Promise<LeaseReply>;
}

export interface RateLeasesOptions {
  readonly gate: LeasedGate;
  readonly run: LeaseRun;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly times?: typeof TIMES | undefined;
  readonly logger?: { debug(facts: Readonly<Record<string, unknown>>, message: string): void } | undefined;
}

/** `lookMs`: from one look to the next. `askAgainMs`: least time between two questions to the run. */
const TIMES = { lookMs: 3_000, askAgainMs: 2_000 };
const MORE_WORK_MS = 10_000;
/** Without a request for so long a host gives back what it has. */
const IDLE_MS = 60_000;
/** A request waits this long for the first part; then the host goes by what the service says remains. */
const PATIENCE_MS = 45_000;
/**
 * While Temporal does not answer, a part is kept this long after its end: the other hosts cannot ask either,
 * and all parts together are still the limit. After that each host goes by what remains.
 */
const KEPT_MS = 120_000;
const PATIENCE_OF_TEMPORAL_MS = 5_000;
/** Temporal lists pollers for minutes after their end; one that did not poll for so long has ended. */
const LAST_POLL_MS = 150_000;

/** Runs until aborted. Nothing is sent before the first look: others may have all of the limit. */
export async function keepRateLease(options: RateLeasesOptions): Promise<void> {
  const { gate, signal } = options;
  gate.lease(0);
  const renewal = new LeaseRenewal(options);
  while (!signal.aborted) {
    const woken = new AbortController();
    gate.onWaiting = () => woken.abort();
    await renewal
      .look()
      .catch((error: unknown) => options.logger?.debug({ error }, 'no part of the rate limit'));
    await delay(renewal.pauseMs, undefined, {
      signal: AbortSignal.any([signal, woken.signal]),
      ref: false,
    }).catch(() => undefined);
  }
  gate.onWaiting = undefined;
}

class LeaseRenewal {
  readonly #options: RateLeasesOptions;
  readonly #times: typeof TIMES;
  readonly #startedAtMs: number;
  /** As in RateState. */
  #lease: number | undefined = 0;
  #endsAtMs = 0;
  #renewAtMs = 0;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #isShort = false;
  #calls = 0;
  #busyAtMs = Number.NEGATIVE_INFINITY;
  #waitingSinceMs: number | undefined;
  #want = 1;
  #given = 0;
  #measuredAtMs: number;
  /** The largest part of the account's limit (1: all) used in a measured time since the last question. */
  #peak: number | undefined;
  #wasShort = false;

  constructor(options: RateLeasesOptions) {
    this.#options = options;
    this.#times = options.times ?? TIMES;
    this.#startedAtMs = options.clock.monotonicMs();
    this.#measuredAtMs = this.#startedAtMs;
  }

  /** While requests wait for the first part, the next look comes when the next question is due. */
  get pauseMs(): number {
    return this.#lease === 0 && this.#waitingSinceMs !== undefined
      ? this.#times.askAgainMs
      : this.#times.lookMs;
  }

  async look(): Promise<void> {
    const { gate, run } = this.#options;
    const demand = await gate.demand();
    // Another process of this host keeps the limit, and asks for its part.
    if (demand === undefined) return;
    this.#measure(demand);
    try {
      if (!(await run.hasOthers())) {
        // From now on it uses all of the limit, which it says when others come.
        this.#waitingSinceMs = undefined;
        return this.#take(undefined);
      }
      if (this.#isIdle) return await this.#giveBack(demand);
      if (await this.#shallAsk()) await this.#ask(demand);
    } catch (error) {
      this.#lapse();
      throw error;
    }
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  get #isIdle(): boolean {
    return this.#nowMs - this.#busyAtMs > IDLE_MS;
  }

  #measure({ given, isShort, limit, periodMs }: RateDemand): void {
    if (given > 0 || isShort) this.#busyAtMs = this.#nowMs;
    this.#wasShort ||= isShort;
    this.#given += given;
    const tookMs = this.#nowMs - this.#measuredAtMs;
    if (limit === undefined || periodMs === undefined || tookMs < Math.min(2 * periodMs, IDLE_MS)) return;
    this.#peak = Math.max(this.#peak ?? 0, (this.#given * periodMs) / (tookMs * limit));
    this.#given = 0;
    this.#measuredAtMs = this.#nowMs;
  }

  async #shallAsk(): Promise<boolean> {
    const sinceMs = this.#nowMs - this.#askedAtMs;
    if (sinceMs < this.#times.askAgainMs) return false;
    if (this.#lease === undefined || this.#lease === 0 || this.#isShort || this.#nowMs >= this.#renewAtMs)
      return true;
    if (this.#want < 1 && this.#wasShort && sinceMs >= MORE_WORK_MS) return true;
    const calls = await this.#options.run.calls();
    const isCalled = calls !== this.#calls;
    this.#calls = calls;
    return isCalled;
  }

  async #ask(demand: RateDemand): Promise<void> {
    const askedAtMs = this.#nowMs;
    this.#askedAtMs = askedAtMs;
    if (this.#wasShort || this.#lease === undefined) this.#want = 1;
    else if (this.#peak !== undefined) this.#want = Math.min(1, 1.5 * this.#peak + 1 / (demand.limit ?? 1));
    const { part, forMs, isShort } = await this.#options.run.ask({
      ...this.#facts(demand),
      want: this.#want,
    });
    this.#peak = undefined;
    this.#wasShort = false;
    this.#given = 0;
    this.#measuredAtMs = this.#nowMs;
    this.#isShort = isShort;
    this.#endsAtMs = askedAtMs + forMs;
    this.#renewAtMs = askedAtMs + (forMs * 2) / 3;
    if (part > 0) return this.#take(part);
    this.#waitingSinceMs ??= askedAtMs;
    // By then, hosts that do not answer a call have surely died, or there are more hosts than requests.
    if (askedAtMs - this.#waitingSinceMs < PATIENCE_MS) this.#take(0);
    else this.#take(undefined);
  }

  #facts({ limit, periodMs }: RateDemand): Pick<LeaseQuestion, 'uses' | 'isNew' | 'limit' | 'periodMs'> {
    return {
      // A host that was alone uses all of the limit; one that waits for a part has nothing to give up.
      uses: this.#lease === undefined && this.#waitingSinceMs === undefined ? 1 : 0,
      // Other hosts look as often as this one: until then one of them may take itself for the only host.
      isNew: this.#nowMs - this.#startedAtMs < 2 * this.#times.lookMs + this.#times.askAgainMs,
      ...(limit === undefined || periodMs === undefined ? {} : { limit, periodMs }),
    };
  }

  async #giveBack(demand: RateDemand): Promise<void> {
    const had = this.#lease;
    this.#waitingSinceMs = undefined;
    this.#take(0);
    if (had !== undefined && had > 0) await this.#options.run.ask({ ...this.#facts(demand), want: 0 });
  }

  #lapse(): void {
    const isKept = this.#lease !== undefined && this.#lease > 0 && this.#nowMs < this.#endsAtMs + KEPT_MS;
    if (!isKept) this.#take(undefined);
  }

  #take(lease: number | undefined): void {
    if (lease !== 0 && lease !== undefined) this.#waitingSinceMs = undefined;
    if (lease !== this.#lease)
      this.#options.logger?.debug(
        { event: 'rate-lease', part: lease ?? 'what remains' },
        'part of the rate limit',
      );
    this.#lease = lease;
    this.#options.gate.lease(lease);
  }
}

export interface LeaseRunInput {
  readonly client: Client;
  /** From the gate: a hash of the account that the limit belongs to. */
  readonly account: string;
  /** From the gate: the mark of this host, with which the identity of each of its workers ends. */
  readonly host: string;
  readonly shares: readonly string[];
}

export function createLeaseRun({ client, account, host, shares }: LeaseRunInput): LeaseRun {
  const workflowId = rateLeasesWorkflowId(account);
  const queues = [SERVICE_TASK_QUEUE, ...shares.map(transferTaskQueue)];
  const found = new Set<string>();
  let turn = 0;
  const soon = async <Result>(work: () => Promise<Result>): Promise<Result> =>
    await client.withDeadline(systemClock.wallMs() + PATIENCE_OF_TEMPORAL_MS, work);
  return {
    // Looks at the first queue each time, and at one of the others in turn: there may be many shares.
    hasOthers: async () => {
      turn = (turn % Math.max(1, queues.length - 1)) + 1;
      for (const queue of new Set([queues[0], queues[turn] ?? queues[0]])) {
        if (queue === undefined) continue;
        if (await soon(() => isPolledByOthers(client, queue, host))) found.add(queue);
        else found.delete(queue);
      }
      return found.size > 0;
    },
    calls: async () => {
      try {
        const { memo } = await soon(() => client.workflow.getHandle(workflowId).describe());
        return Number(memo?.[CALLS] ?? 0);
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 0;
        throw error;
      }
    },
    ask: async question => {
      const input: RateLeasesInput = {};
      return await soon(() =>
        client.workflow.executeUpdateWithStart(leaseUpdate, {
          args: [{ host, ...question }],
          startWorkflowOperation: new WithStartWorkflowOperation('rateLeasesWorkflow', {
            workflowId,
            taskQueue: SERVICE_TASK_QUEUE,
            args: [input],
            workflowIdConflictPolicy: 'USE_EXISTING',
            staticSummary: 'Parts of the rate limit, for the hosts that share it',
          }),
        }),
      );
    },
  };
}

async function isPolledByOthers(client: Client, queue: string, host: string): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType: ACTIVITIES,
  });
  const polled = (pollers ?? []).map(({ identity, lastAccessTime }) => ({
    mark: hostOf(identity ?? ''),
    atMs: Number(lastAccessTime?.seconds ?? 0) * 1_000,
  }));
  // These are dates of Temporal, and the clock of this host may differ: it is as late as it was for whoever
  // polled last. This host does once a minute; while all its places are taken, one that has ended counts as
  // there for longer.
  const nowMs = Math.max(...polled.map(({ atMs }) => atMs));
  return polled.some(({ mark, atMs }) => mark !== undefined && mark !== host && nowMs - atMs < LAST_POLL_MS);
}

/** TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY of the Temporal API. */
const ACTIVITIES = 2;

/** How a worker calls itself, for Temporal's UI and for the workers of other hosts. */
export function toIdentity(pid: number, machine: string, host: string): string {
  return `${pid}@${machine}/${host}`;
}

function hostOf(identity: string): string | undefined {
  return /^\d+@.*\/([0-9a-f]{8})$/.exec(identity)?.[1];
}
