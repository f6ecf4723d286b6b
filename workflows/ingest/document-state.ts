// How a document of a batch changes: by these named transitions, and in no other way.
import type { SentSoFar } from '../../activities';
import type { EventId, FileUploadId, Overtaker, UploadId, ValuesByField } from '../contract';
import type { HeldAnswer, KeptAnswer } from './answer-contract';
import { layOver } from './decide/add-given';
import { concludeAnalysis, type EndedAnalysis } from './decide/keep-analysis';
import type { KeptWait } from './decide/keep-waits';
import { type Attempt, DocumentFacts, type Held, isAnswered, type Termination } from './document-facts';
import type {
  AppliedRequirement,
  BatchDocument,
  DocumentOutcome,
  DocumentStage,
  FieldWrite,
  HeldDocument,
  StoredValue,
  WaitingDocument,
} from './ingest-contract';

/** The parts of the service's response to a read that are kept. */
interface Seen {
  readonly matches?: string;
  readonly eventId: EventId;
  readonly stored: readonly StoredValue[];
  readonly required?: AppliedRequirement | undefined;
}

/** A question that was taken back from a person, with what was answered. */
export interface AnsweredDocument {
  readonly state: DocumentState;
  readonly held: Held;
}

/** A document that is asked about again and again keeps what was said last. */
const MOST_KEPT_ANSWERS = 5;

export class DocumentState extends DocumentFacts {
  /** Takes over what the run before has handed on; what it did not know either is unknown. */
  restore(facts: Partial<DocumentFacts>): void {
    this.#change(facts);
  }

  /** The configuration was read again. What a person has answered stays as it was answered. */
  reconfigure(document: BatchDocument): void {
    const isAnswered = this.values !== this.document.values;
    this.#change({ document, values: isAnswered ? this.values : document.values });
  }

  moveTo(stage: DocumentStage): void {
    this.#change({ stage });
  }

  /** For the receipt. */
  note(text: string): void {
    this.#change({ notes: [...this.notes, text] });
  }

  noteOnce(text: string): void {
    if (!this.notes.includes(text)) this.note(text);
  }

  /** Counts one more try; false if there were `most` of them before. */
  mayTry(attempt: Attempt, most: number): boolean {
    const before = this.tries[attempt];
    this.countTry(attempt);
    return before < most;
  }

  countTry(attempt: Attempt): void {
    this.#change({ tries: { ...this.tries, [attempt]: this.tries[attempt] + 1 } });
  }

  forgetTries(attempt: Attempt): void {
    this.#change({ tries: { ...this.tries, [attempt]: 0 } });
  }

  /** Its upload has a file in it that may be another one's, and nothing of ours can take that back. */
  noteLeft(): void {
    this.noteOnce(
      `Upload ${this.uploadId} in the service has a file under another file’s name and was not submitted: delete it there.`,
    );
  }

  // --- Plan, file and upload

  planFor(plan: NonNullable<DocumentFacts['plan']>): void {
    this.#change({ plan });
  }

  /** Step 4 made an upload for it. */
  uploadCreated(uploadId: UploadId): void {
    this.#change({ uploadId, linksAsked: 0, verified: false, exposed: false, relink: false });
    this.forgetTries('gone');
  }

  /** The service does not know it, and nothing can have completed it: another one is made. */
  forgetUpload(): void {
    this.#change({ uploadId: undefined });
  }

  /**
   * Gives it the upload that was made for it, with another file's bytes in it, or none yet. Its own bytes
   * were linked to the upload that it had, and a file upload can be linked once only: they are sent again.
   */
  swapUpload({ uploadId, linksAsked }: Pick<DocumentFacts, 'uploadId' | 'linksAsked'>): void {
    this.#change({
      uploadId,
      linksAsked,
      relink: uploadId !== undefined,
      completed: false,
      // Its values are another file's as well: they are written over.
      exposed: false,
      analysis: undefined,
      eventId: undefined,
    });
    this.forgetFile();
  }

  /** Its bytes are in storage, and the service has released them. */
  fileSent({ fileUploadId, openedAtMs }: { fileUploadId: FileUploadId; openedAtMs: number }): void {
    this.#change({ fileUploadId, openedAtMs });
  }

  /** Its bytes are sent again. */
  forgetFile(): void {
    this.#change({ fileUploadId: undefined, openedAtMs: undefined });
  }

  /** Its file is late: the others do not wait for it. */
  fallBehind(progress: SentSoFar['progress']): void {
    this.#change({ late: progress });
  }

  catchUp(): void {
    this.#change({ late: undefined });
  }

  // --- Linking and reading

  /** A request to link it goes out now. */
  askToLink(): void {
    this.#change({ linksAsked: this.linksAsked + 1 });
  }

  /** The service answered that the upload is linked and COMPLETED. */
  linked(): void {
    this.#change({ completed: true, exposed: true, relink: false });
  }

  /** Not COMPLETED with this file after all: it is linked again. */
  unlinked(): void {
    this.#change({ completed: false });
  }

  /** Read, COMPLETED, and this file's as far as the service shows it. */
  seen({ matches, eventId, stored, required }: Seen): void {
    this.#change({ verified: true, completed: true, exposed: true, matches, eventId, stored, required });
  }

  /** @param analysis what it came to; undefined where that is not kept. */
  analysisEnded(analysis?: EndedAnalysis): void {
    this.#change({ analysed: true, analysis });
  }

  /** The upload should be there and is not shown. */
  missed(): void {
    this.#change({ absent: true });
  }

  /** Shown after all: COMPLETED, or INCOMPLETE, and then it is linked again. */
  shown(isCompleted: boolean): void {
    this.#change({ completed: isCompleted });
  }

  /** No longer looked for. */
  found(): void {
    this.#change({ absent: false });
  }

  /** `name` is being written over the service's own. */
  writeName(name: string | undefined): void {
    this.#change({ named: name, isNaming: true });
  }

  /** The call that writes the name has ended. */
  nameAnswered(): void {
    this.#change({ isNaming: false });
  }

  /** `name` was written over the service's own; undefined when it was refused. */
  nameWritten(name: string | undefined): void {
    this.#change({ named: name, isNaming: false });
  }

  // --- Submitting

  /** Whether the share knows that this upload is about to be submitted. */
  intentNoted(intended: boolean): void {
    this.#change({ intended });
  }

  /** The journal knows that a run which this one knows nothing of was about to submit the upload. */
  intentFound(eventId: EventId | undefined): void {
    this.#change({
      intended: true,
      mayBeSubmitted: true,
      completed: true,
      exposed: true,
      eventId: eventId ?? this.eventId,
    });
  }

  mayHaveBeenSubmitted(): void {
    this.#change({ mayBeSubmitted: true });
  }

  /** Somebody deleted the upload, and nobody can delete what was submitted. */
  cannotHaveBeenSubmitted(): void {
    this.#change({ mayBeSubmitted: false });
  }

  /** Its last submission was answered, or never went out, or neither is known; `failed`: see `unheard`. */
  submissionEnded(how: 'answered' | 'not-sent' | 'silent' | 'failed'): void {
    this.#change({ unheard: how === 'answered' ? undefined : how });
    if (how === 'silent' || how === 'failed') this.mayHaveBeenSubmitted();
  }

  /** Whether the call that tries one submission after the other may send this one just now. */
  probedNow(isProbed: boolean): void {
    this.#change({ isProbed });
  }

  overtakenBy(by: Overtaker): void {
    this.#change({ overtaken: { by, isConfirmed: false } });
  }

  /** A person wants it submitted all the same. */
  confirmOvertaken(): void {
    if (this.overtaken !== undefined) this.#change({ overtaken: { ...this.overtaken, isConfirmed: true } });
  }

  /** A person knows of this doubt, and wants it submitted all the same. */
  putAsideDoubt(code: string): void {
    this.#change({ meant: [...(this.meant ?? []), code] });
  }

  /** Running workflows of earlier revisions may be ended for it. */
  allowTermination(termination: Termination): void {
    this.#change({ termination });
  }

  /** Refused for these reviews: see `reviews`. */
  refusedFor(reviews: string | undefined): void {
    this.#change({ reviews });
  }

  /** The service has just named what a person agreed to end: the next submission may say so until then. */
  sayAgreed(untilMs: number): void {
    if (this.agreed !== undefined) this.#change({ termination: { ...this.agreed, untilMs } });
  }

  /**
   * What a person agreed to is not said any more: other reviews may run by now. A submission without a reply
   * may have said it.
   */
  withdrawAgreedTermination(): void {
    if (this.termination?.untilMs !== undefined) this.#change({ termination: undefined });
  }

  waitForTurn(waiting: WaitingDocument): void {
    this.#change({ inLine: waiting, stage: 'in-line' });
  }

  takeTurn(): void {
    this.#change({ inLine: undefined });
  }

  /** For the receipt. */
  keepWaits(waits: readonly KeptWait[] | undefined): void {
    this.#change({ waits });
  }

  /** Whether one activity submits it again and again while it is held: see `retried`. */
  retriedBeside(how: 'now' | 'untold' | undefined): void {
    this.#change({ retried: how });
  }

  // --- Held for a person

  hold(held: HeldDocument): void {
    // What somebody said to an earlier question is no answer to this one.
    this.#change({
      held,
      heldSinceMs: held.sinceMs,
      heldFor: held.question,
      answered: undefined,
      termination: undefined,
      agreed: undefined,
      stage: 'held',
    });
  }

  /**
   * An answer is being checked. Returns the question as it is from now on; undefined if none can be answered.
   */
  checkAnswer(): Held | undefined {
    if (this.held === undefined || isAnswered(this.held)) return undefined;
    this.#change({ held: { ...this.held, answering: true } });
    return this.held;
  }

  /** The answer that was checked cannot be used; the question stays. */
  refuseAnswer(asked: Held): void {
    if (this.held === asked) this.#change({ held: { ...asked, answering: false } });
  }

  /** The answer that was checked is used. */
  takeAnswer(
    asked: Held,
    answer: HeldAnswer,
    given: {
      readonly writes?: readonly FieldWrite[];
      readonly name?: FieldWrite | undefined;
      readonly termination?: Termination | undefined;
      readonly agreed?: Termination | undefined;
      readonly answers: ValuesByField | undefined;
      readonly kept: KeptAnswer;
    },
  ): void {
    const writes = given.writes === undefined ? {} : { writes: given.writes };
    const name = given.name === undefined ? {} : { name: given.name };
    this.#change({
      answers: given.answers,
      held: { ...asked, ...writes, ...name, answer, answering: false },
      answered: given.kept,
      termination: given.termination,
      agreed: given.agreed,
      heldSinceMs: undefined,
    });
    this.forgetTries('agreed');
  }

  /** For the receipt. */
  keepAnswer(answer: KeptAnswer): void {
    this.#change({ given: [...(this.given ?? []), answer].slice(-MOST_KEPT_ANSWERS) });
  }

  /** Values that a person gave before the upload was COMPLETED: what it gets is planned anew. */
  replan(values: ValuesByField): void {
    this.#change({ values, plan: undefined });
  }

  /**
   * Values that a person gave and that were written: should it be linked anew, it gets these and not the
   * planned ones.
   */
  valuesWritten(values: ValuesByField, writes: readonly FieldWrite[]): void {
    this.#change({ values: layOver(this.values, values) });
    if (this.plan === undefined) return;
    const given = new Set(writes.map(({ fieldId }) => fieldId));
    const now = [...this.plan.now.filter(({ fieldId }) => !given.has(fieldId)), ...writes];
    this.#change({ plan: { ...this.plan, now } });
  }

  endHold(): void {
    this.#change({ held: undefined });
  }

  /** Its end, with what the receipt says of it. */
  end(outcome: DocumentOutcome): void {
    this.#change({
      held: undefined,
      absent: false,
      stage: outcome.kind,
      outcome: {
        ...outcome,
        ...(this.uploadId === undefined ? {} : { uploadId: this.uploadId }),
        ...(this.stored.length === 0 ? {} : { stored: this.stored }),
        ...(this.notes.length === 0 ? {} : { notes: this.notes }),
        ...(this.analysis === undefined ? {} : { analysis: concludeAnalysis(this.analysis, this.stored) }),
        ...(this.given === undefined ? {} : { answers: this.given }),
        ...(this.waits === undefined ? {} : { waits: this.waits }),
      },
    });
  }

  #change(facts: Partial<DocumentFacts>): void {
    Object.assign(this, facts);
  }
}
