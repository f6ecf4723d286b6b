// The way in for whoever knows an observation by its id in the service only, an event of the service above
// all: a run that has this id in its name and passes on to the one that carries the observation.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild, WorkflowIdReusePolicy, workflowInfo } from '@temporalio/workflow';
import { SERVICE_TASK_QUEUE } from '../contract';
import { observationWorkflowId } from './observation-contract';

/** Ends with the run that opens it. One that another run holds open already is left to it. */
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
