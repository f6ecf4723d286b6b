// What a running batch knows of its documents. Only stages change it; queries and the live details are drawn from it.
import { log, setCurrentDetails } from '@temporalio/workflow';
import type { SentSoFar } from '../../activities';
import type {
  BatchDocument,
  BatchPolicy,
  BatchProgress,
  DocumentOutcome,
  DocumentStage,
  EventId,
  FieldWrite,
  FileUploadId,
  HeldAnswer,
  HeldDocument,
  InLine,
  KnownProgress,
  Overtaker,
  ProjectRef,
  Reason,
  StoredValue,
  UploadId,
  ValuesByField,
  WaitingDocument,
} from '../contract';
import { type CarryOver, unpackDocuments } from './carry-over';
import { describeProgress } from './decide/describe-progress';
import { explainInDoubt } from './decide/judge-refusal';
import { Hints } from './hints';
import { Passage } from './passage';

/** A question to a person, and what has come of it. */
export type Held = HeldDocument & {
  answer?: HeldAnswer;
  /** What the values of the answer are to the service, for an upload that is COMPLETED already. */
  writes?: readonly FieldWrite[];
  /** An answer is looked at: until that is over, neither time nor a retry ends the question. */
  answering?: boolean;
};

export interface DocumentState {
  document: BatchDocument;
  stage: DocumentStage;
  /** From patterns, corrected by people's answers. */
  values: ValuesByField;
  plan?: { readonly now: readonly FieldWrite[]; readonly needsAnalysis: boolean } | undefined;
  uploadId?: UploadId | undefined;
  fileUploadId?: FileUploadId | undefined;
  openedAtMs?: number | undefined;
  /** Its file is sent, released or linked later than the others': a strand beside them takes care of it. */
  late?: SentSoFar['progress'] | undefined;
  /** Seen COMPLETED with this file, by us. */
  completed: boolean;
  /** The analysis has ended, or its time has: it is waited for once. */
  analysed: boolean;
  /** The intent to submit this upload is on the share. */
  intended: boolean;
  /** A submission of this upload may have been heard, and its fate was not told: gone can mean submitted. */
  mayBeSubmitted: boolean;
  /** The last submission of it: `silent` went out and was not answered, `not-sent` was kept back or refused for its rate. */
  unheard?: 'silent' | 'not-sent' | undefined;
  /** Not shown where it should be: looked for beside the others until that is settled. */
  absent: boolean;
  /** Seen to be this file's, so far as the service shows it: from then on we may write a name, which proves nothing. */
  verified: boolean;
  /** COMPLETED once with this file, for everybody to see: people may have edited it since, and their values stay. */
  exposed: boolean;
  /** Another file's bytes lie under this upload: until it is linked anew, no look makes it COMPLETED with ours. */
  relink: boolean;
  /** The name that we wrote over the service's own. */
  named?: string | undefined;
  /** By this the service finds the document that the upload is a revision of. */
  matches?: string | undefined;
  eventId?: EventId | undefined;
  stored: readonly StoredValue[];
  termination?: { readonly reason: string; readonly statusId: string; readonly status: string } | undefined;
  /** Requests to link this upload that may have gone out. */
  linksAsked: number;
  /** How often each way of going on was tried; every way has its bound. */
  readonly tries: Record<
    | 'link'
    | 'linkAlone'
    | 'gone'
    | 'submit'
    | 'unknown'
    | 'fileAgain'
    | 'terminate'
    | 'fill'
    | 'unreleased'
    | 'absent'
    | 'pairing',
    number
  >;
  readonly notes: string[];
  /** When a person was first asked; an answer starts the clock anew. */
  heldSinceMs?: number | undefined;
  held?: Held | undefined;
  /** A later revision went first while nobody ran the batch; a person decides whether this one goes all the same. */
  overtaken?: { readonly by: Overtaker; readonly isConfirmed: boolean } | undefined;
  /** Ready, but an earlier revision of it comes first. */
  inLine?: WaitingDocument | undefined;
  outcome?: DocumentOutcome;
}

/** Without an outcome, and neither held nor looked for: whoever carries it goes on with it. */
export function isUnderway({ outcome, held, absent }: DocumentState): boolean {
  return outcome === undefined && held === undefined && !absent;
}

/** Notices that begin alike say the same, with other numbers in them. */
const NOTE_KIND_CHARS = 60;

export class BatchState {
  readonly share: string;
  readonly batchId: string;
  readonly project: ProjectRef;
  policy: BatchPolicy;
  readonly documents: readonly DocumentState[];
  blocked: BatchProgress['blocked'];
  /** Step 6 and Step 8, as this batch meets them. */
  readonly linking = new Passage();
  readonly submitting = new Passage();
  /** What events of the service say is worth a look. */
  readonly hints = new Hints();
  /** Counts `resume` signals; whoever waits for one compares it with what it saw. */
  resumes = 0;
  /** Counts what the project's coordinator has said; whoever stands in line looks again. */
  turns = 0;
  /** Whether the history has grown so long that this run should end for another one. */
  wantsToLeave: () => boolean = () => false;
  /** Strands in the middle of something that no other run could go on with. */
  busy = 0;
  /** Takes care of everything that is held, until nothing is. */
  attendHeld: () => Promise<void> = async () => undefined;
  #isAttended = false;
  /** When the latest of the batch's files that the service released was reported, Unix ms. */
  releasedMs = 0;
  /** Takes documents on, from wherever they stand to their end: files that were late, uploads that were found again. */
  carryOn: (states: readonly DocumentState[]) => Promise<void> = async () => undefined;
  /** Runs after each strand beside the others has ended. */
  afterStrand: () => Promise<void> = async () => undefined;
  /** Documents whose outcomes are on the share. */
  readonly noted: Set<number>;
  readonly #side: Promise<void>[] = [];
  readonly #said = new Set<string>();

  constructor(
    ref: { readonly share: string; readonly batchId: string },
    opened: {
      readonly project: ProjectRef;
      readonly policy: BatchPolicy;
      readonly documents: readonly BatchDocument[];
      readonly known: readonly KnownProgress[];
    },
    carried?: CarryOver,
  ) {
    this.share = ref.share;
    this.batchId = ref.batchId;
    this.project = opened.project;
    this.policy = opened.policy;
    const known = new Map(opened.known.map(progress => [progress.index, progress]));
    this.documents = opened.documents.map(document => toState(document, known.get(document.index)));
    this.noted = new Set(this.outcomes.map(({ index }) => index));
    if (carried !== undefined) unpackDocuments(this.documents, carried);
  }

  /** Documents without an outcome that nothing waits for: no person, no turn, no upload that is looked for. */
  get underway(): readonly DocumentState[] {
    return this.documents.filter(state => isUnderway(state) && state.inLine === undefined);
  }

  get heldNow(): readonly DocumentState[] {
    return this.documents.filter(state => state.outcome === undefined && state.held !== undefined);
  }

  /** Documents whose files are late. */
  get lateNow(): readonly DocumentState[] {
    return this.documents.filter(state => state.outcome === undefined && state.late !== undefined);
  }

  get inLineNow(): readonly WaitingDocument[] {
    return this.documents.flatMap(({ inLine }) => (inLine === undefined ? [] : [inLine]));
  }

  get outcomes(): readonly DocumentOutcome[] {
    return this.documents.flatMap(state => (state.outcome === undefined ? [] : [state.outcome]));
  }

  /** Runs beside the others until `waitForHeld`: a document that waits for somebody holds nobody else back. */
  beside(work: Promise<void>): void {
    // Collected by waitForHeld; until then a rejection must not count as unhandled.
    const ended = work.then(() => this.afterStrand());
    ended.catch(() => undefined);
    this.#side.push(ended);
  }

  /** Until no document is held, in line, or on its way after having been that; throws the first error. */
  async waitForHeld(): Promise<void> {
    for (let next = this.#side.shift(); next !== undefined; next = this.#side.shift()) await next;
  }

  /** The share's configuration was read again. What a person has answered for stays as it was answered. */
  reconfigure(again: { readonly policy: BatchPolicy; readonly documents: readonly BatchDocument[] }): void {
    this.policy = again.policy;
    const documents = new Map(again.documents.map(document => [document.index, document]));
    for (const state of this.documents) {
      const document = documents.get(state.document.index);
      if (document === undefined || state.outcome !== undefined) continue;
      if (state.values === state.document.values) state.values = document.values;
      state.document = document;
    }
  }

  /** For the receipt, with the first document that it concerns, and the log: once a batch. */
  noteOnce(states: readonly DocumentState[], text: string): void {
    const kind = text.slice(0, NOTE_KIND_CHARS);
    if (this.#said.has(kind)) return;
    this.#said.add(kind);
    states[0]?.notes.push(text);
    log.warn(text, { ...this.#ref(), event: 'batch-notice' });
  }

  move(states: readonly DocumentState[], stage: DocumentStage): void {
    for (const state of states) state.stage = stage;
    this.show();
  }

  submitted(
    state: DocumentState,
    revisionId: string | null,
    paired: 'certain' | 'by-order' | 'unknown',
    atMs: number,
  ): void {
    this.#end(state, {
      kind: 'submitted',
      index: state.document.index,
      revisionId: revisionId as never,
      paired,
      submittedAtMs: atMs,
    });
    this.submitting.pass(1);
    log.info(`${state.document.path} is revision ${revisionId ?? '(its id was not told)'}`, {
      ...this.#about(state),
      stage: 'submitted',
      revisionId,
    });
  }

  setApart(state: DocumentState, said: Reason): void {
    // Never a word that makes somebody send a document again which may be a revision.
    const reason = state.mayBeSubmitted ? explainInDoubt(said) : said;
    this.#end(state, { kind: 'set-apart', index: state.document.index, reason });
    log.warn(`${state.document.path} is set apart: ${reason.text}`, {
      ...this.#about(state),
      stage: 'set-apart',
      reason,
    });
  }

  hold(state: DocumentState, held: HeldDocument): void {
    state.held = held;
    state.stage = 'held';
    log.warn(`${state.document.path} is held: ${held.reason.text}`, {
      ...this.#about(state),
      stage: 'held',
      reason: held.reason,
    });
    this.show();
    this.#attend();
  }

  /** Those that were held when an earlier run of the batch was left. */
  holdOn(): void {
    if (this.heldNow.length === 0) return;
    for (const state of this.heldNow) state.stage = 'held';
    this.show();
    this.#attend();
  }

  #attend(): void {
    if (this.#isAttended) return;
    this.#isAttended = true;
    this.beside(this.#attendUntilNone());
  }

  async #attendUntilNone(): Promise<void> {
    // Whoever is held between the last look and the end of this finds nobody who attends, and calls again.
    while (this.heldNow.length > 0) await this.attendHeld();
    this.#isAttended = false;
  }

  /** Shows what each document waits for; logs it when that has changed. */
  waitInLine(line: readonly InLine[], explain: (one: InLine) => Reason, sinceMs: number): void {
    for (const one of line) {
      const state = this.#at(one.index);
      const reason = explain(one);
      if (state.inLine?.reason.text !== reason.text) {
        log.info(`${state.document.path} is in line: ${reason.text}`, {
          ...this.#about(state),
          stage: 'in-line',
          reason,
        });
      }
      state.inLine = { index: one.index, path: state.document.path, reason, sinceMs };
      state.stage = 'in-line';
    }
    this.show();
  }

  /** Their turn has come. Answers their states. */
  leaveLine(indexes: readonly number[]): readonly DocumentState[] {
    return indexes.map(index => {
      const state = this.#at(index);
      state.inLine = undefined;
      return state;
    });
  }

  block(reason: Reason, sinceMs: number): void {
    if (this.blocked === undefined) {
      this.blocked = { reason, sinceMs };
      log.warn(`Batch ${this.batchId} waits: ${reason.text}`, {
        ...this.#ref(),
        event: 'batch-blocked',
        reason,
      });
    }
    this.show();
  }

  unblock(): void {
    if (this.blocked === undefined) return;
    this.blocked = undefined;
    log.info(`Batch ${this.batchId} goes on`, { ...this.#ref(), event: 'batch-resumed' });
    this.show();
  }

  /** Logs that documents passed a stage, for whoever watches live. */
  passed(states: readonly DocumentState[], stage: 'sent' | 'linked' | 'analysed'): void {
    for (const state of states) log.info(`${state.document.path} ${stage}`, { ...this.#about(state), stage });
  }

  progress(): BatchProgress {
    const stages: Partial<Record<DocumentStage, number>> = {};
    for (const { stage } of this.documents) stages[stage] = (stages[stage] ?? 0) + 1;
    return {
      batchId: this.batchId,
      share: this.share,
      documents: this.documents.length,
      stages,
      held: this.heldNow.flatMap(({ held }) => (held === undefined ? [] : [toQuestion(held)])),
      ...(this.inLineNow.length === 0 ? {} : { inLine: this.inLineNow }),
      ...(this.blocked === undefined ? {} : { blocked: this.blocked }),
    };
  }

  show(): void {
    setCurrentDetails(
      describeProgress(
        this.progress(),
        this.outcomes,
        this.documents.map(state => state.document.path),
      ),
    );
  }

  #end(state: DocumentState, outcome: DocumentOutcome): void {
    state.held = undefined;
    state.absent = false;
    state.stage = outcome.kind;
    state.outcome = {
      ...outcome,
      ...(state.uploadId === undefined ? {} : { uploadId: state.uploadId }),
      ...(state.stored.length === 0 ? {} : { stored: state.stored }),
      ...(state.notes.length === 0 ? {} : { notes: state.notes }),
    };
    this.show();
  }

  #at(index: number): DocumentState {
    const state = this.documents[index];
    if (state === undefined) throw new RangeError(`The batch has no document ${index}`);
    return state;
  }

  #ref(): { share: string; batchId: string } {
    return { share: this.share, batchId: this.batchId };
  }

  #about(state: DocumentState): { event: string; share: string; batchId: string; path: string } {
    return { event: 'document', ...this.#ref(), path: state.document.path };
  }
}

function toState(document: BatchDocument, known: KnownProgress | undefined): DocumentState {
  return {
    document,
    stage: known?.outcome?.kind ?? 'waiting',
    values: document.values,
    uploadId: known?.uploadId,
    fileUploadId: known?.fileUploadId,
    openedAtMs: known?.openedAtMs,
    eventId: known?.eventId,
    completed: known?.completed === true || known?.intended === true,
    analysed: false,
    intended: known?.intended === true,
    mayBeSubmitted: known?.intended === true,
    unheard: undefined,
    absent: false,
    // What was about to be submitted had been looked at.
    verified: known?.intended === true,
    exposed: known?.completed === true || known?.intended === true,
    relink: false,
    stored: known?.outcome?.stored ?? [],
    // What the run before did with it is not known.
    linksAsked: known?.uploadId === undefined ? 0 : 1,
    tries: {
      link: 0,
      linkAlone: 0,
      gone: 0,
      submit: 0,
      unknown: 0,
      fileAgain: 0,
      terminate: 0,
      fill: 0,
      unreleased: 0,
      absent: 0,
      pairing: 0,
    },
    notes: [...(known?.outcome?.notes ?? [])],
    ...(known?.overtakenBy === undefined ? {} : { overtaken: { by: known.overtakenBy, isConfirmed: false } }),
    ...(known?.outcome === undefined ? {} : { outcome: known.outcome }),
  };
}

function toQuestion(held: Held): HeldDocument {
  const { answer: _answer, writes: _writes, answering: _answering, ...rest } = held;
  return rest;
}
