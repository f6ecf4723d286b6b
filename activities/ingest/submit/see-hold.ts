// What asks the service alone runs on any host, also for months. Before it submits, it looks whether the
// batch is still carried from here, where its process serves the share: that costs one read of a small file
// and leaves no event.
import { Context } from '@temporalio/activity';
import { hasCode } from '../../host/error-code';
import type { ActivityScope } from '../../scope/activity-scope';
import { unlessHung } from '../../scope/hung-share';
import type { Holder, OurTemporal } from '../../share/batch/hold';
import type { ShareErrorCode } from '../../share/files/share-error';
import type { Share } from '../../share/share';
import type { BatchRef, HoldLook } from '../api';

/** `lost`: another Temporal carries the batch. `unseen`: the share is away, or not served here. */
export type HoldSeen = 'ours' | 'lost' | 'unseen';

/** Looks whether the Temporal that asks for an activity carries the batch. Throws only when cancelled. */
export type SeeHold = (batch: BatchRef, scope: Pick<ActivityScope, 'signal'>) => Promise<HoldSeen>;

/**
 * Whether an attempt may submit. What the workflow has seen right before it asked holds for the first one,
 * and for no later one.
 * @param scope its attempts are counted on from those before.
 */
export async function maySubmit(
  seeHold: SeeHold,
  { batch, isHoldToSee, attemptsBefore = 0 }: HoldLook,
  scope: Pick<ActivityScope, 'signal' | 'attempt'>,
): Promise<boolean> {
  if (batch === undefined) return true;
  const seen = await seeHold(batch, scope);
  const isJustSeen = isHoldToSee !== true && scope.attempt === attemptsBefore + 1;
  return seen === 'ours' || (seen === 'unseen' && isJustSeen);
}

interface Served {
  readonly share: Pick<Share, 'isReachable' | 'temporals'>;
  readonly temporal: () => Promise<OurTemporal>;
}

/** The shares whose holds a process can look at: each from when it was first there. */
export class ServedHolds {
  readonly #served = new Map<string, Served>();

  serve(share: string, served: Served): void {
    this.#served.set(share, served);
  }

  readonly see: SeeHold = async (batch, scope) => {
    const served = this.#served.get(batch.share);
    if (served === undefined) return 'unseen';
    const { share, temporal } = served;
    try {
      const holder = toHolder(await temporal());
      await unlessHung(share, scope, () => share.temporals.requireHold(batch.batchId, holder));
      return 'ours';
    } catch (error) {
      scope.signal.throwIfAborted();
      // `bad-request`: it has finished the batch.
      return hasCode<ShareErrorCode>(error, 'batch-held', 'bad-request') ? 'lost' : 'unseen';
    }
  };
}

/** The run that asked for the activity, and whose it is. */
export function toHolder(temporal: OurTemporal): Holder {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  return { temporal, workflowId, runId };
}
