// The receipt: what became of each file of a batch. The copy beside the manifest is the authority that a
// batch is finished; the copies beside the files, and their CSV form, are for people.
import { z } from 'zod';
import type { Reason } from '../../../workflows/contract';
import type { DocumentOutcome } from '../../../workflows/ingest/ingest-contract';
import { type Manifest, projectSchema, reasonSchema, shortenReason } from '../batch/manifest';
import type { Seals } from '../files/seals';
import { ShareError } from '../files/share-error';

const row = z.strictObject({
  index: z.number().int().nonnegative(),
  path: z.string(),
  outcome: z.enum(['submitted', 'set-apart', 'held', 'open']),
  /** null: submitted for certain, but the answer that named the revision was lost. */
  revisionId: z.string().nullable().optional(),
  paired: z.enum(['certain', 'by-order', 'unknown']).optional(),
  uploadId: z.string().optional(),
  reason: reasonSchema.optional(),
  stored: z.array(z.strictObject({ label: z.string(), value: z.string() })),
  notes: z.array(z.string()),
  sizeBytes: z.number().int().nonnegative(),
  sha256: z.string().optional(),
  submittedAt: z.iso.datetime().optional(),
});

export const receiptSchema = z.strictObject({
  version: z.literal(1),
  batchId: z.string(),
  share: z.string(),
  project: projectSchema,
  manifestSha256: z.string(),
  claimedAt: z.iso.datetime(),
  writtenAt: z.iso.datetime(),
  /** False: documents are still waiting for a person; a later receipt replaces this one. */
  final: z.boolean(),
  /** Documents that were submitted for certain, though no answer named their revisions; absent for none. */
  revisionIdsNotTold: z.number().int().positive().optional(),
  files: z.array(row),
  /**
   * SHA-256 of the CSV of a receipt that is not final, so that it is known again when it is to be replaced.
   */
  csvSha256: z.string().optional(),
  /** Of those before it that still lie where people look, after a crash or behind a lock; absent for none. */
  earlierCsvSha256: z.array(z.string()).optional(),
  /** Over all the rest, so that an edited receipt is not believed; absent only until it is sealed. */
  seal: z.string().optional(),
  sealedBy: z.string().optional(),
});
export type Receipt = z.infer<typeof receiptSchema>;
export type ReceiptRow = Receipt['files'][number];

export interface HeldFile {
  readonly index: number;
  readonly reason: Reason;
}

export interface ReceiptInput {
  readonly manifest: Manifest;
  readonly manifestSha256: string;
  readonly outcomes: readonly DocumentOutcome[];
  readonly held: readonly HeldFile[];
  readonly final: boolean;
  readonly now: Date;
}

/**
 * One row a file, in drop order.
 * @throws ShareError `outcomes-incomplete` when a final receipt would leave a file unaccounted for.
 */
export function makeReceipt(input: ReceiptInput): Receipt {
  const { manifest } = input;
  const outcomes = new Map<number, DocumentOutcome>();
  for (const outcome of input.outcomes) {
    if (manifest.files[outcome.index] === undefined) {
      throw new ShareError('outcomes-incomplete', `The batch has no file with the index ${outcome.index}.`);
    }
    if (isBetter(outcome, outcomes.get(outcome.index))) outcomes.set(outcome.index, outcome);
  }
  const held = new Map(input.held.map(file => [file.index, file.reason]));
  const files = manifest.files.map((file): ReceiptRow => {
    const outcome =
      outcomes.get(file.index) ??
      (file.refused && { index: file.index, kind: 'set-apart' as const, reason: file.refused });
    const facts = {
      index: file.index,
      path: file.path,
      sizeBytes: file.sizeBytes,
      ...(file.sha256 === undefined ? {} : { sha256: file.sha256 }),
    };
    if (outcome !== undefined) return { ...facts, ...describe(outcome) };
    const heldFor = held.get(file.index);
    const reason = heldFor && shortenReason(heldFor);
    return {
      ...facts,
      stored: [],
      notes: [],
      outcome: reason === undefined ? 'open' : 'held',
      ...(reason === undefined ? {} : { reason }),
    };
  });
  const unfinished = files.filter(file => file.outcome === 'held' || file.outcome === 'open');
  if (input.final && unfinished.length > 0) {
    throw new ShareError(
      'outcomes-incomplete',
      `The receipt of batch ${manifest.batchId} would leave ${unfinished.length} of ${files.length} files unaccounted for.`,
    );
  }
  const notTold = files.filter(isNotTold).length;
  return {
    version: 1,
    batchId: manifest.batchId,
    share: manifest.share,
    project: manifest.project,
    manifestSha256: input.manifestSha256,
    claimedAt: manifest.createdAt,
    writtenAt: input.now.toISOString(),
    final: input.final,
    ...(notTold === 0 ? {} : { revisionIdsNotTold: notTold }),
    files,
  };
}

/** The receipt with its seal. */
export function sealReceipt(seals: Seals, receipt: Receipt): Receipt {
  const { seal: _seal, sealedBy: _by, ...rest } = receipt;
  return { ...rest, seal: seals.of('receipt', textOf(rest)), sealedBy: seals.keyId };
}

/** @throws ShareError when it was changed since it was written, or sealed with another key. */
export function checkReceipt(seals: Seals, label: string, receipt: Receipt): void {
  const { seal = '', sealedBy = '', ...rest } = receipt;
  seals.check('receipt', label, { text: textOf(rest), seal, sealedBy });
}

/** By the schema's own order of keys, however the file has them. */
function textOf(rest: Receipt): string {
  return JSON.stringify(receiptSchema.parse(rest));
}

/** How many files went which way. */
export function countReceipt(receipt: Receipt): { done: number; attention: number; idsNotTold?: number } {
  const count = (outcome: ReceiptRow['outcome']) =>
    receipt.files.filter(file => file.outcome === outcome).length;
  const notTold = receipt.files.filter(isNotTold).length;
  return {
    done: count('submitted'),
    attention: count('set-apart'),
    ...(notTold === 0 ? {} : { idsNotTold: notTold }),
  };
}

function isNotTold({ outcome, revisionId }: ReceiptRow): boolean {
  return outcome === 'submitted' && (revisionId ?? null) === null;
}

/** A revision is permanent, whatever is said later; its id may become known later. */
function isBetter(outcome: DocumentOutcome, known: DocumentOutcome | undefined): boolean {
  if (known?.kind !== 'submitted') return true;
  return known.revisionId === null && outcome.kind === 'submitted' && outcome.revisionId !== null;
}

function describe(outcome: DocumentOutcome): Omit<ReceiptRow, 'index' | 'path' | 'sizeBytes' | 'sha256'> {
  const both = {
    stored: (outcome.stored ?? []).map(({ label, value }) => ({ label, value })),
    notes: [...(outcome.notes ?? [])],
    ...(outcome.uploadId === undefined ? {} : { uploadId: outcome.uploadId }),
  };
  if (outcome.kind === 'set-apart')
    return { ...both, outcome: 'set-apart', reason: shortenReason(outcome.reason) };
  return {
    ...both,
    outcome: 'submitted',
    revisionId: outcome.revisionId,
    paired: outcome.paired,
    submittedAt: new Date(outcome.submittedAtMs).toISOString(),
  };
}
