// The door of an observation: a run with the observation's id in the service in its name, which passes
// signals on to the run that carries the observation. It is the way in for whoever knows this id only, above
// all an event of the service.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild, WorkflowIdReusePolicy, workflowInfo } from '@temporalio/workflow';
import { SERVICE_TASK_QUEUE } from '../contract';
import { observationWorkflowId } from './observation-contract';

/** Opens the door, which ends with this run; nothing happens where another run has opened it already. */
export async function openDoor(projectId: string, observationId: string): Promise<void> {
  const workflowId = observationWorkflowId(projectId, observationId);
  if (workflowInfo().workflowId === workflowId) return;
  try {
    await startChild('observationDoorWorkflow', {
      workflowId,
      args: [],
      taskQueue: SERVICE_TASK_QUEUE,
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      staticSummary: `Passes on to ${workflowInfo().workflowId}`,
    });
  } catch (error: unknown) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
