// Files that take longer than the others of their batch: big ones, slow ones, and those that the service has
// not released for use. They are sent or waited for in the background, and their documents are handed back, a
// group at a time.
import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { AwaitFilesResult, SentSoFar, TransferFilesResult } from '../../../activities';
import type { FileUploadId } from '../../contract';
import { countOf } from '../../run/decide/count-of';
import type { BatchState } from '../batch-state';
import { isBig } from '../decide/cut-chunks';
import type { DocumentState } from '../document-state';
import { noteReleased } from '../journal';

export interface LateFile {
  readonly state: DocumentState;
  readonly progress: SentSoFar['progress'];
}

/**
 * How often a file that the service passed over is sent once more: that its hash does not fit may show only
 * in this.
 */
const MOST_UNRELEASED = 1;
/** What becomes ready within this time of another is linked with it: requests are what is scarce. */
const GATHER_MS = 30_000;

/** Keeps the result of a transfer. Returns the files that it left. */
export function takeTransfer(
  batch: BatchState,
  states: readonly DocumentState[],
  result: TransferFilesResult,
): readonly LateFile[] {
  for (const { index, fileUploadId, openedAtMs } of result.files) {
    findState(states, index).fileSent({ fileUploadId, openedAtMs });
  }
  for (const { index, reason } of result.refused) batch.setApart(findState(states, index), reason);
  const { left = [], releasedMs = 0 } = result;
  batch.releasedMs = Math.max(batch.releasedMs, releasedMs);
  const heardAtMs = batch.hear();
  return left.map(({ index, progress }) => {
    const state = findState(states, index);
    if (progress?.finished !== true) return { state, progress };
    // Both were told by one call, whose dates may be compared with each other.
    const isPassed = releasedMs > (progress.reportedAtMs ?? Number.POSITIVE_INFINITY);
    return { state, progress: { ...progress, heardAtMs, ...(isPassed ? { isPassed } : {}) } };
  });
}

export class LateFiles {
  readonly #batch: BatchState;
  /** How many files are not ready yet. */
  #open = 0;
  readonly #unreleased = new Set<DocumentState>();
  /** Counts what came to wait for its release: the waiting begins anew, for all of it together. */
  #arrivals = 0;
  #ready: DocumentState[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(batch: BatchState) {
    this.#batch = batch;
  }

  get isEmpty(): boolean {
    return this.#open === 0 && this.#ready.length === 0;
  }

  /** Their sending goes on at once. */
  add(late: readonly LateFile[]): void {
    for (const { state, progress } of late) {
      this.#open++;
      this.#take(state, progress);
    }
  }

  /** Hands documents back as their files become ready; to be called when every document has its upload. */
  async follow(): Promise<void> {
    const awaiting = this.#awaitReleases();
    awaiting.catch(() => undefined);
    const { background } = this.#batch;
    while (!this.isEmpty) {
      await condition(() => this.#ready.length > 0 || this.#open === 0 || this.#failure !== undefined);
      if (this.#ready.length > 0 && this.#open > 0) {
        await condition(() => this.#open === 0 || this.#failure !== undefined, GATHER_MS);
      }
      if (this.#failure !== undefined) throw this.#failure.error;
      const group = this.#ready;
      this.#ready = [];
      for (const state of group) state.catchUp();
      if (group.length > 0) background.run(background.handBack(group).ended);
    }
    await awaiting;
  }

  /** Where a file goes on: its sending, or the waiting for its release. */
  #take(state: DocumentState, progress: SentSoFar['progress']): void {
    // A document whose session has to be made anew (null) is late, too.
    state.fallBehind(progress ?? null);
    if (progress?.finished === true) {
      this.#batch.move([state], 'releasing');
      this.#unreleased.add(state);
      this.#arrivals++;
      return;
    }
    this.#batch.move([state], 'transferring');
    this.#send(state, progress).catch((error: unknown) => {
      this.#failure ??= { error };
    });
  }

  async #send(state: DocumentState, progress: SentSoFar['progress']): Promise<void> {
    const batch = this.#batch;
    const { index, path } = state.document;
    const result = await batch.calls.share.transferFiles(
      () => ({
        ...batch.ref,
        project: batch.project,
        indexes: [index],
        isLong: true,
        linkWithinMs: batch.policy.linkWithinMs,
        ...(progress === null ? {} : { begun: [{ index, progress }] }),
      }),
      `Send ${path}`,
      // What is small does not wait for what takes hours.
      isBig(state.document) ? 'hours' : 'aside',
    );
    const [left] = takeTransfer(batch, [state], result);
    if (left === undefined) this.#end(state);
    else this.#take(state, left.progress);
  }

  /** It has its file now, or an outcome. */
  #end(state: DocumentState): void {
    this.#open--;
    if (state.outcome === undefined) this.#ready.push(state);
    else state.catchUp();
  }

  async #awaitReleases(): Promise<void> {
    try {
      for (;;) {
        await condition(() => this.#unreleased.size > 0 || this.#open === 0);
        if (this.#unreleased.size === 0) return;
        // The run that goes on for this one asks anew.
        await condition(() => !this.#batch.isToBeLeft());
        const result = await this.#askOnce();
        if (result !== undefined) await this.#takeReleases(result);
      }
    } catch (error: unknown) {
      this.#failure ??= { error };
      throw error;
    }
  }

  /** Undefined: it was cut, for other files came to be waited for, or another run is to go on. */
  async #askOnce(): Promise<AwaitFilesResult | undefined> {
    const batch = this.#batch;
    const files = [...this.#unreleased].flatMap(({ document: { index }, late }) =>
      late == null
        ? []
        : [
            {
              index,
              fileUploadId: late.sessionId as FileUploadId,
              openedAtMs: late.openedAtMs,
              // Where it is not known, its release tells nothing of others.
              reportedAtMs: late.reportedAtMs ?? 0,
              heardAtMs: late.heardAtMs ?? Date.now(),
              ...(late.isPassed ? { isPassed: true as const } : {}),
            },
          ],
    );
    // Told by a clock that was set back since: once that time has come, files that are reported before it
    // would seem to be passed over.
    if (batch.releasedMs > Date.now()) batch.releasedMs = 0;
    const seen = this.#arrivals;
    const scope = new CancellationScope();
    const asking = scope.run(() =>
      batch.calls.service.awaitFiles(
        () => ({
          project: batch.project,
          files,
          releasedMs: batch.releasedMs,
          linkWithinMs: batch.policy.linkWithinMs,
          ...(this.#tellsLong() ? { tellsLong: true as const } : {}),
        }),
        `Wait for the service to release ${countOf(files.length, 'file')}`,
      ),
    );
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    asking.then(end, end);
    await condition(() => isOver || this.#arrivals !== seen || batch.isToBeLeft());
    const isCut = !isOver;
    if (isCut) scope.cancel();
    try {
      return await asking;
    } catch (error: unknown) {
      if (isCut && isCancellation(error)) return undefined;
      throw error;
    }
  }

  /** Once a run: what has ended, and what a person is asked for, is settled up without that. */
  #tellsLong(): boolean {
    const { isReleaseLate, outcomes, heldNow, waitingForTurn, underway } = this.#batch;
    const isAnythingElse = outcomes.length + heldNow.length + waitingForTurn.length > 0;
    return !isReleaseLate && !isAnythingElse && underway.every(state => this.#unreleased.has(state));
  }

  async #takeReleases({ files, releasedMs, again, overdue, isLong }: AwaitFilesResult): Promise<void> {
    const batch = this.#batch;
    if (isLong === true) {
      batch.isReleaseLate = true;
      batch.background.nudge();
    }
    const waiting = [...this.#unreleased];
    batch.releasedMs = Math.max(batch.releasedMs, releasedMs);
    const released = files.map(file => findState(waiting, file.index));
    markPassed(waiting, released);
    for (const file of files) findState(waiting, file.index).fileSent(file);
    await noteReleased(batch, files);
    for (const state of released) {
      this.#unreleased.delete(state);
      this.#end(state);
    }
    for (const index of again) {
      const state = findState(waiting, index);
      this.#unreleased.delete(state);
      const { late } = state;
      const isTooOld = late == null || Date.now() - late.openedAtMs >= batch.policy.linkWithinMs;
      this.#sendAgain(state, isTooOld ? null : late);
    }
    for (const { index, reason } of overdue) {
      const state = findState(waiting, index);
      this.#unreleased.delete(state);
      if (state.mayTry('unreleased', MOST_UNRELEASED)) this.#sendAgain(state, null);
      else {
        batch.setApart(state, reason);
        this.#end(state);
      }
    }
  }

  #sendAgain(state: DocumentState, progress: SentSoFar['progress']): void {
    if (progress === null) {
      this.#take(state, null);
      return;
    }
    // What was known of its waiting says nothing of what will be sent.
    const { heardAtMs: _heardAtMs, isPassed: _isPassed, ...begun } = progress;
    this.#take(state, { ...begun, finished: false });
  }
}

/** Marks the waiting files that have been passed over, among those that one call told of. */
function markPassed(waiting: readonly DocumentState[], released: readonly DocumentState[]): void {
  for (const state of waiting) {
    const { late } = state;
    if (late?.reportedAtMs === undefined || late.isPassed) continue;
    const { heardAtMs, reportedAtMs } = late;
    const isPassed = released.some(
      other => other.late?.heardAtMs === heardAtMs && (other.late?.reportedAtMs ?? 0) > reportedAtMs,
    );
    if (isPassed) state.fallBehind({ ...late, isPassed });
  }
}

export function findState(states: readonly DocumentState[], index: number): DocumentState {
  const state = states.find(({ document }) => document.index === index);
  if (state === undefined) throw new RangeError(`A result names document ${index}, which was not asked for`);
  return state;
}
