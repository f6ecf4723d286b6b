// Wakes the batches and other runs that stand still for want of a login, once there is
// one: nobody has to resume them.
import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { resumeSignal } from '../../workflows/contract';
import type { BlockingType } from '../../workflows/run/failure-contract';
import type { TemporalSession } from '../session/session';
import { listRunningBatches } from '../status/batch-status';
import { countUnanswered, listOtherRuns, wakeOtherRuns } from './other-runs';

/** What a login, or credentials that work, can cure. */
const CURED: ReadonlySet<string> = new Set<BlockingType>(['LOGIN_REQUIRED', 'TOKEN_REJECTED']);

export interface WokenAfterLogin {
  /** How many were told to go on. */
  readonly told: number;
  /** How many did not answer what they wait for, and were told nothing. */
  readonly unanswered: number;
}

/** Throws what the client throws when Temporal does not answer. */
export async function wakeAfterLogin({ client }: Pick<TemporalSession, 'client'>): Promise<WokenAfterLogin> {
  const batches = await listRunningBatches(client);
  const waiting = batches.filter(({ progress }) => CURED.has(progress?.blocked?.reason.code ?? ''));
  let told = 0;
  for (const { workflowId } of waiting) {
    try {
      await client.workflow.getHandle(workflowId).signal(resumeSignal, { requestId: randomUUID() });
      told += 1;
    } catch (error) {
      // It has ended since it was listed: the others still wait to be woken.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
  const others = await listOtherRuns(client);
  const cured = others.filter(({ progress }) => CURED.has(progress?.blocked?.reason.code ?? ''));
  const woken = await wakeOtherRuns(client, cured);
  return {
    told: told + woken.filter(({ result }) => result === 'told').length,
    unanswered: countUnanswered([...batches, ...others]),
  };
}
