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

// The same values that '@temporalio/workflow' makes, built here so that nobody loads that package for a name:
// commands that only read a share import these contracts, too, and the package would be a seventh of the
// modules that they load at their start.

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
 * The queue for short work on a share's files. Such activities run on the hosts that see the share; each of
 * them serves the share's four queues. What takes a moment, half a minute, minutes and hours has workers'
 * slots of its own, so that none waits for a longer one.
 */
export function shareTaskQueue(share: string): string {
  return `drawbridge-share-${share}`;
}

/**
 * For the bytes of ordinary files: an activity sends for half a minute; what is left goes on aside.
 */
export function transferTaskQueue(share: string): string {
  return `drawbridge-transfer-${share}`;
}

/**
 * What takes longer, and must not wait for big files: bytes of ordinary files on slow lines, and what people
 * wait for: hashing what is claimed on demand, test runs, the template and the fields.
 */
export function asideTaskQueue(share: string): string {
  return `drawbridge-aside-${share}`;
}

/** For the bytes of big files, which take hours. */
export function longTransferTaskQueue(share: string): string {
  return `drawbridge-long-transfer-${share}`;
}

/** Everything that has to be served for a share's batches to go on. */
export function taskQueuesOfShare(share: string): readonly string[] {
  return [
    shareTaskQueue(share),
    transferTaskQueue(share),
    asideTaskQueue(share),
    longTransferTaskQueue(share),
  ];
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
 * The run that asks for an effect: by it an activity knows whether another run may have asked for the same
 * before.
 */
export interface Asking {
  readonly runId: string;
  /** The run was reset: an earlier one may have asked for the same, unseen by this history. */
  readonly afterReset?: boolean;
  /**
   * The run has asked for this before and stood still, for something that is repaired by now: what the
   * attempts before did, and what they told each other, is not known any more.
   */
  readonly again?: boolean;
}

/** Values as people write them, by field name or label; several for a multi-select. */
export type ValuesByField = Readonly<Record<string, string | readonly string[]>>;

/**
 * How a document is named where no pattern, no person and no naming standard names it: by its file's whole
 * name (`file`) or without the extension (`stem`), or as the service names it (`service`).
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
    /** Its batch is being claimed, say: the coordinator does not know it, nor tells of its end. */
    readonly isOnShareOnly?: boolean;
  };
}

/** The batch whose later revision went first: it did not wait for an earlier one that nobody ran. */
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
