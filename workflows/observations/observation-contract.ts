// Observations: inputs, results, and what people say to a running one.

import { z } from 'zod';
import { defineQuery, defineSignal, defineUpdate } from '../contract';
import { day, idLike, isObject, shareName } from '../run/input-fields';
import type { RunProgressReport } from '../run/run-progress-contract';

const id = idLike('7001');
const name = z.string().trim().min(1).max(200);

/**
 * One item, as people write it: a row of a CSV file, an element of a JSON file, or part of a workflow's
 * input.
 */
export const observationItem = z.strictObject({
  type: z
    .string({ error: 'the name of an observation type, for example "Safety Hazard"' })
    .trim()
    .min(1)
    .max(200),
  name: z.string({ error: 'what the item is called' }).trim().min(1).max(255),
  description: z.string().max(20_000).optional(),
  priority: z.enum(['Low', 'Medium', 'High', 'Urgent'], { error: 'Low, Medium, High or Urgent' }).optional(),
  dueDate: day.optional(),
  assignee: name.optional(),
  distribution: z
    .union([z.literal('default'), z.array(name).min(1).max(200)], {
      error: 'names of people, or "default" for those who are told of every observation',
    })
    .optional(),
  locationId: id.optional(),
  tradeId: id.optional(),
  number: z.string().trim().min(1).max(255).optional(),
  personal: z.boolean().optional(),
});
export type ObservationItem = z.output<typeof observationItem>;

export const observationInput = z
  .strictObject({
    companyId: id,
    projectId: id,
    observationId: id.optional(),
    ...observationItem.shape,
    share: shareName.optional(),
    attachments: z.array(z.string().min(1).max(1_000)).min(1).max(50).optional(),
    validate: z.boolean().optional(),
    until: z.enum(['created', 'closed']).optional(),
    review: z.enum(['at-once', 'wait']).optional(),
    ifThere: z.enum(['make', 'stop']).optional(),
    missingFiles: z.string().min(1).optional(),
  })
  .refine(input => (input.share === undefined) === (input.attachments === undefined), {
    message:
      'give "share" and "attachments" together: paths below the folder "observations" of a configured share',
    when: isObject,
  });
/**
 * An observation from its type's name to closed. `observationId`: it is there already, and only the rest is
 * done; of the `attachments` those are sent that it does not have. `validate` holds it against its category's
 * field set. `until: "created"` ends once it is there. `review: "wait"` closes only after the signal
 * `reviewed`; else it is closed as soon as the work is done and submitted for review. `ifThere: "stop"` makes
 * none where one of the same type, name and description is there already, and ends with its id; without it,
 * or with "make", another one is made. `missingFiles`: what a run hands to the next that goes on in its place
 * (carry over), for its result; people leave it out.
 */
export type ObservationInput = z.input<typeof observationInput>;

export interface ObservationResult {
  readonly observationId: string;
  readonly number: string | null;
  readonly outcome: 'created' | 'closed' | 'closed-by-others' | 'gone';
  /** Why not all files are attached, and what to do. Absent where they are. */
  readonly missingFiles?: string;
  readonly notes: readonly string[];
}

export interface ObservationProgress extends RunProgressReport {
  /**
   * The item, once it is there and the run goes on to carry it to closed; `missingFiles` as in the result.
   * A worker of 0.1.0 does not tell it.
   */
  readonly made?: { readonly id: string; readonly missingFiles?: string };
}

export const observationProgressQuery = defineQuery<ObservationProgress>('progress');

const requestId = z.string().min(1).max(200).optional();
const comment = z.string().trim().min(1).max(20_000);
const attachments = z.array(z.string().min(1).max(1_000)).max(50).optional();

export const workDoneInput = z.strictObject({ comment: comment.optional(), attachments, requestId });
/** The work is done: the comment becomes a response, the item is submitted for review. */
export const workDoneSignal = defineSignal<[z.input<typeof workDoneInput>?]>('workDone');

export const respondInput = z.strictObject({ comment, attachments, requestId });
/** A response in the item's log; nothing else changes. */
export const respondSignal = defineSignal<[z.input<typeof respondInput>]>('respond');

export const reviewedInput = z.strictObject({
  accepted: z.boolean(),
  comment: comment.optional(),
  requestId,
});
/**
 * With `review: "wait"`: accepted closes the item; not accepted sends it back, and `workDone` is waited for
 * again.
 */
export const reviewedSignal = defineSignal<[z.input<typeof reviewedInput>]>('reviewed');

export const sendUnsentInput = z.strictObject({
  companyId: id,
  projectId: id,
  confirmedCount: z
    .number({ error: 'how many unsent items are to be mailed' })
    .int()
    .nonnegative()
    .optional(),
  waitMinutes: z.number().min(1).max(10_080).optional(),
});
/**
 * Mails ALL unsent observations of a project. Without `confirmedCount`, or when the number is another one by
 * now, it says how many there are and waits for the update `confirm`; after `waitMinutes` (60) it ends and
 * nothing was sent.
 */
export type SendUnsentInput = z.input<typeof sendUnsentInput>;

export interface SendUnsentResult {
  readonly outcome: 'sent' | 'nothing-unsent' | 'not-confirmed';
  readonly count: number;
}

export const confirmInput = z.strictObject({ count: z.number().int().positive() });
/** `{"count": 12}`: mail these 12. Refused when there are more or fewer. */
export const confirmUpdate = defineUpdate<{ confirmed: number }, [z.input<typeof confirmInput>]>('confirm');
/**
 * How many are unsent, with the names of the first ones, how often they were counted, and whether somebody
 * has confirmed that: from then on they may be mailed already. null before the first count.
 */
export const unsentQuery = defineQuery<{
  count: number;
  names: readonly string[];
  round: number;
  isConfirmed: boolean;
} | null>('unsent');

/**
 * `key` tells items of one name apart and is the same for the same item: starting twice is starting once.
 * With the observation's id in the service as `key` it is the id of the door to that run (knock-at-door.ts).
 */
export function observationWorkflowId(projectId: string, key: string): string {
  return `observation/${projectId}/${key}`;
}
