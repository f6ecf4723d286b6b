// What workflows, activities and clients say to each other: inputs, results, ids, messages,
// task-queue names. Plain data only; everything here must survive JSON. Sizes matter: a batch of 100
// documents stays under 64 KiB a payload.
import type { QueryDefinition, SignalDefinition, UpdateDefinition } from '@temporalio/common';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Document upload id (ULID), from Step 4. Consumed by its submission: the service's only idempotency key. */
export type UploadId = Branded<'UploadId'>;
/** File upload id (ULID), from Step 5. Links to one document upload at most. */
export type FileUploadId = Branded<'FileUploadId'>;
/** `latest_event_id` of an upload, from Step 7; stale as soon as anybody writes. */
export type EventId = Branded<'EventId'>;
/** Document revision id, from Step 8; permanent. */
export type RevisionId = Branded<'RevisionId'>;

// As '@temporalio/workflow' makes them, which nobody loads for a name: commands that read the share alone
// know contracts, too, and what workflows run on is a seventh of the modules that they would begin with.

export function defineSignal<Args extends unknown[]>(name: string): SignalDefinition<Args> {
  return { type: 'signal', name } as SignalDefinition<Args>;
}

export function defineQuery<Result, Args extends unknown[] = []>(
  name: string,
): QueryDefinition<Result, Args> {
  return { type: 'query', name } as QueryDefinition<Result, Args>;
}

export function defineUpdate<Result, Args extends unknown[]>(name: string): UpdateDefinition<Result, Args> {
  return { type: 'update', name } as UpdateDefinition<Result, Args>;
}

/** Workflows and activities that talk to the service only. */
export const SERVICE_TASK_QUEUE = 'drawbridge';

/**
 * Activities that touch a share's files run on the hosts that see it; each of them serves the share's three
 * queues. What takes a moment, what takes a minute and what takes hours have workers' slots of their own, so
 * that none waits for a longer one.
 */
export function shareTaskQueue(share: string): string {
  return `drawbridge-share-${share}`;
}

/** The bytes of ordinary files; a load is handed on after a minute. */
export function transferTaskQueue(share: string): string {
  return `drawbridge-transfer-${share}`;
}

/** Bytes that take longer than a minute: big files, slow lines, and hashing what is claimed on demand. */
export function longTransferTaskQueue(share: string): string {
  return `drawbridge-long-transfer-${share}`;
}

/** Everything that has to be served for a share's batches to go on. */
export function taskQueuesOfShare(share: string): readonly string[] {
  return [shareTaskQueue(share), transferTaskQueue(share), longTransferTaskQueue(share)];
}

/** Derived from the manifest's batch id: starting a batch twice is starting it once. */
export function ingestWorkflowId(project: Pick<ProjectRef, 'projectId'>, batchId: string): string {
  return `ingest/${project.projectId}/${batchId}`;
}

/** Largest batch the service recommends for Steps 4, 6 and 8 (specification, Limits). */
export const MAX_BATCH_DOCUMENTS = 100;

export interface ProjectRef {
  readonly companyId: string;
  readonly projectId: string;
}

/**
 * The run that asks for an effect, for activities that must know whether another one may have asked before.
 */
export interface Asking {
  readonly runId: string;
  /** The run was reset: an earlier one may have asked for the same, unseen by this history. */
  readonly afterReset?: boolean;
}

/** Values as people write them, by field name or label; several for a multi-select. */
export type ValuesByField = Readonly<Record<string, string | readonly string[]>>;

/**
 * What a document is called where no pattern, no person and no naming standard says: by
 * its file, or as the service does.
 */
export type Naming = 'file' | 'stem' | 'service';

/** Why a document stopped, in the document controller's words, and how to go on. */
export interface Reason {
  /** Stable code: the service's reason code, or one of ours (lower-case with dashes). */
  readonly code: string;
  readonly text: string;
  readonly fix: string;
}

/** A document whose turn has not come: an earlier revision of it has not ended yet. */
export interface InLine {
  readonly index: number;
  /** The first of its line, which can go. */
  readonly behind: {
    readonly batchId: string;
    readonly index: number;
    /** Absent where its batch lies on a share that is not seen from here. */
    readonly path?: string;
    /** Where its batch lies, if that is another share of the project. */
    readonly share?: string;
    readonly revision?: string;
    /** Nobody runs its batch just now. */
    readonly isStopped?: boolean;
  };
}

/** The batch of a later revision that did not wait for one that nobody ran. */
export interface Overtaker {
  readonly share: string;
  readonly batchId: string;
  readonly revision?: string | undefined;
}

/**
 * From the project's coordinator: something in front of documents that stand in line has changed, so look
 * again. With `announce`, say first which documents the batch has: the coordinator has begun anew.
 */
export const turnSignal = defineSignal<[{ announce?: boolean }?]>('turn');

export interface ResumeRequest {
  /** The same request twice resumes once. */
  readonly requestId?: string;
  /** The run has just been reset, and is to go on at once. */
  readonly afterReset?: boolean;
}

/** Goes on at once with what is blocked, instead of at the next look. */
export const resumeSignal = defineSignal<[ResumeRequest?]>('resume');
