// When a run should end for another one that goes on in its place (continue as new).
import { workflowInfo } from '@temporalio/workflow';

/** The server ends a run at 51,200 events; with far fewer a replay is quick. */
const MOST_EVENTS = 4_000;

/** Whether the history is so long that another run should go on. */
export function isLong(mostEvents: number = MOST_EVENTS): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength >= mostEvents;
}
