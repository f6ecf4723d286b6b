// What a batch's run, its activities and its clients say to each other: inputs, results, the journal,
// messages. Plain data only; everything here must survive JSON. Sizes matter: a batch of 100
// documents stays under 64 KiB a payload.

import { z } from 'zod';
import type {
  EventId,
  FileUploadId,
  Naming,
  Overtaker,
  Reason,
  RevisionId,
  UploadId,
  ValuesByField,
} from '../contract';
import { defineQuery, defineSignal } from '../contract';
import { isObject, shareName } from '../run/input-fields';
import type { KeptAnswer } from './answer-contract';
import type { KeptAnalysis } from './decide/keep-analysis';
import type { KeptWait } from './decide/keep-waits';

/** What to do when the target container's revisions have active workflows (Step 8, WORKFLOW_CONFLICT). */
export type ConflictPolicy =
  | { readonly kind: 'ask' }
  | { readonly kind: 'terminate'; readonly reason: string; readonly status: string }
  | { readonly kind: 'wait' }
  | { readonly kind: 'set-apart' };

/** A field and the value ids or texts to write into it (Step 6, `fields[]`). */
export interface FieldWrite {
  readonly fieldId: string;
  readonly values: readonly string[];
}

/** The share's rules as they stood when the batch was opened. */
export interface BatchPolicy {
  readonly conflict: ConflictPolicy;
  /** A document that still lacks a required value: wait for a person, or set it apart at once. */
  readonly missing: 'hold' | 'set-apart';
  /** How long a held document waits for a person before it is set apart. */
  readonly holdMs: number;
  /** The least time between two looks at a held conflict under the policy `wait`. */
  readonly conflictRetryMs: number;
  /**
   * Analysis polling (specification, Limits): first look, interval, by when most have ended (`typicalMs`),
   * and how long we look in all.
   */
  readonly analysis: {
    readonly firstLookMs: number;
    readonly everyMs: number;
    readonly typicalMs: number;
    readonly forMs: number;
  };
  /**
   * An upload that should be there and is not shown is looked for again: how often, and for how long in all.
   */
  readonly lookAgain: { readonly everyMs: number; readonly forMs: number };
  /** Files one transfer activity carries. */
  readonly transferChunk: number;
  /** Bytes older than this are sent again before they are linked (the service unlinks them after 24 h). */
  readonly linkWithinMs: number;
  /** Lowest priority: written only into fields that are still empty. */
  readonly defaults: ValuesByField;
  /** Highest priority: nobody else says anything of these fields. Absent for none. */
  readonly values?: ValuesByField;
  /** How the rows of a register are read. Absent in runs that were begun before there were registers. */
  readonly register?: RegisterRules;
  readonly naming: Naming;
  /** Fields that the share's patterns read from names; each must be a field of the project. */
  readonly patternFields: readonly string[];
  /** One upload a request in Step 4, so that no response can change places with another. */
  readonly createOneByOne: boolean;
}

/** The share's settings for what registers say. */
export interface RegisterRules {
  /** Header to the name or label of a field. */
  readonly synonyms: Readonly<Record<string, string>>;
  /** Which of day and month comes first where both could be meant; absent: such a date is a fault. */
  readonly dates?: 'day-month-year' | 'month-day-year';
  /** What says "leave it empty" in a cell. */
  readonly emptyWord: string;
  /** Whether files that no row is about wait for a person. */
  readonly unlisted: 'hold' | 'process';
}

/** The header of a register that files of a batch came with. */
export interface RegisterHeader {
  /** Relative to the drop folder. */
  readonly path: string;
  /** From column A on; empty where a column has none. */
  readonly headers: readonly string[];
}

/** One row of a register: raw texts, of columns that are no fields as well. */
export interface RegisterTexts {
  /** As the spreadsheet program counts. */
  readonly number: number;
  /** From column A on; the row may end early. */
  readonly cells: readonly string[];
  /** Columns (from 0) whose cells are numbers; absent for none. */
  readonly numbers?: readonly number[] | undefined;
  /** Columns (from 0) whose cells are numbers that the sheet shows otherwise; absent for none. */
  readonly otherwise?: readonly number[] | undefined;
  /** Columns (from 0) whose cells show errors; absent for none. */
  readonly errors?: readonly number[] | undefined;
  /** Columns (from 0) whose cells are dates or times; absent for none. */
  readonly dates?: readonly number[] | undefined;
  /** Columns (from 0) whose cells are TRUE or FALSE; absent for none. */
  readonly booleans?: readonly number[] | undefined;
  /** By column (from 0): the number itself where the sheet shows it as something else; absent for none. */
  readonly plain?: Readonly<Record<number, string>> | undefined;
}

/** What the register says of one file that came with it. */
export interface RegisterEntry {
  /** Position among the registers of the batch. */
  readonly register: number;
  /** Absent: no row counts for the file. */
  readonly row?: RegisterTexts | undefined;
  /** Why no row counts for the file, or its row cannot be used; absent where no row is about the file. */
  readonly faults?: readonly string[] | undefined;
}

/** One file of a batch as the workflow knows it; hashes stay in the manifest on the share. */
export interface BatchDocument {
  readonly index: number;
  /** Relative to the drop folder, `/` between parts; for people only, never used to build a path. */
  readonly path: string;
  /** Last part of the path, as the service gets it. */
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly mimeType: string;
  /** From the file name's and the folder's pattern. */
  readonly values: ValuesByField;
  /** Those of `values` that the folder gave; absent for none. */
  readonly fromFolder?: readonly string[];
  /** For a file that came with a register. */
  readonly entry?: RegisterEntry;
  /** Set when the file cannot travel at all (empty, over the limit, name not UTF-8). */
  readonly refused?: Reason;
  /** Set when nothing is to be sent of it: it is the present revision already. */
  readonly skip?: Reason;
  /** Set when it is sent only if a person says so: it seems to be double, or to come too late. */
  readonly doubt?: Reason;
}

/** What names, folders, registers and people say of a document. */
export interface SaidOfDocument extends Pick<BatchDocument, 'values' | 'fromFolder' | 'entry'> {
  /** By name or label of a field; those of `values` that a person gave. Absent while nobody has answered. */
  readonly answers?: ValuesByField;
}

/** What goes before names and folders, for all documents of a batch. */
export interface RegisterInput {
  /** `values` of the share. */
  readonly forced?: ValuesByField;
  readonly register?: { readonly rules: RegisterRules; readonly registers: readonly RegisterHeader[] };
}

/** What the journal on the share knows of a document from an earlier run. */
export interface KnownProgress {
  readonly index: number;
  readonly fileUploadId?: FileUploadId;
  /** When the file upload was opened, Unix ms; it expires 24 h later unless linked. */
  readonly openedAtMs?: number;
  readonly uploadId?: UploadId;
  /** The upload was seen COMPLETED by us. */
  readonly completed?: boolean;
  /** We recorded that we were about to submit this upload. */
  readonly intended?: boolean;
  /**
   * The event id that it was about to be submitted with: stale by now perhaps, but enough to be told by the
   * service that the upload is consumed.
   */
  readonly eventId?: EventId;
  /** While nobody ran the batch, this later one went first. */
  readonly overtakenBy?: Overtaker;
  readonly outcome?: DocumentOutcome;
}

export interface StoredValue {
  readonly label: string;
  readonly value: string;
  /** A `ValueSource`; absent in outcomes that were noted before sources were. */
  readonly from?: string | undefined;
}

/**
 * Who can give a document's value, highest first: each goes before all that follow it. `row F` is column F of
 * the register's row.
 */
export type ValueSource = 'share' | 'person' | `row ${string}` | 'name' | 'folder' | 'service' | 'default';

/** The upload requirement that applies to a document: why it does, in words, and what it asks for. */
export interface AppliedRequirement {
  readonly when: string;
  readonly asks: readonly string[];
}

/** Which requirement applies to which document: `requirement` is its position in `requirements`. */
export interface AppliedRequirements {
  readonly requirements: readonly AppliedRequirement[];
  readonly documents: readonly { readonly index: number; readonly requirement: number }[];
}

/** How a document ended. */
export type DocumentOutcome = {
  readonly index: number;
  readonly uploadId?: UploadId;
  /** Field labels and values as the service stored them when last read. */
  readonly stored?: readonly StoredValue[];
  readonly notes?: readonly string[];
  /** Absent where it was not waited for. */
  readonly analysis?: KeptAnalysis;
  /** The latest ones, in their order; absent for none. */
  readonly answers?: readonly KeptAnswer[];
  /** The latest ones, in their order; absent for none. */
  readonly waits?: readonly KeptWait[];
} & (
  | {
      readonly kind: 'submitted';
      /** null: submitted for certain, but the response that named the revision was lost. */
      readonly revisionId: RevisionId | null;
      /**
       * The response lists revision ids without upload ids: `certain` only where one document was submitted.
       */
      readonly paired: 'certain' | 'by-order' | 'unknown';
      readonly submittedAtMs: number;
    }
  | { readonly kind: 'set-apart'; readonly reason: Reason }
  /** It became nothing, and need not: the same file is the present revision already. */
  | { readonly kind: 'skipped'; readonly reason: Reason }
);

/** Immutable facts written beside the batch on the share; order between records does not matter. */
export type JournalRecord =
  | { readonly kind: 'transferred'; readonly files: readonly TransferredFile[] }
  | { readonly kind: 'created'; readonly uploads: readonly { index: number; uploadId: UploadId }[] }
  | { readonly kind: 'completed'; readonly uploads: readonly { index: number; uploadId: UploadId }[] }
  /**
   * With the event id that goes out: whoever takes the batch up from here can ask the
   * submission itself what became of it.
   */
  | {
      readonly kind: 'intent';
      readonly uploads: readonly { index: number; uploadId: UploadId; eventId?: EventId }[];
    }
  /** By what the service finds the document that an upload is a revision of (`match_criteria`). */
  | { readonly kind: 'matched'; readonly documents: readonly { index: number; matches: string }[] }
  /** By which requirement each was about to be submitted: the project may ask for something else tomorrow. */
  | { readonly kind: 'required'; readonly documents: readonly ({ index: number } & AppliedRequirement)[] }
  /** Written by those that went first, into the journal of the batch that they did not wait for. */
  | { readonly kind: 'overtaken'; readonly documents: readonly { index: number; by: Overtaker }[] }
  | { readonly kind: 'outcome'; readonly outcomes: readonly DocumentOutcome[] };

export interface TransferredFile {
  readonly index: number;
  readonly fileUploadId: FileUploadId;
  readonly openedAtMs: number;
}

export const ingestBatchInput = z.strictObject({
  share: shareName,
  batchId: z
    .string()
    .regex(/^[0-9a-z][0-9a-z-]{7,63}$/, 'a batch id as on the share, for example 20260131-093000-k3f9a2'),
  manifestSha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits')
    .optional(),
  /** For tests: another run goes on once the history has this many events. */
  continueAfterEvents: z.number().int().positive().optional(),
  /** State of the run before, which ended because its history was long; never given by hand. */
  carried: z.unknown().optional(),
});
/** Carries one claimed batch to its end. Started by the watcher; by hand to continue a batch. */
export type IngestBatchInput = z.infer<typeof ingestBatchInput>;

export const ingestFilesInput = z
  .strictObject({
    share: shareName,
    folder: z.string().min(1).max(1_000).optional(),
    paths: z.array(z.string().min(1).max(1_000)).min(1).max(10_000).optional(),
  })
  .refine(input => (input.folder === undefined) !== (input.paths === undefined), {
    message: 'give either "folder" or "paths", both relative to the drop folder of the share',
    when: isObject,
  });
/** Claims files of a share's drop folder now, without waiting for them to settle, and carries them in. */
export type IngestFilesInput = z.infer<typeof ingestFilesInput>;

export interface BatchSummary {
  readonly batchId: string;
  readonly submitted: number;
  readonly setApart: number;
  /** There already; absent for none. */
  readonly skipped?: number;
  /** Submitted for certain, but the response that named the revision was lost; absent for none. */
  readonly idsNotTold?: number;
  /** Where the receipt is, relative to the share. */
  readonly receipts: readonly string[];
  /** The share's project by now: the batch was claimed for another one, and another run carries it there. */
  readonly movedTo?: string;
}

export interface IngestFilesResult {
  readonly batches: readonly BatchSummary[];
  /** Why others of the files were not claimed; absent where all were. */
  readonly refused?: readonly Reason[];
}

export type DocumentStage =
  | 'waiting'
  | 'planning'
  | 'transferring'
  | 'releasing'
  | 'linking'
  | 'analysing'
  | 'completing'
  | 'submitting'
  | 'in-line'
  | 'held'
  | 'answered'
  | 'submitted'
  | 'set-apart'
  | 'skipped';

export interface HeldDocument {
  readonly index: number;
  readonly path: string;
  /**
   * `overtaken`: nobody ran its batch, so a later revision went first; it is not put
   * on top of that one in silence. `duplicate`: by what was sent before, it seems to be double, or to come
   * too late.
   */
  readonly question: 'missing-values' | 'workflow-conflict' | 'overtaken' | 'duplicate';
  readonly reason: Reason;
  /** Labels of the fields that still need a value. */
  readonly missing?: readonly string[];
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** A document that waits for an earlier revision of it, without anybody having to do anything. */
export interface WaitingDocument {
  readonly index: number;
  readonly path: string;
  readonly reason: Reason;
  readonly sinceMs: number;
}

/** A document that was held and has an answer: nobody need give another one. */
export interface AnsweredNow {
  readonly index: number;
  readonly path: string;
  /** Absent while it is being checked: it may be refused still, and then the document waits as before. */
  readonly answer?: KeptAnswer;
}

export interface BatchProgress {
  readonly batchId: string;
  readonly share: string;
  readonly documents: number;
  readonly stages: Readonly<Partial<Record<DocumentStage, number>>>;
  readonly held: readonly HeldDocument[];
  /** Not among `held` any more, and not ended either; absent when there are none. */
  readonly answered?: readonly AnsweredNow[];
  /** Absent when there are none. */
  readonly inLine?: readonly WaitingDocument[];
  /** Why the whole batch stands still, if it does. */
  readonly blocked?: { readonly reason: Reason; readonly sinceMs: number };
}

/** Where every document of the batch stands. */
export const progressQuery = defineQuery<BatchProgress>('progress');

/** Uploads of documents that have not ended: whoever is told of one finds its batch by this. */
export const uploadsQuery = defineQuery<readonly UploadId[]>('uploads');

/**
 * The service told of these uploads: what waits for one looks without delay, though no more than once in a
 * while. Nothing of it is believed.
 */
export const lookSignal = defineSignal<[{ uploadIds: readonly string[] }]>('look');
