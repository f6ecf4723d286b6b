// The workflow's way to its activities: retry options, summaries, and the waiting for what only a person can repair.
import {
  ActivityFailure,
  type ActivityInterfaceFor,
  type ActivityOptions,
  ApplicationFailure,
  condition,
  proxyActivities,
} from '@temporalio/workflow';
import type { FailureType, ServiceActivities, ShareActivities } from '../../activities';
import {
  longTransferTaskQueue,
  type Reason,
  SERVICE_TASK_QUEUE,
  shareTaskQueue,
  transferTaskQueue,
} from '../contract';
import { toSummary } from './decide/escape-markdown';

/** What can still succeed is waited for: no attempt limit and no overall deadline (an outage is not a failure). */
const PATIENT: ActivityOptions = {
  taskQueue: SERVICE_TASK_QUEUE,
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** Failures that waiting alone does not cure; the batch stands still, visibly, and tries again now and then. */
const PARKING: ReadonlySet<string> = new Set<FailureType>([
  'LOGIN_REQUIRED',
  'TOKEN_REJECTED',
  'ACCESS_DENIED',
  'MISCONFIGURED',
  'BATCH_HELD',
]);
/** What a wrong configuration can look like: of a project that is not ours the service says that it is forbidden. */
const RELOADING: ReadonlySet<string> = new Set<FailureType>(['MISCONFIGURED', 'ACCESS_DENIED']);
const FIRST_PARKING_MS = 60_000;
const LONGEST_PARKING_MS = 30 * 60_000;

/** Where a parked call reports, and what wakes it. */
export interface Parking {
  block(reason: Reason, sinceMs: number): void;
  unblock(): void;
  readonly resumes: number;
}

type Asked<A, K extends keyof A> = A[K] extends (input: infer Input) => unknown ? Input : never;
type Answered<A, K extends keyof A> = A[K] extends (input: never) => Promise<infer Result> ? Result : never;

/** For workflows that talk to the service only. `Service` is the interface of the activities they ask for. */
export class ServiceDesk<Service extends object = ServiceActivities> {
  readonly #service: ActivityInterfaceFor<Service>;
  readonly #options: ActivityOptions;
  #parking: Parking | undefined;
  readonly #parks = new Set(PARKING);
  /** Calls that stand still just now. */
  #parked = 0;
  #underway = 0;
  #isClosed = false;
  /** Called after a misconfiguration was parked: configuration may have been repaired since. */
  #reload: () => Promise<void> = async () => undefined;

  /** `taskQueue`: where the activities run, if not on any worker. */
  constructor(taskQueue: string = SERVICE_TASK_QUEUE) {
    this.#options = { ...PATIENT, taskQueue };
    this.#service = proxyActivities<Service>(this.#options);
  }

  /** From now on permanent failures of the project are reported here and waited for; until then, they wait for this call. */
  parkAt(parking: Parking, reload: () => Promise<void> = async () => undefined): void {
    this.#parking = parking;
    this.#reload = reload;
  }

  /** Activities that somebody waits for; not those that stand still until a cause is repaired. */
  get underway(): number {
    return this.#underway;
  }

  /** From now on nothing is asked for; whoever wants to waits until it is open again. */
  close(): void {
    this.#isClosed = true;
  }

  open(): void {
    this.#isClosed = false;
  }

  /** Failures of this type are waited for as well: a batch that was open and is not there now lies on a share that is not mounted. */
  parkAlso(type: FailureType): void {
    this.#parks.add(type);
  }

  /** `input` is asked for at every try, since a repaired configuration may change it. */
  async service<K extends keyof Service & string>(
    name: K,
    input: () => Asked<Service, K>,
    summary: string,
  ): Promise<Answered<Service, K>> {
    return await this.ask(() => execute(this.#service, this.#options, name, input(), summary));
  }

  protected async ask<Result>(attempt: () => Promise<Result>): Promise<Result> {
    let round = 0;
    try {
      for (;;) {
        try {
          return await this.#attempt(attempt);
        } catch (error: unknown) {
          const failure = toParkingFailure(error, this.#parks);
          if (failure === undefined) throw error;
          if (round === 0) this.#parked++;
          round++;
          await condition(() => this.#parking !== undefined);
          await this.#park(explainParking(failure), round - 1);
          if (RELOADING.has(failure.type ?? '')) await this.#reload();
        }
      }
    } finally {
      if (round > 0) this.#leave();
    }
  }

  async #attempt<Result>(attempt: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) await condition(() => !this.#isClosed);
    this.#underway++;
    try {
      return await attempt();
    } finally {
      this.#underway--;
    }
  }

  /** Other calls may still stand still for the same cause; the batch goes on when the last of them does. */
  #leave(): void {
    this.#parked--;
    if (this.#parked === 0) this.#parking?.unblock();
  }

  /** Stands still until somebody says `resume` or the waiting time is over. Spends no attempt of anything. */
  async #park(reason: Reason, round: number): Promise<void> {
    const parking = this.#parking;
    if (parking === undefined) throw new RangeError('Parked before there was a place to wait');
    parking.block(reason, Date.now());
    const seen = parking.resumes;
    // Spread out, so that a hundred batches do not all ask again at the same moment. Math.random is the workflow's own
    // here, the same in every replay.
    const meanMs = Math.min(FIRST_PARKING_MS * 2 ** round, LONGEST_PARKING_MS);
    await condition(() => parking.resumes !== seen, Math.round(meanMs * (0.5 + Math.random())));
  }
}

/** How long work on a share may take; each has a queue, workers' slots and a time-out of its own. */
type Pace = 'short' | 'minutes' | 'hours';

const PACES: Readonly<Record<keyof ShareActivities, Pace>> = {
  openBatch: 'short',
  appendRecord: 'short',
  findTurns: 'short',
  announceBatch: 'short',
  readPasses: 'short',
  settleUp: 'short',
  followBatch: 'short',
  transferFiles: 'minutes',
  // Reads every byte of what it claims.
  claimFiles: 'hours',
};

/** For workflows that also touch a share's files. */
export class Desk extends ServiceDesk {
  readonly #share: ActivityInterfaceFor<ShareActivities>;
  readonly #shareOptions: Readonly<Record<Pace, ActivityOptions>>;

  constructor(share: string) {
    super();
    this.#shareOptions = {
      // A repeat goes on from where it stood; a mount that hangs is left to another host.
      short: { ...PATIENT, taskQueue: shareTaskQueue(share), startToCloseTimeout: '5 minutes' },
      minutes: { ...PATIENT, taskQueue: transferTaskQueue(share), startToCloseTimeout: '15 minutes' },
      // A file of many gigabytes takes hours; heartbeats tell a dead worker from a slow line.
      hours: { ...PATIENT, taskQueue: longTransferTaskQueue(share), startToCloseTimeout: '24 hours' },
    };
    this.#share = proxyActivities<ShareActivities>(this.#shareOptions.short);
  }

  async share<K extends keyof ShareActivities & string>(
    name: K,
    input: () => Asked<ShareActivities, K>,
    summary: string,
    pace: Pace = PACES[name],
  ): Promise<Answered<ShareActivities, K>> {
    return await this.ask(() => execute(this.#share, this.#shareOptions[pace], name, input(), summary));
  }
}

async function execute<A, K extends keyof A & string>(
  activities: ActivityInterfaceFor<A>,
  options: ActivityOptions,
  name: K,
  input: Asked<A, K>,
  summary: string,
): Promise<Answered<A, K>> {
  const activity = activities[name] as unknown as {
    executeWithOptions(options: ActivityOptions, args: readonly unknown[]): Promise<Answered<A, K>>;
  };
  return await activity.executeWithOptions({ ...options, summary: toSummary(summary) }, [input]);
}

function toParkingFailure(error: unknown, parks: ReadonlySet<string>): ApplicationFailure | undefined {
  if (!(error instanceof ActivityFailure)) return undefined;
  const { cause } = error;
  return cause instanceof ApplicationFailure && parks.has(cause.type ?? '') ? cause : undefined;
}

function explainParking(failure: ApplicationFailure): Reason {
  const code = failure.type ?? 'blocked';
  return {
    code,
    text: toSentence(failure.message),
    fix: FIXES[code] ?? 'Repair the cause; the run goes on by itself, at once with "resume".',
  };
}

/** What to do is written behind it, so it must end like a sentence. */
function toSentence(text: string): string {
  const end = /[.!?]$/.test(text) ? '' : '.';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;
}

const FIXES: Readonly<Record<string, string>> = {
  LOGIN_REQUIRED: 'Check the credentials or sign in again; the run goes on by itself, at once with "resume".',
  TOKEN_REJECTED:
    'Check that the credentials belong to this service; the run goes on by itself, at once with "resume".',
  ACCESS_DENIED:
    'Give the service account the permission for this (for documents: Upload New Files and Submit New Files); the run goes on by itself, at once with "resume".',
  BATCH_UNUSABLE:
    'See whether the share is mounted and the folder of the batch is whole; the run goes on by itself, at once with "resume".',
  MISCONFIGURED:
    'Correct the configuration of the share or the project; the run goes on by itself, at once with "resume".',
  BATCH_HELD:
    'While that one is at work, nothing is to be done here: this run ends with the batch. If it is gone for good, say so with "resume --take-over"; once it has stood still for long, this run goes on by itself.',
};
