// What hosts ask of the run that hands out an account's rate limit. Plain data.

import { z } from 'zod';
import { defineUpdate } from '../contract';
import type { LeaseReply, LeaseState } from './decide/rate-leases';

const part = z.number().min(0).max(1);

export const rateLeasesInput = z.strictObject({
  /** For tests: another run goes on once the history has this many events. */
  continueAfterEvents: z.number().int().positive().optional(),
  /** State of the run before, which ended because its history was long; never given by hand. */
  carried: z.unknown().optional(),
});
export type RateLeasesInput = Omit<z.infer<typeof rateLeasesInput>, 'carried'> & {
  readonly carried?: LeaseState;
};

export const leaseQuestion = z.strictObject({
  host: z.string().min(1).max(100),
  want: part,
  uses: part,
  isNew: z.boolean(),
  limit: z.number().int().positive().optional(),
  periodMs: z.number().positive().optional(),
});

/** A host asks for its part, renews it or gives it back. */
export const leaseUpdate = defineUpdate<LeaseReply, [z.input<typeof leaseQuestion>]>('lease');

/**
 * Key in the run's memo: how often hosts with a part were called to ask again. Reading it leaves no event.
 */
export const CALLS = 'calls';

/** One run an account. `account` is a key that does not reveal whose it is. */
export function rateLeasesWorkflowId(account: string): string {
  return `rate/${account}`;
}
