// A call that the service refused: what failed inside an activity becomes the run's own failure, in the
// service's words.
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { FailureDetails } from '../../activities';
import { describeRefusals } from './decide/describe-refusals';

/**
 * Runs `work`; a refusal by the service ends it as REQUEST_REFUSED with route, status and the service's
 * words.
 */
export async function withRefusalsExplained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error: unknown) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure) || cause.type !== 'REQUEST_REFUSED') throw error;
    const details = cause.details?.[0] as Partial<FailureDetails> | undefined;
    const said = describeRefusals(details?.reasons ?? []);
    throw requestRefused([cause.message, ...said].join('; '));
  }
}

/** The run ends with it: what was asked for cannot be done, and trying again would change nothing. */
export function requestRefused(text: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(text, 'REQUEST_REFUSED');
}
