// Starts a run for a command and waits for it, telling each step as it comes.
import {
  ActivityFailure,
  ChildWorkflowFailure,
  type Client,
  type QueryDefinition,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import { SERVICE_TASK_QUEUE } from '../../workflows/contract';
import { EMPTY_END, toSummary } from '../../workflows/run/decide/escape-markdown';
import { runProgressQuery } from '../../workflows/run/run-progress-contract';
import { CliError, EXIT_CODES } from './cli-error';

const LOOK_EVERY_MS = 1_000;
/** How long a query waits for its reply: a run that no worker carries never replies. */
const LOOK_WITHIN_MS = 5_000;

/** In place of the names of fields that such a worker does not know: no person has written them. */
export const WORKER_IS_EARLIER =
  'The worker is of an earlier version. Update the workers first, then the page and the commands.';

export interface RunToStart {
  readonly workflow: string;
  readonly workflowId: string;
  readonly input: unknown;
  readonly summary: string;
  readonly details?: string;
  /** Start also after an earlier run of this id has ended well: for runs that continue or correct. */
  readonly again?: boolean;
}

/** `known`: it runs already, or has ended well before; it was left as it is. */
export async function startRun(client: Client, run: RunToStart): Promise<'started' | 'known'> {
  try {
    await client.workflow.start(run.workflow, {
      workflowId: run.workflowId,
      taskQueue: SERVICE_TASK_QUEUE,
      args: [run.input],
      workflowIdReusePolicy: run.again === true ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
      staticSummary: toSummary(run.summary),
      ...(run.details === undefined ? {} : { staticDetails: `${run.details}${EMPTY_END}` }),
    });
    return 'started';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'known';
    throw error;
  }
}

/**
 * Starts a run of one's own. An earlier one of this id that is under way may have been given something else:
 * it is waited for first, however it ends, and never taken for one's own.
 */
export async function startAfterEarlier(
  client: Client,
  run: Omit<RunToStart, 'again'>,
  tell: (step: string) => void,
): Promise<void> {
  while ((await startRun(client, { ...run, again: true })) === 'known') {
    tell(`${run.workflowId} is under way with what was given before; that is waited for first.`);
    await followRun(client, run.workflowId, tell).catch((error: unknown) => {
      // How it failed was told to whoever started it.
      if (!(error instanceof CliError)) throw error;
    });
  }
}

/** What a run answers now. Rejects where nobody answers in time: no worker may be there yet. */
export async function askRun<Answer>(
  client: Client,
  workflowId: string,
  query: QueryDefinition<Answer>,
): Promise<Answer> {
  const ask = () => client.workflow.getHandle(workflowId).query(query);
  return await client.withDeadline(systemClock.wallMs() + LOOK_WITHIN_MS, ask);
}

/** Waits for the result. Throws CliError with the run's own words when it failed. */
export async function followRun<Result>(
  client: Client,
  workflowId: string,
  tell: (step: string) => void,
): Promise<Result> {
  const handle = client.workflow.getHandle(workflowId);
  let last = '';
  const look = async (): Promise<void> => {
    const { step, blocked } = await askRun(client, workflowId, runProgressQuery);
    const line =
      blocked === undefined ? step : `${step}: waits. ${blocked.reason.text} ${blocked.reason.fix}`;
    if (line !== last) tell(line);
    last = line;
  };
  // A question that is not answered (no worker, a run that has just ended) is no reason to stop waiting.
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    looking ??= look()
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
      });
  }, LOOK_EVERY_MS);
  try {
    return (await handle.result().catch(throwItsWords())) as Result;
  } finally {
    clearInterval(timer);
    // The connection is closed next. A query that is tried again over a closed one throws out of a timer, and
    // ends the process.
    await looking;
  }
}

/**
 * For `catch`: where a run failed or refused an update, throws a CliError with `what` and then the run's own
 * words; throws any other error as it is.
 */
export function throwItsWords(what = ''): (error: unknown) => never {
  return error => {
    if (!(error instanceof WorkflowFailedError || error instanceof WorkflowUpdateFailedError)) throw error;
    const why = wordsOf(error);
    throw new CliError(`${what}${hasUnknownFields(why) ? WORKER_IS_EARLIER : why}`, EXIT_CODES.failed, error);
  };
}

/** An activity's failure and a child's only say that it has failed; why stands below. */
function wordsOf(error: Error): string {
  let { cause } = error;
  while ((cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure) && cause.cause) {
    cause = cause.cause;
  }
  return cause instanceof Error ? cause.message : error.message;
}

/** What people write is checked before it is sent, so unknown fields are those of a later version. */
function hasUnknownFields(why: string): boolean {
  return why.startsWith('The input cannot be used:') && /: Unrecognized keys?: /.test(why);
}
