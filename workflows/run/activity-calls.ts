// How a workflow calls its activities: `calls.service.linkUploads(() => input, 'Link 3 files')`. Here stand
// their time limits and retries, the summary that people read in the Temporal UI, and the wait for what only
// a person can repair.
import {
  ActivityFailure,
  type ActivityInterfaceFor,
  type ActivityOptions,
  ApplicationFailure,
  condition,
  patched,
  proxyActivities,
  type UntypedActivities,
} from '@temporalio/workflow';
import type { BatchActivities, IngestActivities, UserActivities } from '../../activities';
import {
  asideTaskQueue,
  longTransferTaskQueue,
  type Reason,
  SERVICE_TASK_QUEUE,
  shareTaskQueue,
  transferTaskQueue,
} from '../contract';
import { askingAgain } from './asking';
import { toSummary } from './decide/escape-markdown';
import { type BlockingType, isBlocking } from './failure-contract';

/**
 * What can still succeed is waited for: no attempt limit and no overall deadline (an outage is not a
 * failure).
 */
const PATIENT: ActivityOptions = {
  taskQueue: SERVICE_TASK_QUEUE,
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/**
 * A cancelled call normally ends at once for the run, whatever its activity still does (the SDK's own
 * documentation says otherwise). A call of one of these ends only when its activity has: only then is it
 * certain what that did.
 */
const CUT_FOR_CERTAIN: ReadonlySet<string> = new Set(['waitOutConflicts', 'bringInside'] satisfies (
  | keyof IngestActivities
  | keyof UserActivities
)[]);

/**
 * A run that is to be left cuts these, and the next one asks anew. All others end by themselves: a file of
 * many gigabytes after hours, what an outage stops after that.
 */
const CUT_TO_LEAVE: ReadonlySet<string> = new Set([
  'probeLinking',
  'probeSubmission',
  'awaitFiles',
  'waitOutConflicts',
] satisfies (keyof IngestActivities)[]);

/** Calls that submit: while one of them stands still, another Temporal may take over the batch. */
const SUBMITTING: ReadonlySet<string> = new Set([
  'submitRevisions',
  'submitAgain',
  'probeSubmission',
  'waitOutConflicts',
] satisfies (keyof IngestActivities)[]);

/** Types of failures that a call waits out in sight. `BATCH_UNUSABLE`: only where `blockOn` says so. */
type WaitedFor = BlockingType | 'BATCH_UNUSABLE';

/**
 * Failures that a wrong configuration can cause, so that it is read again: of a project that is not ours,
 * too, the service says that it is forbidden.
 */
const RELOADING: ReadonlySet<WaitedFor> = new Set(['MISCONFIGURED', 'ACCESS_DENIED']);
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 30 * 60_000;
/**
 * Calls behind another one that waits for the same cause ask once in so long, all together: a batch can have
 * a hundred of them, and that one's success ends their wait.
 */
const WAIT_BEHIND_MS = 60 * 60_000;

/** The run, as a blocked call sees it: told that it stands still and why, it counts the signals `resume`. */
export interface Blockable {
  block(reason: Reason, sinceMs: number): void;
  unblock(): void;
  /** The call is made again: what held it up may be repaired, and the call may last long. */
  triesAgain?(): void;
  readonly resumes: number;
}

/** One activity. `input` is asked for at every try, since a repaired configuration may change it. */
type ActivityCall<Activity, Rest extends readonly unknown[]> = Activity extends (
  input: infer Input,
) => Promise<infer Result>
  ? (input: () => Input, summary: string, ...rest: Rest) => Promise<Result>
  : never;

/**
 * Maps property by property, so that an editor leads from a call to the code that does it, and from there to
 * all callers.
 */
type CallsOf<Activities, Rest extends readonly unknown[] = []> = {
  readonly [Name in keyof Activities]: ActivityCall<Activities[Name], Rest>;
};

/** For workflows that talk to the service only. `Activities`: those that they may ask for. */
export class ServiceCalls<Activities extends object = IngestActivities> {
  readonly service: CallsOf<Activities>;
  #run: Blockable | undefined;
  readonly #alsoBlocking = new Set<WaitedFor>();
  /** Calls that stand still just now, in the order in which they came to it, and what for. */
  readonly #blocked = new Map<object, WaitedFor | 'reloading'>();
  /** How many blocked calls have gone on so far. */
  #wentOn = 0;
  #underway = 0;
  #uncut = 0;
  #isClosed = false;
  /** Called after a misconfiguration has blocked: configuration may have been repaired since. */
  #reload: () => Promise<void> = async () => undefined;
  /** Called before a call that submits is made again. */
  #maySubmit: () => Promise<void> | undefined = () => undefined;
  #isReloadStarting = false;

  /** `taskQueue`: where the activities run, if not on any worker. */
  constructor(taskQueue: string = SERVICE_TASK_QUEUE) {
    const activities = proxyActivities<Activities>({ ...PATIENT, taskQueue });
    const cutForCertain = proxyActivities<Activities>({
      ...PATIENT,
      taskQueue,
      cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    });
    this.service = this.through(name => (CUT_FOR_CERTAIN.has(name) ? cutForCertain : activities));
  }

  /**
   * From now on blocking failures are told to the run and waited for; calls that fail before wait until then.
   * `reload` reads the configuration again. What `maySubmit` returns is awaited before a call that submits is
   * made again.
   */
  whenBlocked(
    run: Blockable,
    reload: () => Promise<void> = async () => undefined,
    maySubmit: () => Promise<void> | undefined = () => undefined,
  ): void {
    this.#run = run;
    this.#reload = reload;
    this.#maySubmit = maySubmit;
  }

  /** How many activities are being waited for, without calls that stand still until a cause is repaired. */
  get underway(): number {
    return this.#underway;
  }

  /** Of those under way, how many keep a run from being left until they end by themselves. */
  get uncut(): number {
    return this.#uncut;
  }

  /** From now on no activity is begun: whoever calls one waits for `open`. */
  close(): void {
    this.#isClosed = true;
  }

  open(): void {
    this.#isClosed = false;
  }

  /**
   * Failures of this type block as well: a batch that was open and is not there now lies on a share that is
   * not mounted.
   */
  blockOn(type: WaitedFor): void {
    this.#alsoBlocking.add(type);
  }

  /** Makes the calls of activities; each goes through the proxy that `proxyFor` returns for its name. */
  protected through<Asked extends object, Rest extends readonly unknown[]>(
    proxyFor: (name: string, ...rest: Rest) => ActivityInterfaceFor<Asked>,
  ): CallsOf<Asked, Rest> {
    const call =
      (name: string) =>
      async (input: () => unknown, summary: string, ...rest: Rest): Promise<unknown> =>
        await this.#ask(name, isAgain =>
          execute(proxyFor(name, ...rest), name, isAgain ? askingAgain(input()) : input(), summary),
        );
    return new Proxy({} as CallsOf<Asked, Rest>, { get: (_target, name) => call(String(name)) });
  }

  async #ask<Result>(name: string, attempt: (isAgain: boolean) => Promise<Result>): Promise<Result> {
    const isReload = this.#isReloadStarting;
    let round = 0;
    try {
      for (;;) {
        const seen = round > 0 && SUBMITTING.has(name) ? this.#maySubmit() : undefined;
        // Where there is nothing to see, not even a moment passes: runs from before go on as they did.
        if (seen !== undefined) await seen;
        try {
          return await this.#attempt(name, () => attempt(round > 0));
        } catch (error: unknown) {
          const failure = toBlockingFailure(error, this.#alsoBlocking);
          if (failure === undefined) throw error;
          this.#blocked.set(attempt, failure.type);
          round++;
          await condition(() => this.#run !== undefined);
          await this.#waitForRepair(attempt, explainBlocked(failure), round - 1, isReload);
          this.#run?.triesAgain?.();
          if (!RELOADING.has(failure.type)) continue;
          // A reload that is blocked itself just asks again: nothing is reloaded for a reload.
          if (isReload && patched('what-reloads-is-not-reloaded-for')) continue;
          this.#blocked.set(attempt, 'reloading');
          await this.#startReload();
        }
      }
    } finally {
      if (round > 0) this.#leave(attempt);
    }
  }

  /** Calls that the reload makes before it first awaits are known by this flag to be its own. */
  #startReload(): Promise<void> {
    this.#isReloadStarting = true;
    const reloading = this.#reload();
    this.#isReloadStarting = false;
    return reloading;
  }

  async #attempt<Result>(name: string, attempt: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) await condition(() => !this.#isClosed);
    const uncut = CUT_TO_LEAVE.has(name) ? 0 : 1;
    this.#underway++;
    this.#uncut += uncut;
    try {
      return await attempt();
    } finally {
      this.#underway--;
      this.#uncut -= uncut;
    }
  }

  /** Other calls may still stand still for the same cause; the run goes on when the last of them does. */
  #leave(call: object): void {
    this.#blocked.delete(call);
    this.#wentOn++;
    if (this.#blocked.size === 0) this.#run?.unblock();
  }

  /**
   * Stands still until somebody says `resume`, the waiting time is over, or (behind another call) one that
   * stood still has gone on. Spends no attempt of anything. Of the calls that wait for the same cause the
   * first asks for all of them, and the others ask seldom: each try adds some events to the history.
   */
  async #waitForRepair(call: object, reason: Reason, round: number, isReload: boolean): Promise<void> {
    const run = this.#run;
    if (run === undefined) throw new RangeError('Blocked before there was a run to tell');
    run.block(reason, Date.now());
    const seen = run.resumes;
    const wentOn = this.#wentOn;
    const alike = [...this.#blocked.keys()].filter(other => this.#blocked.get(other) === reason.code);
    const isBehind = !isReload && alike[0] !== call && patched('first-asks-for-all-that-stand-still');
    const isOver = (): boolean => run.resumes !== seen || (isBehind && this.#wentOn !== wentOn);
    // Spread out, so that a hundred batches do not all ask again at the same moment. Math.random is the
    // workflow's own here, the same in every replay.
    const behindMs = WAIT_BEHIND_MS * (alike.length - 1);
    const meanMs = isBehind ? behindMs : Math.min(FIRST_WAIT_MS * 2 ** round, LONGEST_WAIT_MS);
    await condition(isOver, Math.round(meanMs * (0.5 + Math.random())));
  }
}

/** How long work on a share may take; each has a queue, workers' slots and a time-out of its own. */
type Pace = 'short' | 'minutes' | 'aside' | 'hours';

const PACES: Readonly<Record<keyof BatchActivities, Pace>> = {
  openBatch: 'short',
  appendRecord: 'short',
  requireHold: 'short',
  findTurns: 'short',
  announceBatch: 'short',
  readPasses: 'short',
  settleUp: 'short',
  followBatch: 'short',
  transferFiles: 'minutes',
  // Reads every byte of what it claims.
  claimFiles: 'aside',
};

/** For workflows that also touch a share's files. */
export class ActivityCalls extends ServiceCalls {
  /** `pace`: only where one call takes longer than the activity usually does. */
  readonly share: CallsOf<BatchActivities, [pace?: Pace]>;

  constructor(share: string) {
    super();
    const proxies: Readonly<Record<Pace, ActivityInterfaceFor<BatchActivities>>> = {
      // A repeat goes on from where it stood; a mount that hangs is left to another host.
      short: proxyActivities({
        ...PATIENT,
        taskQueue: shareTaskQueue(share),
        startToCloseTimeout: '5 minutes',
      }),
      minutes: proxyActivities({
        ...PATIENT,
        taskQueue: transferTaskQueue(share),
        startToCloseTimeout: '15 minutes',
      }),
      // Mostly minutes; on a very slow line an ordinary file takes hours, too.
      aside: proxyActivities({
        ...PATIENT,
        taskQueue: asideTaskQueue(share),
        startToCloseTimeout: '24 hours',
      }),
      // A file of many gigabytes takes hours; heartbeats tell a dead worker from a slow line.
      hours: proxyActivities({
        ...PATIENT,
        taskQueue: longTransferTaskQueue(share),
        startToCloseTimeout: '24 hours',
      }),
    };
    this.share = this.through((name, pace: Pace = PACES[name as keyof BatchActivities]) => proxies[pace]);
  }
}

async function execute(activities: object, name: string, input: unknown, summary: string): Promise<unknown> {
  const activity: ActivityInterfaceFor<UntypedActivities>[string] = Reflect.get(activities, name);
  return await activity.executeWithOptions({ summary: toSummary(summary) }, [input]);
}

function toBlockingFailure(
  error: unknown,
  alsoBlocking: ReadonlySet<string>,
): { readonly type: WaitedFor; readonly message: string } | undefined {
  const failure = error instanceof ActivityFailure ? error.cause : undefined;
  if (!(failure instanceof ApplicationFailure)) return undefined;
  const type = failure.type ?? '';
  const isWaitedFor = isBlocking(type) || alsoBlocking.has(type);
  return isWaitedFor ? { type: type as WaitedFor, message: failure.message } : undefined;
}

function explainBlocked({ type, message }: { readonly type: WaitedFor; readonly message: string }): Reason {
  return { code: type, text: toSentence(message), fix: FIXES[type] };
}

/** What to do is written behind it, so it must end like a sentence. */
function toSentence(text: string): string {
  const end = /[.!?]$/.test(text) ? '' : '.';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;
}

const FIXES: Readonly<Record<WaitedFor, string>> = {
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
