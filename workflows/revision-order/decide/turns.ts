// What the coordinator of a project is told of documents on their way, what it is asked, and what it answers.
import type { Overtaker } from '../../contract';

/**
 * A document that has no outcome yet. What it has in common with others travels hashed: names can be long.
 */
export interface OrderedDocument {
  readonly index: number;
  readonly keys: readonly string[];
  readonly revision?: string | undefined;
  /** `QueuedDocument.modifiedNs` as text: nanoseconds since 1970, or the number of a register's row. */
  readonly modifiedNs: string;
  readonly matches?: string | undefined;
  /** Its turn has come once: nothing that is learned later calls it back. */
  readonly isLetGo?: boolean | undefined;
  /** The document that went before it because nobody ran this one's batch. */
  readonly overtakenBy?: Overtaker | undefined;
}

export interface OrderedBatch {
  readonly batchId: string;
  readonly share: string;
  /** ISO 8601 UTC, by the clock of the host that claimed it. */
  readonly claimedAt: string;
  readonly documents: readonly OrderedDocument[];
}

/** Asked before documents are submitted. */
export interface TurnQuestion {
  readonly batchId: string;
  readonly indexes: readonly number[];
  /** Documents of the batch that have an outcome. */
  readonly ended: readonly number[];
  /** By what the service finds their documents, hashed; known since they were read. */
  readonly matches: readonly { readonly index: number; readonly matches: string }[];
  /** Whom they wait for as their share shows it; that counts only for batches that are not known here. */
  readonly behind: readonly { readonly index: number; readonly batchId: string }[];
  /** A batch that nobody runs is passed after so long. */
  readonly passAfterMs: number;
  /** Nothing is let go by the reply: it is asked again before anything is submitted. */
  readonly isLook?: boolean | undefined;
  /** Documents that a person lets go although a later one went before them. */
  readonly confirmed: readonly number[];
}

/** The document that another one waits for. */
export interface Predecessor {
  readonly share: string;
  readonly batchId: string;
  readonly index: number;
  readonly revision?: string;
  /** Nobody runs its batch just now. */
  readonly isStopped?: boolean;
}

export type TurnReply =
  /** Say first which documents the batch has. */
  | { readonly kind: 'unregistered' }
  | {
      readonly kind: 'turns';
      readonly waiting: readonly { readonly index: number; readonly behind: Predecessor }[];
      /** Of `behind`, the batches that are not known here. */
      readonly unknown: readonly string[];
      /** Documents that go although an earlier one has not ended: nobody runs its batch. */
      readonly passing: readonly { readonly index: number; readonly before: Predecessor }[];
      /** Asked documents that a later one has overtaken: a person decides about them. */
      readonly overtaken: readonly { readonly index: number; readonly by: Overtaker }[];
    };

export type RunState = 'running' | 'ended' | 'stopped';

/** To be noted where the batch lies, so that it outlives Temporal's memory. */
export interface OvertakenNote {
  readonly share: string;
  readonly batchId: string;
  readonly documents: readonly { readonly index: number; readonly by: Overtaker }[];
}
