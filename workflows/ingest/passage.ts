// One step of the service as a batch meets it: who has passed, and whether somebody stands at its door for all. While
// nothing passes, the service is to blame, and one activity waits for its return; a document comes under suspicion only
// when others pass where it does not.
import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { ActivityCalls } from '../run/activity-calls';
import type { BatchState } from './batch-state';

/** An attempt limit for what may be the document's own trouble: some five minutes. */
export const SUSPECT_ATTEMPTS = 8;
/** After so many, some hours, it is looked whether another batch of the project has passed meanwhile. */
export const PATIENT_ATTEMPTS = 60;

export class Passage {
  #passed = 0;
  #isProbed = false;
  #waits = 0;
  /** What the share told last of others of the project; undefined before it was asked. */
  #elsewhere: string | undefined;
  /** By document: how many had passed when it failed here, the first time and the last. */
  readonly #failed = new Map<number, { readonly first: number; readonly last: number }>();

  /** How often somebody waited here; whoever did need not pause besides. */
  get waits(): number {
    return this.#waits;
  }

  pass(count: number): void {
    this.#passed += count;
  }

  /** What the share tells of others of the project: when it has changed, another document passed since it was asked last. */
  noteElsewhere(passed: string): void {
    if (this.#elsewhere !== undefined && this.#elsewhere !== passed) this.#passed++;
    this.#elsewhere = passed;
  }

  /** These failed in one request. Answers whether others have passed since each of them failed here before. */
  fail(indexes: readonly number[]): boolean {
    const before = indexes.map(index => this.#failed.get(index));
    for (const [position, index] of indexes.entries()) {
      this.#failed.set(index, { first: before[position]?.first ?? this.#passed, last: this.#passed });
    }
    return before.every(failure => failure !== undefined && failure.last < this.#passed);
  }

  /** Others have passed since it failed here for the first time. */
  isSuspect(index: number): boolean {
    const failure = this.#failed.get(index);
    return failure !== undefined && failure.first < this.#passed;
  }

  /** Nobody goes to a door that somebody stands at already. Answers whether there was anybody to wait for. */
  async untilClear(): Promise<boolean> {
    if (!this.#isProbed) return false;
    await condition(() => !this.#isProbed);
    return true;
  }

  /** The first to come stands there for all with `probe`; the others wait until it is through. */
  async waitOut(probe: () => Promise<void>): Promise<void> {
    this.#waits++;
    // Asked without a pause before the answer is acted on: strands that come in the same moment are not all the first.
    if (this.#isProbed) {
      await this.untilClear();
      return;
    }
    this.#isProbed = true;
    try {
      await probe();
    } finally {
      this.#isProbed = false;
    }
  }
}

/**
 * These failed here. Answers whether others have passed since each of them failed before: of this batch, or of any other
 * of the project that this share carries. Only that makes it the documents' own fault.
 */
export async function failHere(
  batch: BatchState,
  calls: ActivityCalls,
  step: 'linking' | 'submitting',
  indexes: readonly number[],
): Promise<boolean> {
  if (indexes.length === 0) return false;
  const passes = await calls.share.readPasses(
    () => ({ share: batch.share }),
    'See whether others of the project get further',
  );
  batch.linking.noteElsewhere(passes.linking);
  batch.submitting.noteElsewhere(passes.submitting);
  return batch[step].fail(indexes);
}

/**
 * Asks, and asks anew each time somebody says `resume`: between the attempts of a long outage lie minutes, and whoever
 * has repaired it need not wait for the next one. It keeps no run from being left.
 */
export async function askUntilResumed<Result>(
  batch: { readonly resumes: number; readonly wantsToLeave: () => boolean },
  ask: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const seen = batch.resumes;
    const scope = new CancellationScope();
    const answer = scope.run(ask);
    const isResumed = await Promise.race([
      answer.then(
        () => false,
        () => false,
      ),
      scope
        .run(() => condition(() => batch.resumes !== seen || batch.wantsToLeave()))
        .then(
          () => true,
          () => false,
        ),
    ]);
    scope.cancel();
    try {
      return await answer;
    } catch (error: unknown) {
      if (!isResumed || !isCancellation(error)) throw error;
    }
    // The next run asks.
    await condition(() => !batch.wantsToLeave());
  }
}
