// The receipt as a batch keeps it beside its manifest: it decides that the batch is finished, and what became
// of each file. The copies beside people's files, and their CSV form, are for people.
import { z } from 'zod';
import { readOwnJson } from '../files/own-json';
import type { Seals } from '../files/seals';
import { ShareError } from '../files/share-error';
import type { BatchPaths } from '../files/share-layout';
import { howSchema, jobOfBatchSchema, projectSchema, reasonSchema, storedSchema } from './manifest';

const row = z.strictObject({
  index: z.number().int().nonnegative(),
  path: z.string(),
  /** Its row in the register that it came with, as the spreadsheet program counts. */
  row: z.number().int().nonnegative().optional(),
  outcome: z.enum(['submitted', 'set-apart', 'skipped', 'held', 'open']),
  /** null: submitted for certain, but the response that named the revision was lost. */
  revisionId: z.string().nullable().optional(),
  paired: z.enum(['certain', 'by-order', 'unknown']).optional(),
  uploadId: z.string().optional(),
  reason: reasonSchema.optional(),
  stored: z.array(storedSchema),
  notes: z.array(z.string()),
  sizeBytes: z.number().int().nonnegative(),
  sha256: z.string().optional(),
  submittedAt: z.iso.datetime().optional(),
  /** When it was first settled as held for this reason. Absent for what is not held. */
  heldSince: z.iso.datetime().optional(),
  ...howSchema,
});

export const receiptSchema = z.strictObject({
  version: z.literal(1),
  batchId: z.string(),
  share: z.string(),
  project: projectSchema,
  manifestSha256: z.string(),
  claimedAt: z.iso.datetime(),
  /** Absent for a batch that is part of no job. */
  job: jobOfBatchSchema.optional(),
  writtenAt: z.iso.datetime(),
  /** False: documents are still waiting for a person; a later receipt replaces this one. */
  final: z.boolean(),
  /** Documents that were submitted for certain, though no response named their revisions; absent for none. */
  revisionIdsNotTold: z.number().int().positive().optional(),
  files: z.array(row),
  /** What the documents came with; absent for none. */
  registers: z
    .array(
      z.strictObject({
        path: z.string(),
        sha256: z.string(),
        notThere: z.array(z.strictObject({ row: z.number(), file: z.string(), text: z.string() })),
        notices: z.array(z.string()),
      }),
    )
    .optional(),
  /**
   * SHA-256 of the CSV of a receipt that is not final, so that it is known again when it is to be replaced.
   */
  csvSha256: z.string().optional(),
  /** The same of earlier ones that still lie there, after a crash or open in a program; absent for none. */
  earlierCsvSha256: z.array(z.string()).optional(),
  /** Over all the rest, so that an edited receipt is not believed; absent only until it is sealed. */
  seal: z.string().optional(),
  sealedBy: z.string().optional(),
});
export type Receipt = z.infer<typeof receiptSchema>;
export type ReceiptRow = Receipt['files'][number];
export type ReceiptRegister = NonNullable<Receipt['registers']>[number];

/** The final receipt of an open or a finished batch. */
export async function readReceipt(paths: BatchPaths): Promise<Receipt | undefined> {
  return await readSealed(paths, paths.receipt, `The receipt of batch ${paths.batchId}`);
}

export async function readReceiptSoFar(paths: BatchPaths): Promise<Receipt | undefined> {
  return await readSealed(paths, paths.receiptSoFar, `The receipt so far of batch ${paths.batchId}`);
}

/**
 * A receipt decides what is finished: to believe one of another batch, or an edited one, would lose files or
 * tell of revisions that do not exist.
 */
async function readSealed(
  { batchId, fs, seals }: BatchPaths,
  path: string,
  label: string,
): Promise<Receipt | undefined> {
  const receipt = (await readOwnJson(fs, path, label, receiptSchema))?.value;
  if (receipt === undefined) return undefined;
  if (receipt.batchId !== batchId)
    throw new ShareError('batch-damaged', `${label} is that of another batch.`);
  checkReceipt(seals, label, receipt);
  return receipt;
}

/** Whether a file with this outcome goes to `done/`: there is a revision of it. */
export function isDone(outcome: Receipt['files'][number]['outcome']): boolean {
  return outcome === 'submitted' || outcome === 'skipped';
}

/** Whether the service has shown its upload to us: people could see it there as well, and submit it. */
export function wasSeen({ stored }: Pick<ReceiptRow, 'stored'>): boolean {
  return stored.length > 0;
}

/** The receipt with its seal. */
export function sealReceipt(seals: Seals, receipt: Receipt): Receipt {
  const { seal: _seal, sealedBy: _by, ...rest } = receipt;
  return { ...rest, seal: seals.of('receipt', textOf(rest)), sealedBy: seals.keyId };
}

/**
 * Of a receipt that was parsed a moment ago: its keys have the schema's order already.
 * @throws ShareError when it was changed since it was written, or sealed with another key.
 */
function checkReceipt(seals: Seals, label: string, parsed: Receipt): void {
  const { seal = '', sealedBy = '', ...rest } = parsed;
  seals.check('receipt', label, { text: JSON.stringify(rest), seal, sealedBy });
}

/** Parsing puts the keys into the schema's order, however the file has them. */
function textOf(rest: Receipt): string {
  return JSON.stringify(receiptSchema.parse(rest));
}
