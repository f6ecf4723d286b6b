// What hosts ask of the run that hands out an account's rate limit. Plain data.

import { z } from 'zod';
import { defineUpdate } from '../contract';
import type { LeaseAnswer, LeaseState } from './decide/rate-leases';

const part = z.number().min(0).max(1);

export const rateLeasesInput = z.strictObject({
  /** Another run goes on once the history has so many events; to see that it does. */
  continueAfterEvents: z.number().int().positive().optional(),
  /** From the run before, which was left for its length; never given by hand. */
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

/** A host asks for its part, or for more of its time. */
export const leaseUpdate = defineUpdate<LeaseAnswer, [z.input<typeof leaseQuestion>]>('lease');

/** In the memo of the run: how often those who have a part were called. Reading it leaves no event. */
export const CALLS = 'calls';

/** One an account; the name says nothing of it. */
export function rateLeasesWorkflowId(account: string): string {
  return `rate/${account}`;
}
