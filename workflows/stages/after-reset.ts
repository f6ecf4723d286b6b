// A run that goes on from an earlier one's history knows nothing of what that one did after the point of the reset.
import { workflowInfo } from '@temporalio/workflow';

/**
 * For the input of an activity whose answer depends on it; the activity tells it back, so that a replay of this history
 * decides as this run did, whatever is reset later.
 */
export function afterReset(): { readonly afterReset?: boolean } {
  const { runId, firstExecutionRunId } = workflowInfo();
  // A reset begins a new run with the beginning of an older one's history, which still names the older one.
  return runId === firstExecutionRunId ? {} : { afterReset: true };
}
