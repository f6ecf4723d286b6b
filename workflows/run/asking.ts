// Which run asks for an effect that must not be had twice. A reset run goes on from an earlier one's history:
// what that one had asked for is dispatched again with its old input, and of what it did later nothing is
// known here.
import { workflowInfo } from '@temporalio/workflow';
import type { Asking } from '../contract';

/**
 * For the input of such an activity, which compares it with the run that it is dispatched for. Its result
 * tells what follows from that, so that a replay of this history decides as this run did, whatever is reset
 * later.
 */
export function asking(): Asking {
  const { runId, originalExecutionRunId } = workflowInfo();
  // Only a reset gives a run another id than its history begins with; one that continues as new begins its
  // own.
  return { runId, ...(runId === originalExecutionRunId ? {} : { afterReset: true }) };
}

/** For the input of a call that may be asked again, once a person has repaired what it stood still for. */
export function askedOnce(): () => { readonly asked: Asking; readonly again?: true } {
  let asks = 0;
  return () => ({ asked: asking(), ...(asks++ > 0 ? { again: true } : {}) });
}
