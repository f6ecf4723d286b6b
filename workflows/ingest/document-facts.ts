// What a run knows of one document of its batch. It changes by the transitions in document-state.ts alone.
import type { SentSoFar } from '../../activities';
import type { EventId, FileUploadId, Overtaker, UploadId, ValuesByField } from '../contract';
import type { HeldAnswer, KeptAnswer } from './answer-contract';
import type { EndedAnalysis } from './decide/keep-analysis';
import type { KeptWait } from './decide/keep-waits';
import type {
  AppliedRequirement,
  BatchDocument,
  DocumentOutcome,
  DocumentStage,
  FieldWrite,
  HeldDocument,
  KnownProgress,
  StoredValue,
  WaitingDocument,
} from './ingest-contract';

/** A question to a person, and what has come of it. */
export type Held = HeldDocument & {
  readonly answer?: HeldAnswer;
  /** The answered values as the service takes them, for an upload that is COMPLETED already. */
  readonly writes?: readonly FieldWrite[];
  /** The answered name of such an upload. It is never written with a file, so it is none of `writes`. */
  readonly name?: FieldWrite;
  /** An answer is being checked: until that is over, neither time nor a retry ends the question. */
  readonly answering?: boolean;
};

/** What the service is told when running workflows of earlier revisions may be ended. */
export interface Termination {
  readonly reason: string;
  readonly statusId: string;
  readonly status: string;
  /** Not to be told later than this, Unix ms; absent where whatever runs may be ended. */
  readonly untilMs?: number;
}

/** Every way of going on with a document is tried a bounded number of times. */
const NO_TRIES = {
  link: 0,
  linkAlone: 0,
  gone: 0,
  submit: 0,
  unknown: 0,
  fileAgain: 0,
  terminate: 0,
  agreed: 0,
  fill: 0,
  unreleased: 0,
  absent: 0,
  pairing: 0,
} as const;
export type Attempt = keyof typeof NO_TRIES;

export class DocumentFacts {
  readonly document: BatchDocument;
  readonly stage: DocumentStage;
  /** From patterns, corrected by people's answers. */
  readonly values: ValuesByField;
  /**
   * Those of `values` that a person gave, which go before a register's row; undefined while nobody has
   * answered.
   */
  readonly answers: ValuesByField | undefined = undefined;
  /** What was asked and answered, for the receipt; the latest ones, undefined for none. */
  readonly given: readonly KeptAnswer[] | undefined = undefined;
  /** What it waited for without a person, where the share keeps that; undefined for nothing. */
  readonly waits: readonly KeptWait[] | undefined = undefined;
  /**
   * `now`: while it is held, one activity submits it again and again. `untold`: one did, and was cut before
   * it could tell whether all of these submissions were answered.
   */
  readonly retried: 'now' | 'untold' | undefined = undefined;
  readonly plan: { readonly now: readonly FieldWrite[]; readonly needsAnalysis: boolean } | undefined =
    undefined;
  readonly uploadId: UploadId | undefined;
  readonly fileUploadId: FileUploadId | undefined;
  readonly openedAtMs: number | undefined;
  /**
   * How far its file was sent, where that takes longer than the batch waits; null when it has to begin anew.
   */
  readonly late: SentSoFar['progress'] | undefined = undefined;
  /** This run, or one before it, saw the upload COMPLETED with this file. */
  readonly completed: boolean;
  /** The analysis has ended, or the time for it has: it is waited for once. */
  readonly analysed: boolean = false;
  /** What the analysis came to, where the share keeps that. */
  readonly analysis: EndedAnalysis | undefined = undefined;
  /** The intent to submit this upload is on the share. */
  readonly intended: boolean;
  /**
   * A submission may have been heard, and its outcome was not told: an upload that is gone can mean
   * submitted.
   */
  readonly mayBeSubmitted: boolean;
  /**
   * Its last submission: `silent` went out without a response, `not-sent` did not go out or met the rate
   * limit, `failed` was answered with a failure of the service that may be an outage.
   */
  readonly unheard: 'silent' | 'not-sent' | 'failed' | undefined = undefined;
  /** The call that tries one submission after the other has not ended: it may have sent this one. */
  readonly isProbed: boolean = false;
  /** The upload is not shown where it should be, and is looked for beside the other documents. */
  readonly absent: boolean = false;
  /**
   * Seen to be this file's upload, as far as the service shows it. Only then may a name be written, for that
   * proves nothing.
   */
  readonly verified: boolean;
  /** The upload was COMPLETED with this file once. People may have edited it since, and their values stay. */
  readonly exposed: boolean;
  /**
   * Another file's bytes lie under this upload: until it is linked anew, no look makes it COMPLETED with
   * ours.
   */
  readonly relink: boolean = false;
  /** The name that was written over the service's own, or is being written. */
  readonly named: string | undefined = undefined;
  /** The call that writes `named` has not ended. */
  readonly isNaming: boolean = false;
  /** By this the service finds the document that the upload is a revision of. */
  readonly matches: string | undefined = undefined;
  /** The upload requirement that applies to it, by its values as they were read last. */
  readonly required: AppliedRequirement | undefined = undefined;
  readonly eventId: EventId | undefined;
  readonly stored: readonly StoredValue[];
  /** What its next submission says. */
  readonly termination: Termination | undefined = undefined;
  /** By this the reviews that it was refused for last are known again, where the service says which. */
  readonly reviews: string | undefined = undefined;
  /** A person's word that just these `reviews` may be ended: said once the service has named them again. */
  readonly agreed: Termination | undefined = undefined;
  /** Requests to link this upload that may have gone out. */
  readonly linksAsked: number;
  readonly tries: Readonly<Record<Attempt, number>> = NO_TRIES;
  readonly notes: readonly string[];
  /** When a person was first asked; an answer starts the clock anew, and so does another question. */
  readonly heldSinceMs: number | undefined = undefined;
  /** What was asked then. */
  readonly heldFor: HeldDocument['question'] | undefined = undefined;
  readonly held: Held | undefined = undefined;
  /** What a person said to its last question, until it ends or is asked again. */
  readonly answered: KeptAnswer | undefined = undefined;
  /**
   * A later revision went first while nobody ran the batch; a person decides whether this one goes all the
   * same.
   */
  readonly overtaken: { readonly by: Overtaker; readonly isConfirmed: boolean } | undefined;
  /** Codes of the doubts about it that a person has put aside; undefined for none. */
  readonly meant: readonly string[] | undefined = undefined;
  /** It could be submitted, but an earlier revision of it comes first. */
  readonly inLine: WaitingDocument | undefined = undefined;
  readonly outcome: DocumentOutcome | undefined;

  /** @param known what the journal on the share says of it. */
  constructor(document: BatchDocument, known?: KnownProgress) {
    const intended = known?.intended === true;
    this.document = document;
    this.stage = known?.outcome?.kind ?? 'waiting';
    this.values = document.values;
    this.uploadId = known?.uploadId;
    this.fileUploadId = known?.fileUploadId;
    this.openedAtMs = known?.openedAtMs;
    this.eventId = known?.eventId;
    this.completed = intended || known?.completed === true;
    this.exposed = this.completed;
    this.intended = intended;
    this.mayBeSubmitted = intended;
    // What was about to be submitted had been looked at.
    this.verified = intended;
    this.stored = known?.outcome?.stored ?? [];
    // How often earlier runs asked to link it is not known: once is assumed.
    this.linksAsked = known?.uploadId === undefined ? 0 : 1;
    this.notes = [...(known?.outcome?.notes ?? [])];
    this.overtaken =
      known?.overtakenBy === undefined ? undefined : { by: known.overtakenBy, isConfirmed: false };
    this.outcome = known?.outcome;
  }
}

/** Has no outcome, is not held, and is not looked for; it may still wait for its turn or its file. */
export function isUnderway({ outcome, held, absent }: DocumentFacts): boolean {
  return outcome === undefined && held === undefined && !absent;
}

/** Answered, or about to be: nothing else decides about it. */
export function isAnswered({ answer, answering }: Held): boolean {
  return answer !== undefined || answering === true;
}
