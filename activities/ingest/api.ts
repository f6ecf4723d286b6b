// What the activities of a batch take and return (ingest-activities.ts has them). Every activity takes one
// object and returns plain data; what is wrong with a single document is part of the result, not an error.
// Errors (see failure.ts) are about the service, the share or the project, never about one document.
import type {
  Asking,
  EventId,
  FileUploadId,
  Naming,
  ProjectRef,
  Reason,
  UploadId,
  ValuesByField,
} from '../../workflows/contract';
import type { Refusal } from '../../workflows/ingest/decide/judge-refusal';
import type { SeenAnalysis } from '../../workflows/ingest/decide/keep-analysis';
import type { LookPace } from '../../workflows/ingest/decide/look-pace';
import type { TabulatedWrite } from '../../workflows/ingest/decide/tabulate-writes';
import type {
  AppliedRequirement,
  AppliedRequirements,
  BatchDocument,
  BatchPolicy,
  BatchSummary,
  DocumentOutcome,
  FieldWrite,
  JournalRecord,
  KnownProgress,
  RegisterHeader,
  RegisterInput,
  RegisterRules,
  SaidOfDocument,
  StoredValue,
  TransferredFile,
} from '../../workflows/ingest/ingest-contract';
import type { KindLists } from '../registers/sheet/cell-kinds';
import type { FileProgress } from '../transfer/ports';

export interface PlannedDocument {
  readonly index: number;
  readonly now: readonly TabulatedWrite[];
  /** The name that people give, which is never written with a file; told only where it was asked for. */
  readonly name?: FieldWrite;
  readonly needsAnalysis: boolean;
  /** Labels of required fields that nothing in sight can fill. */
  readonly hopeless: readonly string[];
  readonly problems: readonly Reason[];
  /**
   * What a person has to see before the document goes on: faulty cells of its row, or that it has no row.
   * Absent where there is nothing.
   */
  readonly lacking?: {
    readonly reason: Reason;
    /** Labels of the fields whose cells cannot be read. */
    readonly missing: readonly string[];
  };
}

export interface Plan {
  readonly fieldIds: readonly string[];
  readonly documents: readonly PlannedDocument[];
  readonly notices: readonly string[];
}

export interface PlanDocumentsInput extends RegisterInput {
  readonly project: ProjectRef;
  readonly defaults: ValuesByField;
  /**
   * The fields that the share's patterns read: a name that is no field of the project is the configuration's
   * fault.
   */
  readonly patternFields?: readonly string[] | undefined;
  readonly documents: readonly (Pick<BatchDocument, 'index' | 'fileName' | 'mimeType'> & SaidOfDocument)[];
  /** Tell the names that people give as well: of linked uploads, which nobody else names any more. */
  readonly withName?: true;
  /** Look everything up anew: a value id of ours was just refused. */
  readonly refresh?: boolean;
}

/** Values as they stand in the cells of a sheet. */
export interface ReadCellsInput {
  readonly project: ProjectRef;
  readonly rules: Pick<RegisterRules, 'dates' | 'emptyWord'>;
  readonly rows: readonly CellValues[];
}

/** With the names of those of `values` that the sheet has as something else than texts. */
export interface CellValues extends KindLists<string> {
  readonly values: ValuesByField;
}

/** For each row its values, or what is wrong with its cells, all of it at once. */
export type ReadCells =
  | { readonly kind: 'values'; readonly values: Record<string, string | string[]> }
  | { readonly kind: 'faults'; readonly text: string };

export interface CreateUploadsInput {
  readonly project: ProjectRef;
  readonly files: readonly Pick<BatchDocument, 'index' | 'fileName' | 'mimeType'>[];
  /** One upload a request. */
  readonly oneByOne?: boolean;
}

export interface CreateUploadsResult {
  readonly created: readonly { readonly index: number; readonly uploadId: UploadId }[];
  readonly refused: readonly { readonly index: number; readonly reason: Reason }[];
}

export interface LinkItem {
  readonly index: number;
  readonly uploadId: UploadId;
  readonly fileUploadId: FileUploadId;
  readonly writes: readonly TabulatedWrite[];
  /**
   * Its upload has another file's bytes and values, which are to be replaced: that it is COMPLETED says
   * nothing of this file, and the request is sent whatever the service shows.
   */
  readonly relink?: boolean;
}

export interface LinkUploadsInput {
  readonly project: ProjectRef;
  readonly fieldIds: readonly string[];
  readonly items: readonly LinkItem[];
  /**
   * The uploads were COMPLETED before, and people may have edited them since: only what is empty is written.
   */
  readonly onlyEmpty?: boolean;
  readonly asked: Asking;
}

/**
 * By index. `answered` accounts for every item; the other two say the whole request was refused and nothing
 * was applied.
 */
export type LinkUploadsResult =
  | {
      readonly kind: 'answered';
      readonly linked: readonly number[];
      readonly failed: readonly { readonly index: number; readonly code: string }[];
      readonly missing: readonly number[];
      /**
       * The same request may have been heard before: an upload that is missing now may have been COMPLETED
       * then, and submitted by somebody since.
       */
      readonly repeated?: boolean;
    }
  /**
   * 400: the values of some item are not acceptable. `linked`: items that an earlier attempt has linked, so
   * they were not sent this time.
   */
  | {
      readonly kind: 'refused';
      readonly refusals: readonly Refusal[];
      readonly linked?: readonly number[];
    }
  /** A 500 of Step 6, or no response of the service, after repeating; which item it is about is not said. */
  | { readonly kind: 'failed' };

export interface ReadItem extends SaidOfDocument {
  readonly index: number;
  readonly uploadId: UploadId;
  readonly fileName: string;
  readonly mimeType: string;
  /** The upload was seen to be this file's before. */
  readonly verified?: boolean;
}

export interface ReadUploadsInput extends RegisterInput {
  readonly project: ProjectRef;
  readonly defaults: ValuesByField;
  readonly items: readonly ReadItem[];
  readonly naming: Naming;
  /** Until each upload has been seen to belong to its file: all files of the batch, by index. */
  readonly files?: readonly Pick<BatchDocument, 'fileName' | 'mimeType'>[];
  /**
   * Absent: one look. Present: look until the analysis has finished, the time is spent, or (`mayPart`) the
   * uploads that are ready should wait no longer for the rest.
   */
  readonly poll?: {
    readonly times: BatchPolicy['analysis'];
    readonly lookedMs: number;
    readonly mayPart: boolean;
    /** After the first look, uploads that are seen to be their documents' get the names that we give. */
    readonly isToName?: true;
  };
}

export type ReadDocument =
  | {
      readonly kind: 'found';
      readonly index: number;
      readonly eventId: EventId;
      readonly completed: boolean;
      readonly analysed: boolean;
      /** Analysis or file-name scraping ended in an error. */
      readonly analysisFailed: boolean;
      /**
       * Absent where the upload is this file's own, or no `files` were given; 'not-shown': nothing shows
       * whose it is; `others`: indexes of other files whose upload it may be.
       */
      readonly pairing?: 'not-shown' | { readonly others: readonly number[] };
      /**
       * By this the service finds the document that the upload is a revision of; absent where it is not
       * shown.
       */
      readonly matches?: string;
      /** The name to write over the one that the service has given. */
      readonly rename?: FieldWrite;
      /** Defaults still to be written into empty fields. */
      readonly fill: readonly FieldWrite[];
      /** Labels of required fields that are empty and have no default. */
      readonly missing: readonly string[];
      readonly stored: readonly StoredValue[];
      /** Position among `requirements` of the result: the one that applies. Absent for the first. */
      readonly requirement?: number;
      readonly analysis?: SeenAnalysis;
    }
  /** 404: consumed, unknown, or (specification) still INCOMPLETE. */
  | { readonly kind: 'hidden'; readonly index: number }
  /** 410: a person deleted it. */
  | { readonly kind: 'deleted'; readonly index: number };

export interface ReadUploadsResult {
  readonly documents: readonly ReadDocument[];
  /** Absent from earlier versions. */
  readonly requirements?: readonly AppliedRequirement[];
  /** How long we have looked so far, without the time the service was away. */
  readonly lookedMs: number;
  /** What was named between two looks (`isToName`). */
  readonly named?: readonly { readonly index: number; readonly name: string }[];
}

export interface FindAbsentInput {
  readonly project: ProjectRef;
  readonly items: readonly { readonly index: number; readonly uploadId: UploadId }[];
  readonly times: BatchPolicy['lookAgain'];
}

export interface FindAbsentResult {
  /**
   * `shown`: as COMPLETED. `hidden`: no kind of read showed it until the end. `unreadable`: what showed it
   * could not be read until then.
   */
  readonly documents: readonly {
    readonly index: number;
    readonly kind: 'shown' | 'incomplete' | 'hidden' | 'deleted' | 'unreadable';
  }[];
}

export interface WriteValuesInput {
  readonly project: ProjectRef;
  /** Step 6's only_update_empty_fields: people's and the analysis' values stay. */
  readonly onlyEmpty: boolean;
  readonly items: readonly {
    readonly index: number;
    readonly uploadId: UploadId;
    /** As it was read last: has it not moved, nobody has written since. */
    readonly eventId?: EventId;
    readonly fields: readonly FieldWrite[];
  }[];
  /** Absent from runs that cannot be told of what was changed since. */
  readonly asked?: Asking;
  /** The same values were perhaps sent before: no response confirmed them, or the call stood still since. */
  readonly again?: true;
}

export interface WriteValuesResult {
  readonly written: readonly number[];
  /** Not confirmed by the response: look at them. */
  readonly missing: readonly number[];
  readonly refused: readonly { readonly index: number; readonly reason: Reason }[];
  /**
   * Not written: they may have been before, and somebody may have given others since. Only to a run that says
   * who has `asked`.
   */
  readonly changed?: readonly number[];
}

export interface SubmitItem {
  readonly index: number;
  readonly uploadId: UploadId;
  readonly eventId: EventId;
  readonly termination?: { readonly reason: string; readonly statusId: string };
}

/** `afterReset`: an earlier run may have sent the same request, whatever came of this one. */
export type SubmitRevisionsResult = { readonly afterReset?: boolean } & (
  | {
      readonly kind: 'answered';
      readonly revisionIds: readonly string[];
      readonly failures: readonly Refusal[];
      readonly atMs: number;
    }
  /** The whole request was refused; nothing was submitted. */
  | { readonly kind: 'refused'; readonly refusals: readonly Refusal[] }
  /**
   * It certainly did not reach the service (rate limit, no connection, worker stopping): send it again.
   * `retryAtMs` is told by workers of a release before, by the clock of their host.
   */
  | { readonly kind: 'not-sent'; readonly retryInMs?: number; readonly retryAtMs?: number }
  /** Nobody knows whether it was heard: look at each upload, never create another one. */
  | { readonly kind: 'unknown' }
);

/**
 * What the service said of the one document that it answered for; or that it answered for none, after
 * `giveUpAfter` attempts.
 */
export type ProbeResult<Result> = (
  | { readonly kind: 'answered'; readonly index: number; readonly result: Result }
  | { readonly kind: 'gave-up' }
) & {
  /** Indexes of documents that were sent and got no response; absent for none, and from earlier versions. */
  readonly unheard?: readonly number[];
};

/** `hold-to-see`: nothing more goes out before the run has seen to the hold of the batch. */
export type ProbeSubmissionResult =
  | ProbeResult<SubmitRevisionsResult>
  | {
      readonly kind: 'hold-to-see';
      /** How many were made so far. */
      readonly attempts: number;
      readonly unheard?: readonly number[];
    };

export interface SubmitAgainResult {
  readonly documents: readonly {
    readonly index: number;
    readonly end: /** The service does not have the upload any more, by the word of the submission itself. */
      | { readonly kind: 'consumed' }
      /** It was there after all, and is a revision now. */
      | {
          readonly kind: 'submitted';
          readonly revisionId: string | null;
          readonly paired: 'certain' | 'by-order' | 'unknown';
        }
      | { readonly kind: 'unclear' };
  }[];
  readonly atMs: number;
  /** The others were not submitted: the run has to see to the hold of the batch. `attempts`: made so far. */
  readonly holdToSee?: { readonly attempts: number };
}

export interface SubmitRevisionsInput {
  readonly project: ProjectRef;
  readonly items: readonly SubmitItem[];
  readonly asked: Asking;
  /**
   * Nothing goes out from then on, Unix ms by Temporal's clock: what was agreed to be ended may not be what
   * runs.
   */
  readonly sendByMs?: number;
}

/** For what submits at later attempts, too: by then another Temporal may carry the batch. */
export interface HoldLook {
  /** Whose hold is looked at before each submission; absent where nobody takes up that it is not seen. */
  readonly batch?: BatchRef;
  /** The run has not seen it right before it asked either. */
  readonly isHoldToSee?: true;
  /** How many attempts there were before the run saw to the hold; these are the next ones. */
  readonly attemptsBefore?: number;
}

export type ProbeSubmissionInput = SubmitRevisionsInput & HoldLook & { readonly giveUpAfter?: number };

export type SubmitAgainInput = Omit<SubmitRevisionsInput, 'asked' | 'sendByMs'> & HoldLook;

export interface ConflictItem {
  readonly index: number;
  readonly uploadId: UploadId;
  /** Position in `texts` of what people were told last: why it cannot be submitted. */
  readonly said: number;
  /** An earlier one of these activities has submitted it, and could not tell what became of it. */
  readonly isUntold: boolean;
}

export interface WaitOutConflictsInput {
  readonly project: ProjectRef;
  readonly items: readonly ConflictItem[];
  readonly texts: readonly string[];
  /** When they are looked at first, Unix ms, and how often from then on. */
  readonly dueMs: number;
  readonly pace: LookPace;
  /** Look at once and submit nothing: only documents that are gone are returned. */
  readonly onlyLook?: boolean;
  /** Whose hold is looked at before each submission; absent where nobody takes up `holdToSee`. */
  readonly batch?: BatchRef;
  readonly asked: Asking;
}

export interface WaitOutConflictsResult {
  /** Documents of which there is something else to tell than before. */
  readonly documents: readonly {
    readonly index: number;
    readonly end:
      | {
          readonly kind: 'submitted';
          readonly revisionId: string | null;
          readonly paired: 'certain' | 'by-order' | 'unknown';
        }
      /** Something else stands against it. */
      | { readonly kind: 'conflict'; readonly refusal: Refusal }
      /** Gone, or refused for another reason: the usual steps of a document find out which. */
      | { readonly kind: 'changed' }
      /** As `changed`, but it may have been submitted by a request that got no response. */
      | { readonly kind: 'unheard' };
  }[];
  /** How often they were refused, as far as is known, and when last, Unix ms. */
  readonly refused: { readonly times: number; readonly lastMs: number };
  readonly atMs: number;
  /** The others were due and not submitted: it was not seen that the batch is still carried from here. */
  readonly holdToSee?: true;
}

export interface BatchRef {
  readonly share: string;
  readonly batchId: string;
}

export type OpenBatchResult =
  | {
      readonly kind: 'open';
      readonly project: ProjectRef;
      readonly policy: BatchPolicy;
      readonly documents: readonly BatchDocument[];
      /** Absent for none. */
      readonly registers?: readonly RegisterHeader[];
      readonly known: readonly KnownProgress[];
      /**
       * Documents in doubt are told also when their turn to be submitted has come (`appendRecord`), not only
       * here; absent from earlier versions.
       */
      readonly tellsDoubts?: true;
      /**
       * The share keeps how documents came to their values: what the analysis found, who answered,
       * what they waited for. Absent from earlier versions.
       */
      readonly keepsHow?: true;
      /** A name that we give may be written while the analysis runs; where this is absent, only after it. */
      readonly namesEarly?: true;
      /** Whether the batch is still this Temporal's can be asked by itself (`requireHold`). */
      readonly tellsHold?: true;
      /** Of the run that `asked`: its history lacks what the run before its reset has done since. */
      readonly afterReset?: true;
    }
  /**
   * Claimed for another project than the share's is now, and nothing of it was sent: it is sealed anew for
   * that one.
   */
  | { readonly kind: 'moved'; readonly project: ProjectRef }
  /** A final receipt exists; what was left to move has been moved. */
  | { readonly kind: 'settled'; readonly summary: BatchSummary };

/** How far a file is that was left for a later call: its session, without a secret. */
export interface SentSoFar {
  readonly index: number;
  /** null: not begun, or to be begun anew. */
  readonly progress: LeftProgress | null;
}

/** All dates are by Temporal's clock, for the next call may be another host's. */
export interface LeftProgress extends FileProgress, Waited {}

/** What the run itself knows of a file whose bytes are with the service. */
export interface Waited {
  /**
   * When the run heard that the file was reported, Unix ms: not before it was. Files that one call left, and
   * only these, have the same. Absent in runs that began with an earlier version.
   */
  readonly heardAtMs?: number;
  /** A file of this batch that was certainly reported later has been released. */
  readonly isPassed?: true;
}

export interface TransferFilesInput extends BatchRef {
  readonly project: ProjectRef;
  readonly indexes: readonly number[];
  /**
   * true: send until all is sent, however long it takes; else what is not sent soon is left for a later call.
   */
  readonly isLong?: boolean;
  /**
   * Sessions older than this are begun anew, since the batch would not link them; absent in runs that began
   * with an earlier version.
   */
  readonly linkWithinMs?: number;
  /** Of files that were left before. */
  readonly begun?: readonly SentSoFar[];
}

export interface TransferFilesResult {
  readonly files: readonly TransferredFile[];
  readonly refused: readonly { readonly index: number; readonly reason: Reason }[];
  /** Not sent or not released for use in the time of the call; absent when there are none. */
  readonly left?: readonly SentSoFar[];
  /**
   * Unix ms by Temporal's clock. Of the files that became available, when the latest was reported as sent, or
   * somewhat earlier; see AwaitFilesInput.
   */
  readonly releasedMs?: number;
}

/** Files whose bytes are with the service, which has not released them for use yet. */
export interface AwaitFilesInput {
  readonly project: ProjectRef;
  readonly files: readonly (TransferredFile & Waited & { readonly reportedAtMs: number })[];
  /**
   * Unix ms by Temporal's clock. A file that was reported then, or somewhat later, has been released: one
   * that was heard of before and is still kept has been passed over.
   */
  readonly releasedMs: number;
  /** Bytes older than this are to be sent again. */
  readonly linkWithinMs: number;
  /** All that the batch still does is to wait for these: that it does so for long is told (`isLong`). */
  readonly tellsLong?: true;
}

/** By index; what is not named goes on waiting. */
export interface AwaitFilesResult {
  readonly files: readonly TransferredFile[];
  readonly releasedMs: number;
  /** The session is gone or too old: to be sent again, which is nobody's fault. */
  readonly again: readonly number[];
  /** Kept back though later files were released. */
  readonly overdue: readonly { readonly index: number; readonly reason: Reason }[];
  /** None is released, for longer than is usual. Only where the input asks for that. */
  readonly isLong?: true;
}

export interface SettleUpInput extends BatchRef {
  readonly outcomes: readonly DocumentOutcome[];
  /** Documents a person still has to decide about; only without a final receipt. */
  readonly held: readonly { readonly index: number; readonly reason: Reason }[];
  /**
   * Documents that go on by themselves, and why they have not ended: were held and somebody has answered, or
   * wait for an earlier revision. Absent for none.
   */
  readonly goingOn?: readonly { readonly index: number; readonly reason: Reason }[];
  readonly final: boolean;
}

export interface AppendRecordInput extends BatchRef {
  readonly record: JournalRecord;
  /**
   * With an intent: documents whose turn has not come are left out of the record, and returned. `ended`:
   * documents of the batch that have an outcome. `matches`: by what the service finds the document of each,
   * where it shows that.
   */
  readonly inTurn?:
    | {
        readonly ended: readonly number[];
        readonly matches?: readonly { readonly index: number; readonly matches: string }[];
        /** The requirement by which each is about to be submitted; absent where that is not known. */
        readonly required?: AppliedRequirements;
        /** Documents that a person lets go though a later revision went before them. */
        readonly confirmed?: readonly number[];
        /**
         * For each document, the codes that it was held for and that people let pass; absent from earlier
         * versions.
         */
        readonly meant?: readonly { readonly index: number; readonly codes: readonly string[] }[];
      }
    | undefined;
}

export interface FindTurnsInput extends BatchRef {
  readonly indexes: readonly number[];
  readonly ended: readonly number[];
}

/**
 * For each step, a text that changes whenever a document of the project has passed that step, whichever batch
 * it is of.
 */
export interface PassesResult {
  readonly linking: string;
  readonly submitting: string;
}

export interface OpenBatchInput extends BatchRef {
  readonly manifestSha256?: string | undefined;
  /**
   * What the run can be told: from 1 on, also which documents are not to be sent, and what the share can do.
   * Absent from earlier versions, which would send them all the same.
   */
  readonly knows?: 1;
  /** From a run that opens its batch once more to hear what other runs have noted. */
  readonly asked?: Asking;
}

/** `ended`: documents that have ended, of which the share may not know yet. */
export interface AnnounceBatchInput extends BatchRef {
  readonly ended: readonly number[];
}

/** `key`: a repeat with the same one returns the same batches. */
export interface ClaimFilesInput {
  readonly share: string;
  readonly key: string;
  readonly folder?: string | undefined;
  readonly paths?: readonly string[] | undefined;
}

export interface ClaimFilesResult {
  readonly project: ProjectRef;
  readonly batchIds: readonly string[];
  /** Batches of others that have some of the files: a watcher was faster. */
  readonly followed: readonly string[];
  readonly refused: readonly Reason[];
}
