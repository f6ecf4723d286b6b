// Shapes that several views of the page share.
import { z } from 'zod';

/** In the order in which people read them everywhere. */
export const outcomeShape = z.enum([
  'through',
  'already-there',
  'on-the-way',
  'in-line',
  'held',
  'set-apart',
]);
export type ShownOutcome = z.infer<typeof outcomeShape>;

/** They add up to all documents of a job. */
export const tallyShape = z.record(outcomeShape, z.int().nonnegative());

/** ISO 8601, UTC. The page shows it in the zone of its reader. */
export const moment = z.iso.datetime();

/** When it is all over. `at` is an estimate. */
export const endShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('over') }),
  z.object({ kind: z.literal('not-known') }),
  z.object({ kind: z.literal('when-answered') }),
  /** Its register lists files that are not there yet. */
  z.object({ kind: z.literal('when-whole') }),
  z.object({ kind: z.literal('about'), at: moment }),
]);

/** Which job; a name of a share and the id of the job, or of the batch of loose files. */
export const jobParams = z.object({ share: z.string().max(100), job: z.string().max(100) });

/** One fault of what was asked; all of them are told at once. */
export const faultShape = z.object({
  /** Where: a name of a field, a row; absent for the whole. */
  at: z.string().optional(),
  text: z.string(),
});
/** The body of every answer that is not 2xx. */
export const problemShape = z.object({
  /** One sentence for people. */
  text: z.string(),
  faults: z.array(faultShape).optional(),
  /** To be told to an operator, who finds it in the log. */
  reference: z.string().optional(),
});
export type Problem = z.infer<typeof problemShape>;
