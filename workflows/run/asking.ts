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

/**
 * The same input for a call that is made again, once what it stood still for is repaired; one that does not
 * say who asks is left as it is. Workers of the release before look for `again` beside who asks.
 */
export function askingAgain(input: unknown): unknown {
  const { asked } = (input ?? {}) as { readonly asked?: Partial<Asking> };
  if (typeof asked?.runId !== 'string') return input;
  return { ...(input as object), asked: { ...asked, again: true }, again: true };
}
