// Temporal's time, as a process can tell it beside its own clock, which may be wrong. Temporal says when it
// has put an attempt into its queue, and not how long that has lain there: of all attempts the one that lay
// shortest tells best how late it is. Where that could do harm, Temporal is asked when the attempt began.
import { Context } from '@temporalio/activity';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { systemClock } from '../host/clock';

/** After two of these an attempt says nothing any more: one of the clocks may have been set since. */
const PERIOD_MS = 30 * 60_000;
/** So long Temporal may take to say when an attempt began. */
const ASK_MS = 5_000;

export class TemporalTime {
  /** How far the monotonic clock is ahead at most: the least of this period, and of the one before. */
  #aheadMs = Number.POSITIVE_INFINITY;
  #aheadBeforeMs = Number.POSITIVE_INFINITY;
  #sinceMs = Number.NEGATIVE_INFINITY;

  /**
   * An attempt begins.
   * @param monotonicMs when, by this process's monotonic clock.
   * @param queuedMs when it was put into its queue, Unix ms by Temporal's clock.
   * @param isAgain not the first one of its activity: it may begin before the time that Temporal gives for
   * it, so it tells only where no first one has.
   */
  note(monotonicMs: number, queuedMs: number, isAgain = false): void {
    const ageMs = monotonicMs - this.#sinceMs;
    if (ageMs >= PERIOD_MS) {
      this.#aheadBeforeMs = ageMs < 2 * PERIOD_MS ? this.#aheadMs : Number.POSITIVE_INFINITY;
      this.#aheadMs = Number.POSITIVE_INFINITY;
      this.#sinceMs = monotonicMs;
    }
    if (isAgain && Number.isFinite(Math.min(this.#aheadMs, this.#aheadBeforeMs))) return;
    this.#aheadMs = Math.min(this.#aheadMs, Math.floor(monotonicMs) - queuedMs);
  }

  /**
   * Unix ms by Temporal's clock, once an attempt has begun: never too late, and too early by as long as the
   * one that lay shortest has lain.
   */
  at(monotonicMs: number): number {
    return Math.floor(monotonicMs) - Math.min(this.#aheadMs, this.#aheadBeforeMs);
  }
}

/**
 * When the attempt that runs here began, Unix ms by Temporal's clock, however long it lay in its queue
 * before: early only by as long as it took to come here from there. One request to Temporal, and no event of
 * history. Undefined where it does not say. Throws nothing.
 */
export async function askBegunMs(): Promise<number | undefined> {
  try {
    const { client, info } = Context.current();
    const { activityId, workflowExecution: execution = null } = info;
    const asked = { namespace: client.options.namespace, execution };
    const { pendingActivities } = await client.withDeadline(
      systemClock.wallMs() + ASK_MS,
      async () => await client.workflowService.describeWorkflowExecution(asked),
    );
    const own = pendingActivities?.find(each => each.activityId === activityId);
    return optionalTsToMs(own?.lastStartedTime);
  } catch {
    return undefined;
  }
}
