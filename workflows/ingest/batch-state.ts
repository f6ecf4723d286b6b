// What a running batch knows of its documents. The stages change it, and beside them what runs the batch:
// ingest-batch.ts (what goes on, what was told), opening.ts (the configuration) and the handlers of
// messages.ts and accept-answers.ts (resumes, turns, answers). Queries and the live details are drawn from
// it.
import { log, patched, setCurrentDetails } from '@temporalio/workflow';
import type { OpenBatchResult } from '../../activities';
import type { InLine, ProjectRef, Reason } from '../contract';
import type { ActivityCalls } from '../run/activity-calls';
import { isLong } from '../run/history-length';
import { Background } from './background';
import { type CarryOver, unpackDocuments } from './carry-over';
import { describeProgress } from './decide/describe-progress';
import { explainInDoubt } from './decide/explain-set-apart';
import { type Held, isAnswered, isUnderway } from './document-facts';
import { DocumentState } from './document-state';
import { Hints } from './hints';
import type {
  AnsweredNow,
  BatchDocument,
  BatchPolicy,
  BatchProgress,
  DocumentOutcome,
  DocumentStage,
  HeldDocument,
  RegisterHeader,
  WaitingDocument,
} from './ingest-contract';
import { StepHealth } from './step-health';

/** Notices that begin alike say the same, with other numbers in them. */
const NOTE_KIND_CHARS = 60;

export class BatchState {
  readonly share: string;
  readonly batchId: string;
  readonly project: ProjectRef;
  /** The calls of all activities that the batch needs. */
  readonly calls: ActivityCalls;
  policy: BatchPolicy;
  readonly documents: readonly DocumentState[];
  /** The headers of the registers that files of the batch came with. */
  readonly registers: readonly RegisterHeader[];
  /**
   * The worker at the share also tells of doubts when a document's turn has come; earlier versions do not.
   */
  readonly tellsDoubts: boolean;
  /** Whether the share keeps how documents came to their values. */
  readonly keepsHow: boolean;
  /** Whether a name that we give is written while the analysis runs. */
  readonly namesEarly: boolean;
  /** Whether the worker at the share can be asked if the batch is still this Temporal's. */
  readonly tellsHold: boolean;
  /** When the share last said that it is, Unix ms: as the batch was opened, at first. */
  holdSeenMs = Date.now();
  blocked: BatchProgress['blocked'];
  /** It stood still for another Temporal: what that one did with the batch stands in the journal alone. */
  wasElsewhere = false;
  /** Step 6 and Step 8, as this batch meets them. */
  readonly linking = new StepHealth();
  readonly submitting = new StepHealth();
  /** What events of the service say is worth a look. */
  readonly hints = new Hints();
  /** Counts `resume` signals; whoever waits for one compares it with what it saw. */
  resumes = 0;
  /** Counts how often the project's coordinator has spoken; documents that wait for their turn look again. */
  turns = 0;
  /** How many groups of answers are being written just now: no other run could go on with that. */
  busy = 0;
  /** Whether a task waits for the answers to the held documents. */
  isAsking = false;
  /** Whether documents were answered that have not ended soon, and the share has them as held still. */
  isAnswerUntold = false;
  /** Whether all that was left to do for long was to wait for the service to release files. */
  isReleaseLate = false;
  /** Indexes of the documents that the receipt so far tells as answered. */
  toldAnswered: readonly number[] = [];
  /** Whether one activity tries documents in conflict with workflows again while they are held. */
  waitsBeside = false;
  /** When the latest released file of the batch was reported, Unix ms; perhaps too early. */
  releasedMs = 0;
  #heardAtMs = 0;
  /** What goes on beside: a document that waits for somebody holds nobody else back. */
  readonly background = new Background();
  /** The share has another project by now, and nothing of the batch was sent: it goes on there. */
  movedTo: ProjectRef | undefined;
  /** Indexes of the documents whose outcomes are on the share. */
  readonly noted: Set<number>;
  readonly #said = new Set<string>();
  #isDrawnLater = false;
  readonly #mostEvents: number | undefined;

  constructor(
    ref: {
      readonly share: string;
      readonly batchId: string;
      readonly continueAfterEvents?: number | undefined;
    },
    opened: Pick<
      Extract<OpenBatchResult, { kind: 'open' }>,
      | 'project'
      | 'policy'
      | 'documents'
      | 'registers'
      | 'known'
      | 'tellsDoubts'
      | 'keepsHow'
      | 'namesEarly'
      | 'tellsHold'
    >,
    calls: ActivityCalls,
    carried?: CarryOver,
  ) {
    this.calls = calls;
    this.share = ref.share;
    this.batchId = ref.batchId;
    this.#mostEvents = ref.continueAfterEvents;
    this.project = opened.project;
    this.policy = opened.policy;
    this.registers = opened.registers ?? [];
    this.tellsDoubts = opened.tellsDoubts === true;
    this.keepsHow = opened.keepsHow === true;
    this.namesEarly = opened.namesEarly === true;
    this.tellsHold = opened.tellsHold === true;
    const known = new Map(opened.known.map(progress => [progress.index, progress]));
    this.documents = opened.documents.map(document => new DocumentState(document, known.get(document.index)));
    this.noted = new Set(this.outcomes.map(({ index }) => index));
    if (carried !== undefined) unpackDocuments(this.documents, carried);
  }

  /** Where the batch lies; most activities on a share ask for it. */
  get ref(): { share: string; batchId: string } {
    return { share: this.share, batchId: this.batchId };
  }

  /** Documents without an outcome that wait for nothing: no person, no turn, no upload that is looked for. */
  get underway(): readonly DocumentState[] {
    return this.documents.filter(state => isUnderway(state) && state.inLine === undefined);
  }

  get heldNow(): readonly DocumentState[] {
    return this.documents.filter(state => state.outcome === undefined && state.held !== undefined);
  }

  /** Held once, and answered; those that are in line by now are told as such. */
  get answeredNow(): readonly AnsweredNow[] {
    return this.documents.flatMap(({ document: { index, path }, outcome, held, inLine, answered }) => {
      if (outcome !== undefined || inLine !== undefined) return [];
      if (held?.answering === true) return [{ index, path }];
      return answered === undefined ? [] : [{ index, path, answer: answered }];
    });
  }

  /** Documents whose files are late. */
  get lateNow(): readonly DocumentState[] {
    return this.documents.filter(state => state.outcome === undefined && state.late !== undefined);
  }

  get waitingForTurn(): readonly WaitingDocument[] {
    return this.documents.flatMap(({ inLine }) => (inLine === undefined ? [] : [inLine]));
  }

  get outcomes(): readonly DocumentOutcome[] {
    return this.documents.flatMap(state => (state.outcome === undefined ? [] : [state.outcome]));
  }

  /** When the run hears what a call has sent, Unix ms: another time for each call. */
  hear(): number {
    this.#heardAtMs = Math.max(Date.now(), this.#heardAtMs + 1);
    return this.#heardAtMs;
  }

  /** Whether the history has grown so long that another run should go on in the place of this one. */
  shouldContinueAsNew(): boolean {
    return isLong(this.#mostEvents);
  }

  /**
   * Whether what waits is to end for another run, which asks anew. Not while anything is under way that ends
   * by itself only, as the sending of a file for hours: the run cannot be left before, and goes on with
   * everything else.
   */
  isToBeLeft(): boolean {
    if (!this.shouldContinueAsNew()) return false;
    return this.calls.uncut === 0 || !patched('what-waits-goes-on-until-a-run-can-be-left');
  }

  /** The share's configuration was read again. What a person has answered for stays as it was answered. */
  reconfigure(again: { readonly policy: BatchPolicy; readonly documents: readonly BatchDocument[] }): void {
    this.policy = again.policy;
    const documents = new Map(again.documents.map(document => [document.index, document]));
    for (const state of this.documents) {
      const document = documents.get(state.document.index);
      if (document !== undefined && state.outcome === undefined) state.reconfigure(document);
    }
  }

  /** For the receipt, with the first document that it concerns, and the log: once a batch. */
  noteOnce(states: readonly DocumentState[], text: string): void {
    const kind = text.slice(0, NOTE_KIND_CHARS);
    if (this.#said.has(kind)) return;
    this.#said.add(kind);
    states[0]?.note(text);
    log.warn(text, { ...this.ref, event: 'batch-notice' });
  }

  move(states: readonly DocumentState[], stage: DocumentStage): void {
    for (const state of states) state.moveTo(stage);
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
    // What a look found to be submitted passed nobody knows when.
    this.submitting.pass(1, paired === 'unknown' ? Number.NEGATIVE_INFINITY : Date.now());
    log.info(`${state.document.path} is revision ${revisionId ?? '(its id was not told)'}`, {
      ...this.#about(state),
      stage: 'submitted',
      revisionId,
    });
  }

  setApart(state: DocumentState, said: Reason): void {
    // Never a word that makes somebody send a document again which may be a revision.
    const reason = state.mayBeSubmitted ? explainInDoubt(said) : said;
    // It was to get its own file.
    if (state.relink) state.noteLeft();
    this.#end(state, { kind: 'set-apart', index: state.document.index, reason });
    log.warn(`${state.document.path} is set apart: ${reason.text}`, {
      ...this.#about(state),
      stage: 'set-apart',
      reason,
    });
  }

  skip(state: DocumentState, reason: Reason): void {
    this.#end(state, { kind: 'skipped', index: state.document.index, reason });
    log.info(`${state.document.path} is skipped: ${reason.text}`, {
      ...this.#about(state),
      stage: 'skipped',
      reason,
    });
  }

  hold(state: DocumentState, held: HeldDocument): void {
    state.hold(held);
    log.warn(`${state.document.path} is held: ${held.reason.text}`, {
      ...this.#about(state),
      stage: 'held',
      question: held.question,
      reason: held.reason,
    });
    this.show();
  }

  /** Shows what each document waits for; logs it when that has changed. */
  showWaiting(waiting: readonly InLine[], explain: (one: InLine) => Reason, sinceMs: number): void {
    for (const one of waiting) {
      const state = this.#at(one.index);
      const reason = explain(one);
      if (state.inLine?.reason.text !== reason.text) {
        log.info(`${state.document.path} is in line: ${reason.text}`, {
          ...this.#about(state),
          stage: 'in-line',
          reason,
        });
      }
      state.waitForTurn({ index: one.index, path: state.document.path, reason, sinceMs });
    }
    this.show();
  }

  /** Their turn has come. Returns their states. */
  takeTurns(indexes: readonly number[]): readonly DocumentState[] {
    return indexes.map(index => {
      const state = this.#at(index);
      state.takeTurn();
      return state;
    });
  }

  /** Of several causes the latest is shown: an earlier one may have been repaired since. */
  block(reason: Reason, sinceMs: number): void {
    logBlocked(this.ref, reason, this.blocked?.reason);
    if (reason.code === 'BATCH_HELD') this.wasElsewhere = true;
    this.blocked = { reason, sinceMs: this.blocked?.sinceMs ?? sinceMs };
    this.show();
  }

  unblock(): void {
    if (this.blocked === undefined) return;
    this.blocked = undefined;
    logGoesOn(this.ref);
    this.show();
  }

  /** Logs that documents passed a stage, for whoever watches live. */
  passed(states: readonly DocumentState[], stage: 'sent' | 'linked' | 'analysed'): void {
    for (const state of states) log.info(`${state.document.path} ${stage}`, { ...this.#about(state), stage });
  }

  progress(): BatchProgress {
    const { answeredNow } = this;
    const answered = new Set(answeredNow.map(({ index }) => index));
    const stages: Partial<Record<DocumentStage, number>> = {};
    for (const { stage, document } of this.documents) {
      const shown = stage === 'held' && answered.has(document.index) ? 'answered' : stage;
      stages[shown] = (stages[shown] ?? 0) + 1;
    }
    return {
      batchId: this.batchId,
      share: this.share,
      documents: this.documents.length,
      stages,
      held: this.heldNow.flatMap(({ held }) =>
        held === undefined || isAnswered(held) ? [] : [toQuestion(held)],
      ),
      ...(answeredNow.length === 0 ? {} : { answered: answeredNow }),
      ...(this.waitingForTurn.length === 0 ? {} : { inLine: this.waitingForTurn }),
      ...(this.blocked === undefined ? {} : { blocked: this.blocked }),
    };
  }

  /** What changes in one moment is drawn once: a hundred documents may end in it. */
  atOnce(change: () => void): void {
    this.#isDrawnLater = true;
    try {
      change();
    } finally {
      this.#isDrawnLater = false;
    }
    this.show();
  }

  show(): void {
    if (this.#isDrawnLater) return;
    setCurrentDetails(
      describeProgress(
        this.progress(),
        this.outcomes,
        this.documents.map(state => state.document.path),
      ),
    );
  }

  #end(state: DocumentState, outcome: DocumentOutcome): void {
    state.end(outcome);
    this.show();
  }

  #at(index: number): DocumentState {
    const state = this.documents[index];
    if (state === undefined) throw new RangeError(`The batch has no document ${index}`);
    return state;
  }

  #about(state: DocumentState): { event: string; share: string; batchId: string; path: string } {
    return { event: 'document', ...this.ref, path: state.document.path };
  }
}

interface BatchRef {
  readonly share: string;
  readonly batchId: string;
}

/** Says that a batch waits, unless it was said of the same reason (`before`). */
export function logBlocked(ref: BatchRef, reason: Reason, before: Reason | undefined): void {
  if (before?.text === reason.text) return;
  log.warn(`Batch ${ref.batchId} waits: ${reason.text}`, { ...ref, event: 'batch-blocked', reason });
}

export function logGoesOn(ref: BatchRef): void {
  log.info(`Batch ${ref.batchId} goes on`, { ...ref, event: 'batch-resumed' });
}

function toQuestion(held: Held): HeldDocument {
  const { answer: _answer, writes: _writes, name: _name, answering: _answering, ...rest } = held;
  return rest;
}
