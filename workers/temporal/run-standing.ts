import type { WorkflowExecutionStatusName } from '@temporalio/client';

/** How it stands with the latest run of a workflow: `stopped` ended without having done its work. */
export type RunStanding = 'running' | 'completed' | 'stopped';

const STOPPED: ReadonlySet<WorkflowExecutionStatusName> = new Set([
  'FAILED',
  'CANCELLED',
  'TERMINATED',
  'TIMED_OUT',
]);

/**
 * A run that somebody has paused, or that is in a state which only a newer Temporal knows, has not ended:
 * nothing is started in its place, and nobody overtakes it.
 */
export function toRunStanding(status: WorkflowExecutionStatusName): RunStanding {
  if (status === 'COMPLETED') return 'completed';
  return STOPPED.has(status) ? 'stopped' : 'running';
}
