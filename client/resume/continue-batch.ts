// Continues a batch that stopped short, from where it stood: by a signal, by resetting its run, or
// by a new run that takes up what the share knows. Each way may be asked for twice, or by two
// people at once, and happens once.
import { randomUUID } from 'node:crypto';
import { type Client, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';

import type { OurTemporal } from '../../activities/share/batch/hold';
import { type ResumeRequest, resumeSignal } from '../../workflows/contract';
import type { BatchStarter } from '../session/start-batch';
import type { StoppedBatch, StoppedState } from './stopped-batch';
import { chooseResetPoint, type HistoryEvent } from './stopped-history';
import { lookAtRun } from './stopped-runs';

export type ContinuePlan =
  | { readonly kind: 'signal' | 'start' | 'adopt' | 'move' | 'new-run' | 'take-over' }
  /** `task`: the completed one in whose place the new run goes on. */
  | { readonly kind: 'reset'; readonly task: HistoryEvent }
  /** Nothing that we can do; `hint` says who can. */
  | { readonly kind: 'none'; readonly hint: string };

export type Continued =
  | { readonly kind: 'done' }
  /** Somebody else was faster; nothing was changed. */
  | { readonly kind: 'goes-on-already' }
  | { readonly kind: 'failed'; readonly why: string };

/** ResetReapplyExcludeType.RESET_REAPPLY_EXCLUDE_TYPE_CANCEL_REQUEST of the Temporal API. */
const CANCEL_REQUEST = 4;
/** Codes of gRPC by which a reset is refused for good. An outage has another code, and is thrown. */
const REFUSALS: ReadonlySet<number> = new Set([3, 5, 9, 12]);

const BY_STATE: Readonly<Record<Exclude<StoppedState, Ended>, ContinuePlan>> = {
  blocked: { kind: 'signal' },
  'no run': { kind: 'start' },
  'no receipt': { kind: 'new-run' },
  claiming: { kind: 'adopt' },
  unmoved: { kind: 'move' },
  held: { kind: 'none', hint: 'waits for an answer' },
  unanswered: { kind: 'none', hint: 'needs a worker' },
  damaged: { kind: 'none', hint: 'needs a person' },
  elsewhere: { kind: 'none', hint: 'waits for that one; or --take-over' },
};
type Ended = 'failed' | 'timed out' | 'terminated' | 'cancelled';

export class BatchContinuer {
  readonly #client: Client;
  readonly #starter: BatchStarter;
  readonly #takeOver: OurTemporal | undefined;

  /** @param takeOver set when the operator asked for it: batches of another Temporal become this one's. */
  constructor(client: Client, starter: BatchStarter, takeOver?: OurTemporal) {
    this.#client = client;
    this.#starter = starter;
    this.#takeOver = takeOver;
  }

  /** What continuing would do; changes nothing. */
  async plan(batch: StoppedBatch): Promise<ContinuePlan> {
    if (batch.state === 'elsewhere' && this.#takeOver !== undefined) return { kind: 'take-over' };
    if (!isEnded(batch.state)) return BY_STATE[batch.state];
    try {
      const { events } = await this.#client.workflow.getHandle(batch.workflowId, batch.runId).fetchHistory();
      const task = chooseResetPoint(events ?? []);
      return task === undefined ? { kind: 'new-run' } : { kind: 'reset', task };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { kind: 'new-run' };
      throw error;
    }
  }

  /** Never throws for one batch: the others are to be continued whatever becomes of it. */
  async carryOut(batch: StoppedBatch, plan: ContinuePlan): Promise<Continued> {
    try {
      const continued = await this.#carryOut(batch, plan);
      // It is carried on again.
      if (continued.kind === 'done') await batch.share?.temporals.clearStopped(batch.batchId);
      return continued;
    } catch (error) {
      return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
    }
  }

  async #carryOut(batch: StoppedBatch, plan: ContinuePlan): Promise<Continued> {
    switch (plan.kind) {
      case 'none':
        return { kind: 'failed', why: plan.hint };
      case 'signal':
        return await this.#signal(batch);
      case 'move':
        await batch.share?.settleUp(batch.batchId, [], { final: true });
        return { kind: 'done' };
      case 'adopt': {
        const adopted = await batch.share?.adopt(batch.batchId);
        return adopted === undefined ? { kind: 'goes-on-already' } : await this.#start(batch, 'no run');
      }
      case 'start':
        return await this.#start(batch, 'no run');
      case 'new-run':
        return await this.#start(batch, isEnded(batch.state) ? 'an unfinished run' : 'any run');
      case 'take-over':
        return await this.#takeOverBatch(batch);
      case 'reset':
        return await this.#reset(batch, plan.task);
    }
  }

  /**
   * A run that was under way here knows nothing of what the other one did: it ends, and
   * another begins from the share.
   */
  async #takeOverBatch(batch: StoppedBatch): Promise<Continued> {
    const { batchId, workflowId, runId, share } = batch;
    const temporal = this.#takeOver;
    if (temporal === undefined || share === undefined) {
      return { kind: 'failed', why: 'its share is not seen from here' };
    }
    const holder = { temporal, workflowId, runId: runId ?? 'taken over' };
    if ((await share.temporals.takeOver(batchId, holder)) === 'finished') return { kind: 'goes-on-already' };
    const look = await lookAtRun(this.#client, workflowId);
    if (look.kind === 'running') {
      if (look.progress?.documents === 0) return await this.#signal({ ...batch, runId: look.runId });
      await this.#client.workflow
        .getHandle(workflowId, look.runId)
        .terminate('Taken over from another Temporal: a new run goes on from what the share knows');
    }
    return await this.#start(batch, 'any run');
  }

  async #signal(batch: StoppedBatch, request: ResumeRequest = {}): Promise<Continued> {
    const handle = this.#client.workflow.getHandle(batch.workflowId, batch.runId);
    try {
      await handle.signal(resumeSignal, { ...request, requestId: randomUUID() });
      return { kind: 'done' };
    } catch (error) {
      // Ended since it was listed.
      if (error instanceof WorkflowNotFoundError) return { kind: 'goes-on-already' };
      throw error;
    }
  }

  async #start(batch: StoppedBatch, after: Parameters<BatchStarter['start']>[1]): Promise<Continued> {
    const { batchId, projectId, share, shareName } = batch;
    if (shareName === undefined) {
      return {
        kind: 'failed',
        why: 'nobody knows its share; try again from a machine that sees it',
      };
    }
    const sealed = await share?.readSeal(batchId);
    const outcome = await this.#starter.start(
      {
        share: shareName,
        batchId,
        project: { projectId },
        ...(sealed === undefined
          ? {}
          : {
              manifestSha256: sealed.manifestSha256,
              documents: sealed.manifest.files.length,
              job: sealed.manifest.job,
            }),
      },
      after,
    );
    if (outcome === 'started') return { kind: 'done' };
    if (outcome !== 'stopped') return { kind: 'goes-on-already' };
    return { kind: 'failed', why: 'its run has just ended; look again' };
  }

  /**
   * The request id makes two resets of one run one reset. The signal afterwards lets go on what stood still
   * when the run ended, for a cause that may be repaired by now, or until a look that may be hours away.
   */
  async #reset(batch: StoppedBatch, task: HistoryEvent): Promise<Continued> {
    const { workflowId, runId } = batch;
    const latest = await this.#client.workflow.getHandle(workflowId).describe();
    // Resetting an older run would end the one that goes on.
    if (latest.runId !== runId) return { kind: 'goes-on-already' };
    try {
      const reset = await this.#client.workflowService.resetWorkflowExecution({
        namespace: this.#client.options.namespace,
        workflowExecution: { workflowId, runId },
        reason: `Resumed: it was ${batch.state}`,
        workflowTaskFinishEventId: task.eventId ?? null,
        requestId: `drawbridge-resume-${runId}`,
        resetReapplyExcludeTypes: [CANCEL_REQUEST],
      });
      await this.#signal({ ...batch, runId: reset.runId }, { afterReset: true });
      return { kind: 'done' };
    } catch (error) {
      if (!isGrpcServiceError(error) || !REFUSALS.has(error.code)) throw error;
      return await this.#start(batch, 'an unfinished run');
    }
  }
}

function isEnded(state: StoppedState): state is Ended {
  return !Object.hasOwn(BY_STATE, state);
}
