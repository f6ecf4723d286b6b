// What a job is begun with: the register that its files came with, as it was read for all its batches.
import { z } from 'zod';
import { reasonSchema } from '../batch/manifest';
import { isInnerPath } from '../files/relative-path';

const path = z.string().max(8_192).refine(isInnerPath, 'not a path inside the folder');
const row = z.number().int().nonnegative();

/**
 * Which row is about which file is decided here, once. What the rows say is in the sheet, of which the job
 * keeps a copy. Paths are those from the job's folder on.
 */
const registerSchema = z.strictObject({
  path,
  sizeBytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** In the order of the rows. */
  pairs: z.array(z.strictObject({ row, path })),
  /** Rows that could mean several files, and files that several rows are about. */
  ambiguous: z.array(z.strictObject({ row, paths: z.array(path).min(1) })),
  twice: z.array(z.strictObject({ path, rows: z.array(row).min(2) })),
});
export type RegisterOfJob = z.infer<typeof registerSchema>;

/** A sheet that was meant as the register of the job, and says nothing of its files. */
const unusableSchema = z.strictObject({
  path,
  /** Why it is set apart itself. */
  reason: reasonSchema,
  /** Why all others are; absent where they go without it. */
  ofOthers: reasonSchema.optional(),
});
export type UnusableRegister = z.infer<typeof unusableSchema>;

/** As it stands in the record of the job. */
export const begunWithShape = {
  /** Absent without one. */
  register: registerSchema.optional(),
  unusable: unusableSchema.optional(),
  /** Documents that somebody may have meant as the register, with why they were not taken for one. */
  looks: z
    .array(z.strictObject({ path, text: z.string().max(2_000) }))
    .max(100)
    .optional(),
};

export interface BegunWith {
  readonly register?: RegisterOfJob;
  readonly unusable?: UnusableRegister;
  readonly looks?: { readonly path: string; readonly text: string }[];
  /** The bytes of the register, or of one that came alone. */
  readonly sheet?: Buffer;
}
