// One record of a share's ledger: what of one batch became revisions, as far as was known when it was
// written. Immutable and sealed. A batch that is settled in several steps has several records, its parts.
import { z } from 'zod';
import { projectSchema } from '../batch/manifest';
import type { Seals } from '../files/seals';
import { ShareError } from '../files/share-error';
import { isBatchId } from '../files/share-layout';

/** A batch is settled a few times, as its held documents are answered; so many parts can only be planted. */
export const MOST_PARTS = 1_000;

const text = z.string().max(2_000);
const id = z.string().min(1).max(200);

const entrySchema = z.strictObject({
  /** Place in the batch's manifest, from 0. */
  index: z.number().int().min(0).max(99),
  /** As dropped, relative to the drop folder, `/` between parts; for people. */
  path: z.string().max(8_192),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.number().int().nonnegative(),
  mimeType: z.string().max(255),
  /** As the service stored it; from the file's name where no look at the service showed it. */
  name: text,
  number: text.nullable(),
  revision: text.nullable(),
  /**
   * What its name, its folder and its row said when it was dropped: what it says again if it comes again.
   * `name` is absent where none was said, and in records of earlier versions, which can read such alone.
   */
  said: z.strictObject({ number: text.nullable(), revision: text.nullable(), name: text.optional() }),
  uploadId: id.nullable(),
  /** null: submitted for certain, but the response that named the revision was lost. */
  revisionId: id.nullable(),
  /** Unix milliseconds. */
  submittedAtMs: z.number().int().nonnegative(),
});

const recordSchema = z
  .strictObject({
    share: z.string().min(1).max(200),
    project: projectSchema,
    /** The job that the batch is part of; null for none. */
    job: z.strictObject({ id, name: text }).nullable(),
    entries: z.array(entrySchema).min(1).max(100),
  })
  .refine(
    ({ entries }) => new Set(entries.map(({ index }) => index)).size === entries.length,
    'each document has one entry',
  );

export const envelopeSchema = z.strictObject({
  version: z.literal(1),
  batchId: z.string().refine(isBatchId),
  /** From 1, without gaps. */
  part: z.number().int().min(1).max(MOST_PARTS),
  /** Over the batch, the part and the record's own text, character by character. */
  seal: z.string(),
  sealedBy: z.string(),
  record: z.string(),
});
export type Envelope = z.infer<typeof envelopeSchema>;

/** One document that became a revision. */
export type LedgerEntry = z.infer<typeof entrySchema>;
/** What all entries of one record have in common, and the entries. */
export type LedgerContent = z.infer<typeof recordSchema>;

/** Which record it is. */
export interface RecordName {
  readonly batchId: string;
  readonly part: number;
}

export interface LedgerRecord extends LedgerContent, RecordName {}

/** The file's text. @throws when the content is not what a record can hold. */
export function toRecordText(seals: Seals, name: RecordName, content: LedgerContent): string {
  const record = JSON.stringify(recordSchema.parse(content));
  const { batchId, part } = name;
  const seal = seals.of('ledger', toSealed(name, record));
  const envelope: Envelope = { version: 1, batchId, part, seal, sealedBy: seals.keyId, record };
  return `${JSON.stringify(envelope)}\n`;
}

/**
 * What the file says, once it is known to be ours and to stand under its own name.
 * @throws ShareError `key-differs` or `batch-damaged`.
 */
export function checkRecord(
  seals: Seals,
  name: RecordName,
  label: string,
  { batchId, part, record, seal, sealedBy }: Envelope,
): LedgerRecord {
  if (batchId !== name.batchId || part !== name.part) {
    throw new ShareError('batch-damaged', `${label} was written under another name.`);
  }
  seals.check('ledger', label, { text: toSealed(name, record), seal, sealedBy });
  const content = recordSchema.safeParse(parseJson(record));
  if (!content.success) {
    throw new ShareError('batch-damaged', `${label} is not a record of this version of Drawbridge.`);
  }
  return { ...content.data, batchId, part };
}

function toSealed({ batchId, part }: RecordName, record: string): string {
  return `${batchId} ${part}\n${record}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
