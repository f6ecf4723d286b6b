// What a project's coordinator is told and asked, and by which name it is found.

import { z } from 'zod';
import { defineSignal, defineUpdate, MAX_BATCH_DOCUMENTS, type ProjectRef } from '../contract';
import type { OrderSnapshot } from './decide/project-order';
import type { TurnReply } from './decide/turns';

const word = z.string().min(1).max(500);
const index = z
  .number()
  .int()
  .min(0)
  .max(MAX_BATCH_DOCUMENTS - 1);
const indexes = z.array(index).max(MAX_BATCH_DOCUMENTS);
const ofIndex = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.array(z.strictObject({ index, ...shape })).max(MAX_BATCH_DOCUMENTS);

export const projectOrderInput = z.strictObject({
  project: z.strictObject({ companyId: word, projectId: word }),
  /** For tests: another run goes on once the history has this many events. */
  continueAfterEvents: z.number().int().positive().optional(),
  /** State of the run before, which ended because its history was long; never given by hand. */
  carried: z.unknown().optional(),
});
export type ProjectOrderInput = Omit<z.infer<typeof projectOrderInput>, 'carried'> & {
  readonly carried?: OrderSnapshot;
};

/** One coordinator a project: its documents are ordered together, whatever shares they come by. */
export function orderWorkflowId({ companyId, projectId }: ProjectRef): string {
  return `order/${companyId}/${projectId}`;
}

export const registerInput = z.strictObject({
  batchId: word,
  share: word,
  claimedAt: z.iso.datetime(),
  documents: ofIndex({
    keys: z.array(word).max(10),
    revision: z.string().optional(),
    modifiedNs: z.string().regex(/^\d{1,30}$/),
    matches: word.optional(),
    isLetGo: z.boolean().optional(),
    overtakenBy: z.strictObject({ share: word, batchId: word, revision: z.string().optional() }).optional(),
  }),
});
/** Somebody runs this batch, and these are its documents that have not ended. */
export const registerSignal = defineSignal<[z.input<typeof registerInput>]>('register');

export const endedInput = z.strictObject({ batchId: word, indexes: indexes.optional() });
/** These documents have ended; without indexes, the whole batch. */
export const endedSignal = defineSignal<[z.input<typeof endedInput>]>('ended');

export const turnsInput = z.strictObject({
  batchId: word,
  indexes,
  ended: indexes,
  matches: ofIndex({ matches: word }),
  behind: ofIndex({ batchId: word }),
  passAfterMs: z.number().positive(),
  confirmed: indexes,
  isLook: z.boolean().optional(),
});
export const turnsUpdate = defineUpdate<TurnReply, [z.input<typeof turnsInput>]>('turns');
