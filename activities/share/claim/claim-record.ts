// What a claim is about to take, noted before the first file is moved: whoever finishes it later takes up
// these files only, and as they were seen. Anything else in its folder goes back to where files are dropped.
import { z } from 'zod';
import { hasCode } from '../../host/error-code';
import { type JobOfBatch, jobOfBatchSchema } from '../batch/manifest';
import type { DropEntry } from '../drop/scan-drop';
import { readOwnJson } from '../files/own-json';
import { decodeName, isInnerPath, type RelativePath } from '../files/relative-path';
import type { Seals } from '../files/seals';
import { ShareError, type ShareErrorCode } from '../files/share-error';
import type { FileFacts } from '../files/share-fs';
import type { BatchPaths } from '../files/share-layout';
import { writeOnce } from '../files/write-whole';

const wantedFile = z.strictObject({
  path: z.string().max(8_192).refine(isInnerPath, 'not a path inside the batch'),
  pathBytes: z.base64().max(16_384).optional(),
  kind: z.enum(['file', 'folder', 'symlink', 'special']),
  sizeBytes: z.number().int().nonnegative(),
  mtimeNs: z.string().regex(/^-?\d{1,20}$/),
  identity: z.string().max(100),
});

const contentSchema = z.strictObject({
  version: z.literal(1),
  batchId: z.string(),
  files: z.array(wantedFile).max(100),
  /** The job that they are claimed for. */
  job: jobOfBatchSchema.optional(),
});
const recordSchema = contentSchema.extend({ seal: z.string(), sealedBy: z.string() });

/** What a claim is about to take, and for which job. */
export interface Wanted {
  /** By the path's bytes, which is what names a file for certain; in the order they were asked for. */
  readonly files: ReadonlyMap<string, WantedFile>;
  readonly job?: JobOfBatch | undefined;
}

/** What was seen of one of them. */
export type WantedFile = Pick<DropEntry, 'kind' | 'sizeBytes' | 'mtimeNs' | 'identity'>;

const NOTHING: Wanted = { files: new Map() };

/** Durable when it returns. */
export async function writeWanted(
  paths: BatchPaths,
  entries: readonly DropEntry[],
  job: JobOfBatch | undefined,
): Promise<void> {
  const content = contentSchema.parse({
    version: 1,
    batchId: paths.batchId,
    files: entries.map(({ path, bytes, kind, sizeBytes, mtimeNs, identity }) => ({
      path,
      ...(bytes === undefined ? {} : { pathBytes: bytes.toString('base64') }),
      kind,
      sizeBytes,
      mtimeNs: mtimeNs.toString(),
      identity,
    })),
    ...(job === undefined ? {} : { job }),
  });
  const seal = paths.seals.of('wanted', JSON.stringify(content));
  await writeOnce(
    paths.fs,
    paths.wanted,
    `${JSON.stringify({ ...content, seal, sealedBy: paths.seals.keyId })}\n`,
  );
}

/**
 * Undefined when nothing was noted. @throws ShareError when it is not as we wrote it, or cannot be read now.
 */
export async function readWantedRecord(paths: BatchPaths): Promise<Wanted | undefined> {
  const label = `The claim of batch ${paths.batchId}`;
  const read = await readOwnJson(paths.fs, paths.wanted, label, recordSchema);
  if (read === undefined) return undefined;
  const { seal, sealedBy, ...content } = read.value;
  checkSeal(paths.seals, label, { text: JSON.stringify(content), seal, sealedBy });
  if (content.batchId !== paths.batchId)
    throw new ShareError('batch-damaged', `${label} is that of another batch.`);
  const files = content.files.map(({ path, pathBytes, mtimeNs, ...facts }): [string, WantedFile] => [
    keyOf({ path, bytes: pathBytes === undefined ? undefined : Buffer.from(pathBytes, 'base64') }),
    { ...facts, mtimeNs: BigInt(mtimeNs) },
  ]);
  return { files: new Map(files), job: content.job };
}

/**
 * Earlier versions, which did not seal claims, sealed this record as a `claim`. No claim of today passes for
 * it: a claim's sealed text begins with the id of its batch, this one with a brace.
 */
function checkSeal(seals: Seals, label: string, file: Parameters<Seals['check']>[2]): void {
  try {
    seals.check('wanted', label, file);
  } catch (error) {
    if (!hasCode<ShareErrorCode>(error, 'batch-damaged')) throw error;
    seals.check('claim', label, file);
  }
}

/**
 * For a claim that is ours. Empty when nothing was noted, for then nothing can have been taken, and when what
 * is noted cannot be believed: then all that lies there goes back to the drop folder.
 * @throws ShareError `unreadable-now`, or of the whole share.
 */
export async function readWanted(paths: BatchPaths): Promise<Wanted> {
  try {
    return (await readWantedRecord(paths)) ?? NOTHING;
  } catch (error) {
    if (hasCode<ShareErrorCode>(error, 'batch-damaged', 'key-differs')) return NOTHING;
    throw error;
  }
}

export function keyOf(file: RelativePath): string {
  return (file.bytes ?? Buffer.from(file.path)).toString('latin1');
}

/** The name that a key stands for. */
export function toName(key: string): RelativePath {
  const bytes = Buffer.from(key, 'latin1');
  const text = decodeName(bytes);
  return text === undefined ? { path: bytes.toString('utf8'), bytes } : { path: text };
}

/** Whether a file that was taken is the one that was wanted. */
export function isWanted(facts: FileFacts, wanted: WantedFile): boolean {
  return (
    facts.kind === wanted.kind &&
    facts.sizeBytes === wanted.sizeBytes &&
    facts.mtimeNs === wanted.mtimeNs &&
    (wanted.identity === '' || facts.identity === wanted.identity)
  );
}
