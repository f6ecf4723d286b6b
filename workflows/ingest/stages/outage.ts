// What is done when a step of the service fails: see whether it is the documents' own fault, and wait for the
// end of an outage in a way that a person can cut short.
import { CancellationScope, condition, isCancellation, patched } from '@temporalio/workflow';
import type { BatchState } from '../batch-state';

/**
 * These failed at a step. Returns whether others have passed since each of them failed before: of this batch,
 * or of any other of the project that this share carries. Only that makes it the documents' own fault.
 * @param isEach each of them was alone in its request, or named by the response.
 */
export async function noteFailures(
  batch: BatchState,
  step: 'linking' | 'submitting',
  indexes: readonly number[],
  isEach = indexes.length === 1,
): Promise<boolean> {
  if (indexes.length === 0) return false;
  const failedMs = Date.now();
  notePasses(batch, await readPasses(batch));
  return batch[step].fail(indexes, { atMs: failedMs, isEach, isDated: countsStrikes() });
}

type Passes = Awaited<ReturnType<BatchState['calls']['share']['readPasses']>>;

/** What the share tells of others of the project, for `notePasses`. One await: runs under way count them. */
export function readPasses(batch: BatchState): Promise<Passes> {
  return batch.calls.share.readPasses(
    () => ({ share: batch.share }),
    'See whether others of the project get further',
  );
}

export function notePasses(batch: BatchState, { linking, submitting, passedAtMs }: Passes): void {
  batch.linking.noteElsewhere(linking, passedAtMs?.linking);
  batch.submitting.noteElsewhere(submitting, passedAtMs?.submitting);
}

/**
 * A document is blamed by strikes (`StepHealth`). False in runs from before that: any pass since its first
 * failure was enough.
 */
export function countsStrikes(): boolean {
  return patched('blamed-by-strikes');
}

/**
 * Asks, and asks anew each time somebody says `resume`: between the attempts of a long outage lie minutes,
 * and whoever has repaired it need not wait for the next one. A run that is to be left does not wait for it.
 * `whenCut` is called when an attempt was cut: the response to what it has sent just then is lost.
 * @param ask told whether it was asked before.
 */
export async function askUntilResumed<Result>(
  batch: Pick<BatchState, 'resumes' | 'isToBeLeft'>,
  ask: (isAgain: boolean) => Promise<Result>,
  whenCut: () => void = () => undefined,
): Promise<Result> {
  for (let isAgain = false; ; isAgain = true) {
    const seen = batch.resumes;
    const scope = new CancellationScope();
    const asking = scope.run(() => ask(isAgain));
    const isResumed = await Promise.race([
      asking.then(
        () => false,
        () => false,
      ),
      scope
        .run(() => condition(() => batch.resumes !== seen || batch.isToBeLeft()))
        .then(
          () => true,
          () => false,
        ),
    ]);
    scope.cancel();
    try {
      return await asking;
    } catch (error: unknown) {
      if (!isResumed || !isCancellation(error)) throw error;
      whenCut();
    }
    // The next run asks.
    await condition(() => !batch.isToBeLeft());
  }
}
