// Starts the workflow of a claimed batch, once: its workflow id is made from the batch's, so that Temporal
// refuses a second run unless a person asked for one.
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { toRunStanding } from '../../workers/temporal/run-standing';
import {
  ingestWorkflowId,
  type ProjectRef,
  resumeSignal,
  SERVICE_TASK_QUEUE,
} from '../../workflows/contract';
import type { IngestBatchInput } from '../../workflows/ingest/ingest-contract';
import { EMPTY_END, escapeMarkdown } from '../../workflows/run/decide/escape-markdown';
import { grpcCodeOf } from './grpc-code';

export interface BatchToStart {
  readonly share: string;
  readonly project: Pick<ProjectRef, 'projectId'>;
  readonly batchId: string;
  /** Absent when the share is not seen from here: then the manifest that lies there is taken as it is. */
  readonly manifestSha256?: string | undefined;
  /** For people who look at the run; absent when unknown. */
  readonly documents?: number | undefined;
  /** What it is part of; absent for a batch that is by itself, and when unknown. */
  readonly job?: { readonly name: string; readonly part: number } | undefined;
}

/**
 * `stopped`: a run of this batch ended without finishing it (failed, terminated, cancelled). A person did
 * that or must look at it; it is not started again behind their back.
 */
export type StartOutcome = 'started' | 'already-running' | 'already-finished' | 'stopped';

export const SHARE_ATTRIBUTE = defineSearchAttributeKey('DrawbridgeShare', SearchAttributeType.KEYWORD);
const JOB_ATTRIBUTE = defineSearchAttributeKey('DrawbridgeJob', SearchAttributeType.KEYWORD);
const PROJECT_ATTRIBUTE = defineSearchAttributeKey('DrawbridgeProject', SearchAttributeType.KEYWORD);

/** A search attribute has at most 255 characters in some databases, a summary 400 bytes at the server. */
const MOST_JOB_CHARACTERS = 200;
const MOST_SUMMARY_UNITS = 60;

/** A status of gRPC. */
const INVALID_ARGUMENT = 3;

const REUSE = {
  'no run': 'REJECT_DUPLICATE',
  'an unfinished run': 'ALLOW_DUPLICATE_FAILED_ONLY',
  'any run': 'ALLOW_DUPLICATE',
} as const;

export class BatchStarter {
  readonly #client: Client;
  readonly #hasSearchAttributes: boolean;

  constructor(client: Client, options: { readonly hasSearchAttributes: boolean }) {
    this.#client = client;
    this.#hasSearchAttributes = options.hasSearchAttributes;
  }

  /**
   * Starting twice is starting once. Throws what the client throws when Temporal is away; repeat later.
   * `after`: which ended runs of the batch may be followed by another; none, unless a person asked for it.
   */
  async start(
    batch: BatchToStart,
    after: 'no run' | 'an unfinished run' | 'any run' = 'no run',
  ): Promise<StartOutcome> {
    const workflowId = ingestWorkflowId(batch.project, batch.batchId);
    const input: IngestBatchInput = {
      share: batch.share,
      batchId: batch.batchId,
      ...(batch.manifestSha256 === undefined ? {} : { manifestSha256: batch.manifestSha256 }),
    };
    const start = async (hasSearchAttributes: boolean) =>
      await this.#client.workflow.start('ingestBatchWorkflow', {
        workflowId,
        taskQueue: SERVICE_TASK_QUEUE,
        args: [input],
        workflowIdReusePolicy: REUSE[after],
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: summarize(batch),
        staticDetails: describe(batch),
        memo: { share: batch.share, ...(batch.job === undefined ? {} : { job: batch.job.name }) },
        ...(hasSearchAttributes
          ? {
              typedSearchAttributes: toSearchAttributes({
                share: batch.share,
                projectId: batch.project.projectId,
                job: batch.job?.name,
              }),
            }
          : {}),
      });
    try {
      await start(this.#hasSearchAttributes).catch(async (error: unknown) => {
        // The search attributes are gone: Temporal's database was replaced while this process ran. That the
        // batch starts matters more than that lists find it.
        if (!this.#hasSearchAttributes || grpcCodeOf(error) !== INVALID_ARGUMENT) throw error;
        await start(false);
      });
      return 'started';
    } catch (error: unknown) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      const outcome = await this.#look(workflowId);
      // Temporal forgot the run between the two calls: whoever tries next starts it.
      return outcome === 'forgotten' ? 'already-finished' : outcome;
    }
  }

  /**
   * What has become of the latest run of a batch; starts nothing. `forgotten`: Temporal knows nothing of it
   * any more.
   */
  async find({
    project,
    batchId,
  }: Pick<BatchToStart, 'project' | 'batchId'>): Promise<Exclude<StartOutcome, 'started'> | 'forgotten'> {
    return await this.#look(ingestWorkflowId(project, batchId));
  }

  /** The name by which the latest run of a batch asks for its share; undefined where nobody noted it. */
  async shareOfRun({
    project,
    batchId,
  }: Pick<BatchToStart, 'project' | 'batchId'>): Promise<string | undefined> {
    const { memo } = await this.#client.workflow.getHandle(ingestWorkflowId(project, batchId)).describe();
    return typeof memo?.share === 'string' ? memo.share : undefined;
  }

  /** Tells the run of a batch to go on at once with what it waits for. False: none runs. */
  async wake({ project, batchId }: Pick<BatchToStart, 'project' | 'batchId'>): Promise<boolean> {
    const handle = this.#client.workflow.getHandle(ingestWorkflowId(project, batchId));
    try {
      await handle.signal(resumeSignal, {});
      return true;
    } catch (error: unknown) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  async #look(workflowId: string): Promise<Exclude<StartOutcome, 'started'> | 'forgotten'> {
    try {
      const { status } = await this.#client.workflow.getHandle(workflowId).describe();
      const standing = toRunStanding(status.name);
      if (standing === 'running') return 'already-running';
      return standing === 'completed' ? 'already-finished' : 'stopped';
    } catch (error: unknown) {
      if (error instanceof WorkflowNotFoundError) return 'forgotten';
      throw error;
    }
  }
}

/**
 * The search attributes by which people find a run. Only for namespaces where they are registered; elsewhere
 * the start would be refused.
 */
export function toSearchAttributes(facts: {
  readonly share: string;
  readonly projectId: string;
  readonly job?: string | undefined;
}): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: SHARE_ATTRIBUTE, value: facts.share },
    { key: PROJECT_ATTRIBUTE, value: facts.projectId },
    ...(facts.job === undefined
      ? []
      : [{ key: JOB_ATTRIBUTE, value: [...facts.job].slice(0, MOST_JOB_CHARACTERS).join('') }]),
  ]);
}

/** The one line that the UI shows for the run: the job first, for that is what people look for. */
function summarize({ batchId, share, job }: BatchToStart): string {
  if (job === undefined) return `Batch ${batchId} of share ${share}`;
  return `${escapeMarkdown(job.name, MOST_SUMMARY_UNITS)}, part ${job.part}: batch ${batchId} of share ${share}`;
}

function describe(batch: BatchToStart): string {
  const count = batch.documents === undefined ? 'The files' : `${batch.documents} files`;
  return [
    `${count} of batch \`${batch.batchId}\` on share \`${batch.share}\` become document revisions of project \`${batch.project.projectId}\`.`,
    '',
    'Each file ends in `done/` or `attention/` of the share, with a receipt beside it.',
    'Held documents are answered with the update `answer`; `resume` wakes what waits.',
    EMPTY_END,
  ].join('\n');
}
