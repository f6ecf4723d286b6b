// The way from activities to the coordinators of the projects, and what these ask of Temporal.
import type { Client } from '@temporalio/client';
import { isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { systemClock } from '../activities/host/clock';
import { forEachLimited } from '../activities/host/concurrency';
import type { ProjectRuns } from '../activities/revision-order/order-activities';
import type { Coordinators } from '../activities/revision-order/turns';
import { ingestWorkflowId, type ProjectRef, SERVICE_TASK_QUEUE, turnSignal } from '../workflows/contract';
import type { RunState } from '../workflows/revision-order/decide/turns';
import {
  endedSignal,
  orderWorkflowId,
  type ProjectOrderInput,
  registerSignal,
  turnsUpdate,
} from '../workflows/revision-order/order-contract';
import type { Logger } from './logging';
import { toRunStanding } from './temporal/run-standing';

/**
 * Longer than a coordinator takes to answer. What could not be told or asked in this
 * time is made good with the next question.
 */
const PATIENCE_MS = 10_000;
/**
 * For all runs of a project, which may be many; less than the activity's time-out, so
 * that it can still say why it failed.
 */
const ALL_RUNS_MS = 50_000;
/** So many that 500 looks of a second each end in time; so few that a busy server can bear them. */
const LOOKS_AT_ONCE = 16;
/** A bound on the list: a project that anybody looks after does not have more runs under way. */
const MOST_RUNS = 2_000;

export function createCoordinators(client: Client, logger: Logger): Coordinators {
  const soon = async <Result>(work: () => Promise<Result>): Promise<Result> =>
    await client.withDeadline(systemClock.wallMs() + PATIENCE_MS, work);
  /**
   * A batch must not fail for its order: what the coordinator was not told, the next question shows. False
   * where it was not; one that is not there needs not be told.
   */
  const tell = async (
    project: ProjectRef,
    batchId: string,
    work: () => Promise<unknown>,
  ): Promise<boolean> => {
    try {
      await soon(work);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return true;
      const { projectId } = project;
      logger.warn({ event: 'order-not-told', projectId, batchId, error }, 'A coordinator was not told');
      return false;
    }
    return true;
  };
  return {
    register: async (project, batch) => {
      await tell(project, batch.batchId, () => {
        const input: ProjectOrderInput = { project };
        return client.workflow.signalWithStart('projectOrderWorkflow', {
          workflowId: orderWorkflowId(project),
          taskQueue: SERVICE_TASK_QUEUE,
          args: [input],
          signal: registerSignal,
          signalArgs: [{ ...batch, documents: [...batch.documents] } as never],
          staticSummary: `Order of the documents of project ${project.projectId}`,
        });
      });
    },
    ended: async (project, batchId, indexes) =>
      await tell(project, batchId, () =>
        client.workflow
          .getHandle(orderWorkflowId(project))
          .signal(endedSignal, { batchId, ...(indexes === undefined ? {} : { indexes: [...indexes] }) }),
      ),
    ask: async (project, question) => {
      try {
        return await soon(() =>
          client.workflow
            .getHandle(orderWorkflowId(project))
            .executeUpdate(turnsUpdate, { args: [question as never] }),
        );
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return { kind: 'unregistered' };
        throw ApplicationFailure.retryable(
          'The coordinator of the project does not answer',
          'SERVICE_UNAVAILABLE',
        );
      }
    },
  };
}

export function createProjectRuns(client: Client): ProjectRuns {
  return {
    announce: async ({ project, known }) =>
      await askTemporal(client, async () => {
        const told: string[] = [];
        for await (const batchId of listRunning(client, project)) {
          if (known.includes(batchId)) continue;
          const handle = client.workflow.getHandle(ingestWorkflowId(project, batchId));
          const isTold = await handle.signal(turnSignal, { announce: true }).then(() => true, ignoreGone);
          if (isTold) told.push(batchId);
        }
        return { batchIds: told };
      }),
    lookAt: async ({ project, batchIds }) =>
      await askTemporal(client, async () => {
        const states = new Map<string, RunState>();
        await forEachLimited(batchIds, LOOKS_AT_ONCE, async batchId => {
          states.set(batchId, await lookAtRun(client, project, batchId));
        });
        return { runs: [...states].map(([batchId, state]) => ({ batchId, state })) };
      }),
  };
}

/**
 * Temporal can go away between giving us this work and answering what the work asks:
 * that is an absence like any other.
 * @throws ApplicationFailure that is retried, for whatever Temporal's client throws.
 */
async function askTemporal<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  try {
    return await client.withDeadline(systemClock.wallMs() + ALL_RUNS_MS, work);
  } catch (error) {
    if (!(error instanceof ServiceError || isGrpcServiceError(error))) throw error;
    throw ApplicationFailure.retryable('Temporal does not answer what is asked of it', 'SERVICE_UNAVAILABLE');
  }
}

async function* listRunning(client: Client, project: ProjectRef): AsyncGenerator<string> {
  const prefix = ingestWorkflowId(project, '');
  const query = `ExecutionStatus = 'Running' AND WorkflowType = 'ingestBatchWorkflow' AND WorkflowId STARTS_WITH '${prefix.replaceAll("'", "''")}'`;
  let seen = 0;
  for await (const { workflowId } of client.workflow.list({ query })) {
    if (++seen > MOST_RUNS) return;
    yield workflowId.slice(prefix.length);
  }
}

async function lookAtRun(client: Client, project: ProjectRef, batchId: string): Promise<RunState> {
  try {
    const { status } = await client.workflow.getHandle(ingestWorkflowId(project, batchId)).describe();
    const standing = toRunStanding(status.name);
    return standing === 'completed' ? 'ended' : standing;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'stopped';
    throw error;
  }
}

/** False for a run that has ended since it was listed; other errors are thrown on. */
function ignoreGone(error: unknown): false {
  if (error instanceof WorkflowNotFoundError) return false;
  throw error;
}
