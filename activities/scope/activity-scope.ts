// What every activity runs in: heartbeats while it waits, cancellation, and one map
// from errors to Temporal failures.
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Asking } from '../../workflows/contract';
import { systemClock } from '../host/clock';
import { toActivityFailure } from './failure';
import { NotYetError } from './not-yet';
import { TemporalTime } from './temporal-time';

const BEAT_EVERY_MS = 5_000;
/** Beats within one time-out, so that a busy moment is not taken for a dead worker. */
const BEATS_A_TIMEOUT = 6;

/** Clocks of the hosts of one account are seldom better than that. */
const CLOCK_TOLERANCE_MS = 20;

/** Of all activities of this process: each tells it something about the others. */
const temporalTime = new TemporalTime();

export interface ActivityScope {
  /**
   * Aborted when the workflow cancels or the worker drains: what can be repeated
   * stops here, for another worker.
   */
  readonly signal: AbortSignal;
  /**
   * From 1, without those that ended with `comeBack`. From 2 on, it is not known how far an earlier attempt
   * came. Work that an earlier run had asked for, and that a reset dispatched again, therefore begins with 2.
   */
  readonly attempt: number;
  /**
   * An earlier run had asked for the work, and a reset has dispatched it again: how often that run had tried,
   * and what its attempts reported, nobody knows here.
   */
  readonly isOfOtherRun: boolean;
  /** What the last attempt reported before it ended; a hint for speed, never the record of an effect. */
  readonly lastDetails: unknown;
  /**
   * Unix ms by Temporal's clock, which all hosts share: for what is compared with dates of other hosts, whose
   * own clocks may differ. Too early by as long as that attempt of this process has lain in its queue which
   * lay shortest within the last half hour to hour, never too late.
   */
  temporalMs(): number;
  /** Replaces what the next heartbeat carries. */
  report(details: object): void;
  /**
   * Ends this attempt in good order, with nothing in doubt: after `inMs`, and no sooner, another goes on from
   * these details. Until then no slot of the worker is held, and nothing is added to the history.
   */
  comeBack(inMs: number, details: object, why: string): never;
}

/**
 * Whether the work may have been done before: by an earlier attempt, for the run that a reset has replaced by
 * this one, or before a person repaired what it stood still for. A run of the release before does not say who
 * asks.
 */
export function isPerhapsRepeated(
  { attempt }: Pick<ActivityScope, 'attempt'>,
  asked: Asking | undefined,
): boolean {
  return attempt > 1 || asked?.afterReset === true || asked?.again === true;
}

/**
 * Runs an activity's work. Errors leave as ApplicationFailure (failure.ts); cancellation passes through.
 * `draining` is aborted when this worker is asked to stop; what was cut for it is repeated elsewhere. `asked`
 * names the run that asked for the work, where it matters that it is done once only.
 */
export async function inScope<Result>(
  draining: AbortSignal,
  work: (scope: ActivityScope) => Promise<Result>,
  asked?: Asking,
): Promise<Result> {
  const startedMs = systemClock.monotonicMs();
  const context = Context.current();
  const { heartbeatDetails, heartbeatTimeoutMs, workflowExecution } = context.info;
  const { attempt: number, currentAttemptScheduledTimestampMs: queuedMs } = context.info;
  const earlyMs = earlyByMs(heartbeatDetails);
  // By what is handed out before its time, Temporal's clock would seem to be ahead.
  if (earlyMs === 0) temporalTime.note(startedMs, queuedMs, number > 1);
  const isOfOtherRun = asked !== undefined && asked.runId !== workflowExecution?.runId;
  const comebacks = comebacksOf(heartbeatDetails);
  const attempt = number - comebacks;
  let details: unknown = heartbeatDetails;
  const report = (next: object, count = comebacks): void => {
    details = count === 0 ? next : { ...next, comebacks: count };
    context.heartbeat(details);
  };
  const comeBack = (inMs: number, next: object, why: string, back?: Back): never => {
    report({ ...next, back }, comebacks + 1);
    throw new NotYetError(why, systemClock.wallMs() + inMs);
  };
  const ticker = setInterval(() => context.heartbeat(details), beatEveryMs(heartbeatTimeoutMs));
  try {
    // It is put off once only, should the clocks of two hosts differ.
    if (earlyMs > 0) comeBack(earlyMs, heartbeatDetails as object, 'Temporal tries again before it is time');
    return await work({
      signal: AbortSignal.any([context.cancellationSignal, draining]),
      attempt: isOfOtherRun ? attempt + 1 : attempt,
      isOfOtherRun,
      lastDetails: heartbeatDetails,
      temporalMs: () => temporalTime.at(systemClock.monotonicMs()),
      report: next => report(next),
      comeBack: (inMs, next, why) =>
        comeBack(inMs, next, why, { atMs: systemClock.wallMs() + inMs, afterMs: inMs }),
    });
  } catch (error: unknown) {
    if (draining.aborted && !context.cancellationSignal.aborted && isAbort(error, draining)) {
      throw ApplicationFailure.retryable('The worker is stopping; another one goes on', 'WORKER_DRAINING');
    }
    throw toActivityFailure(error, { attempt, random: Math.random });
  } finally {
    clearInterval(ticker);
  }
}

/** When an attempt that has ended with `comeBack` wants the next one. */
interface Back {
  /** Unix ms. */
  readonly atMs: number;
  /** The pause that was asked for. */
  readonly afterMs: number;
}

/**
 * How long before its time an attempt begins, which goes on after a `comeBack`; 0 for one in time. Temporal
 * now and then hands a task out twice. If the attempt has ended meanwhile, the second time begins the next
 * one, whatever its pause: looks would follow on each other too soon, and what is not listed yet would be
 * made again.
 */
function earlyByMs(details: unknown): number {
  const { back } = (details ?? {}) as { readonly back?: Partial<Back> };
  if (typeof back?.atMs !== 'number' || typeof back.afterMs !== 'number') return 0;
  const leftMs = Math.min(back.atMs - systemClock.wallMs(), back.afterMs);
  return leftMs > CLOCK_TOLERANCE_MS ? leftMs : 0;
}

/** How many of the attempts before ended with `comeBack`. */
function comebacksOf(details: unknown): number {
  const { comebacks } = (details ?? {}) as { readonly comebacks?: unknown };
  return typeof comebacks === 'number' ? comebacks : 0;
}

/**
 * Heartbeats slower than the time-out would be worse than none: the work would be begun again elsewhere while
 * it goes on here.
 */
function beatEveryMs(timeoutMs = Number.POSITIVE_INFINITY): number {
  return Math.min(BEAT_EVERY_MS, timeoutMs / BEATS_A_TIMEOUT);
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
