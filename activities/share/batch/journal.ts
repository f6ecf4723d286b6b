// The journal of a batch: immutable records, one file each, so that writers never touch what another has
// written. A record is on disk when `appendRecord` returns; a torn or foreign one is reported and left out.
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { JournalRecord } from '../../../workflows/ingest/ingest-contract';
import { isGone, isTaken } from '../../host/file-trouble';
import { requireMissing } from '../files/missing';
import { readOwnJson } from '../files/own-json';
import { comparePaths } from '../files/relative-path';
import { ShareError, toShareError } from '../files/share-error';
import { temporaryName } from '../files/share-fs';
import type { BatchPaths } from '../files/share-layout';
import type { DatedRecord } from './fold-journal';
import { howSchema, reasonSchema, shortenReason, storedSchema } from './manifest';

/**
 * Bounds what is read into memory; a batch of 100 writes some hundreds. More is a fault, and nothing is read
 * in part: an intent might be among what is left out.
 */
const MAX_RECORDS = 20_000;

const index = z.number().int().min(0).max(99);
const id = z.string().min(1).max(200);
const text = z.string().max(1_000);
const upload = z.strictObject({ index, uploadId: id });
const uploads = z.array(upload).max(100);

const outcomeBase = {
  index,
  uploadId: id.optional(),
  stored: z.array(storedSchema).max(500).optional(),
  notes: z.array(z.string()).max(500).optional(),
  ...howSchema,
};
const outcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    ...outcomeBase,
    kind: z.literal('submitted'),
    revisionId: id.nullable(),
    paired: z.enum(['certain', 'by-order', 'unknown']),
    submittedAtMs: z.number(),
  }),
  z.strictObject({ ...outcomeBase, kind: z.literal('set-apart'), reason: reasonSchema }),
  z.strictObject({ ...outcomeBase, kind: z.literal('skipped'), reason: reasonSchema }),
]);

const recordSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('transferred'),
    files: z.array(z.strictObject({ index, fileUploadId: id, openedAtMs: z.number() })).max(100),
  }),
  z.strictObject({ kind: z.literal('created'), uploads }),
  z.strictObject({ kind: z.literal('completed'), uploads }),
  z.strictObject({
    kind: z.literal('intent'),
    uploads: z.array(upload.extend({ eventId: id.optional() })).max(100),
  }),
  z.strictObject({
    kind: z.literal('matched'),
    documents: z.array(z.strictObject({ index, matches: z.string().min(1).max(2_000) })).max(100),
  }),
  z.strictObject({
    kind: z.literal('required'),
    documents: z.array(z.strictObject({ index, when: text, asks: z.array(text).max(1_000) })).max(100),
  }),
  z.strictObject({
    kind: z.literal('overtaken'),
    documents: z
      .array(
        z.strictObject({
          index,
          by: z.strictObject({ share: id, batchId: id, revision: z.string().max(1_000).optional() }),
        }),
      )
      .max(100),
  }),
  z.strictObject({ kind: z.literal('outcome'), outcomes: z.array(outcomeSchema).max(100) }),
]);

const envelopeSchema = z.strictObject({
  version: z.literal(1),
  batchId: z.string(),
  atMs: z.number().int().positive(),
  /** Over the batch and the record's own text, character by character. */
  seal: z.string(),
  sealedBy: z.string(),
  record: z.string(),
});

/** Writes one record; durable when it returns. */
export async function appendRecord(paths: BatchPaths, record: JournalRecord, nowMs: number): Promise<void> {
  const { fs, seals, batchId } = paths;
  const text = JSON.stringify(recordSchema.parse(shortenReasons(record)));
  const seal = seals.of('record', toSealed(batchId, nowMs, text));
  const envelope = { version: 1, batchId, atMs: nowMs, seal, sealedBy: seals.keyId, record: text };
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '');
  const name = `${stamp}-${record.kind}-${randomBytes(6).toString('hex')}.json`;
  const temporary = join(paths.journal, temporaryName());
  try {
    await writeInJournal(paths, temporary, `${JSON.stringify(envelope)}\n`);
    await fs.rename(temporary, join(paths.journal, name));
    await fs.syncFolder(paths.journal);
  } catch (error) {
    await fs.unlink(temporary).catch(() => undefined);
    throw toShareError(error) ?? error;
  }
}

/**
 * A record that is sealed with another key is left out like a torn one: we note nothing in a batch of another
 * key (open-notes.ts), so in a batch of ours somebody else has put it there.
 * @param onBad called with the name of each record that cannot be read; it is left out.
 * @param kind which records are read: those of one kind, or those whose file names it accepts.
 */
export async function readJournal(
  paths: BatchPaths,
  onBad: (name: string, why: string) => void,
  kind?: JournalRecord['kind'] | ((name: string) => boolean),
): Promise<DatedRecord[]> {
  const names = await listNames(paths, name => {
    return typeof kind === 'function' ? kind(name) : kind === undefined || name.includes(`-${kind}-`);
  });
  if (names.length > MAX_RECORDS) {
    throw new ShareError(
      'batch-damaged',
      `The journal of batch ${paths.batchId} has over ${MAX_RECORDS} records.`,
    );
  }
  return await readNamed(paths, names, onBad);
}

/**
 * When the newest record was noted, by its seal and not by its name alone; 0 where there is none.
 * @param onBad as for `readJournal`.
 */
export async function readNewestMs(
  paths: BatchPaths,
  onBad: (name: string, why: string) => void,
): Promise<number> {
  const names = await listNames(paths, name => /^\d{8}T\d{9}Z-/.test(name));
  for (const name of names.toReversed()) {
    const [newest] = await readNamed(paths, [name], onBad);
    if (newest !== undefined) return newest.atMs;
  }
  return 0;
}

/** In the order of their times. */
async function listNames(paths: BatchPaths, isWanted: (name: string) => boolean): Promise<string[]> {
  const { fs } = paths;
  const names: string[] = [];
  try {
    for await (const entry of fs.entries(paths.journal)) {
      const name = entry.name.toString('utf8');
      // What begins with a dot was never finished.
      if (name.startsWith('.') || !name.endsWith('.json')) continue;
      if (isWanted(name)) names.push(name);
    }
  } catch (error) {
    if (!isGone(error)) throw toShareError(error) ?? error;
    await requireMissing(fs, paths.journal, dirname(paths.folder));
    return [];
  }
  return names.sort(comparePaths);
}

async function readNamed(
  paths: BatchPaths,
  names: readonly string[],
  onBad: (name: string, why: string) => void,
): Promise<DatedRecord[]> {
  const { fs, batchId } = paths;
  const records: DatedRecord[] = [];
  for (const name of names) {
    try {
      const read = await readOwnJson(fs, join(paths.journal, name), `Record ${name}`, envelopeSchema);
      // Records are never removed: the share has gone away, or the batch was
      // put away, since they were listed.
      if (read === undefined) throw new ShareError('unreadable-now', `Record ${name} is out of reach.`);
      const { value } = read;
      if (value.batchId !== batchId) throw new Error(`Record ${name} belongs to another batch.`);
      const text = toSealed(batchId, value.atMs, value.record);
      paths.seals.check('record', `Record ${name}`, { ...value, text });
      const record = recordSchema.parse(JSON.parse(value.record)) as unknown as JournalRecord;
      records.push({ atMs: value.atMs, name, record });
    } catch (error) {
      // Only what no later look can read is left out: an intent that cannot be read just now would else
      // count as never given.
      const code = toShareError(error)?.code;
      if (code !== undefined && code !== 'batch-damaged' && code !== 'key-differs') throw error;
      onBad(name, (error as Error).message);
    }
  }
  return records;
}

/** An outcome must be noted, however long the text is that the service gives for it. */
function shortenReasons(record: JournalRecord): JournalRecord {
  if (record.kind !== 'outcome') return record;
  const outcomes = record.outcomes.map(outcome =>
    outcome.kind === 'submitted' ? outcome : { ...outcome, reason: shortenReason(outcome.reason) },
  );
  return { ...record, outcomes };
}

async function writeInJournal(paths: BatchPaths, path: string, text: string): Promise<void> {
  const { fs } = paths;
  try {
    await fs.writeNew(path, text);
  } catch (error) {
    if (!isGone(error)) throw error;
    // Not with its parents: a batch that is not there must not come into being here.
    await fs.makeFolder(paths.journal).catch(other => {
      if (!isTaken(other)) throw other;
    });
    await fs.syncFolder(paths.folder);
    await fs.writeNew(path, text);
  }
}

/** A record belongs to its batch and its time. */
function toSealed(batchId: string, atMs: number, text: string): string {
  return `${batchId} ${atMs}\n${text}`;
}
