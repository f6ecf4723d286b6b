// Reads and completes the failures that say what is away.
import { ApplicationFailure } from '@temporalio/common';
import type { FailureDetails } from './failure';

/** The details of a failure of ours; undefined for any other error, also one of another realm. */
export function readFailureDetails(error: unknown): FailureDetails | undefined {
  const details = (error as { readonly details?: unknown } | null | undefined)?.details;
  const [first] = Array.isArray(details) ? (details as unknown[]) : [];
  const isOurs = typeof first === 'object' && first !== null && 'code' in first && 'reasons' in first;
  return isOurs ? (first as FailureDetails) : undefined;
}

/** A failure's message without the route in front: for people it says no more than which dependency it is. */
export function toWhy(message: string, route: string | null): string {
  const bare = route !== null && message.startsWith(route) ? message.slice(route.length) : message;
  return bare.replace(/^[\s:]+/, '').replace(/[\s.]+$/, '') || message;
}

/** The same failure, with since when the dependency is away. */
export function withAwaySince(failure: ApplicationFailure, awaySinceMs: number): ApplicationFailure {
  const { type, message, nonRetryable, nextRetryDelay, category } = failure;
  const details = readFailureDetails(failure);
  return ApplicationFailure.create({
    ...(type == null ? {} : { type }),
    message,
    nonRetryable: nonRetryable ?? false,
    details: [{ ...details, awaySinceMs }],
    ...(nextRetryDelay == null ? {} : { nextRetryDelay }),
    ...(category == null ? {} : { category }),
  });
}
