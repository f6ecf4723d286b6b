// The manifest of a batch: which files it has, with their sizes and hashes. Written once, whole, before
// anything remote happens; never changed after that. Its SHA-256 travels with the workflow.
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { ProjectRef, Reason } from '../../../workflows/contract';
import { MOST_CELL_CHARS, MOST_COLUMNS } from '../../registers/sheet/row-limits';
import { isThere } from '../files/if-there';
import { requireMissing } from '../files/missing';
import { readOwnJson } from '../files/own-json';
import { isInnerPath } from '../files/relative-path';
import { ShareError } from '../files/share-error';
import { type BatchPaths, below, belowBytes } from '../files/share-layout';
import { writeOnce } from '../files/write-whole';

/** What a manifest holds of a register at most, besides its rows: it travels with the workflow. */
export const MOST_NOT_THERE = 1_000;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();
const instant = z.iso.datetime();

export const reasonSchema = z.strictObject({
  code: z.string().min(1).max(100),
  text: z.string().max(4_000),
  fix: z.string().max(4_000),
});

/** A value as the receipt shows it. */
export const storedSchema = z.strictObject({
  label: z.string(),
  value: z.string(),
  from: z.string().max(100).optional(),
});

const label = z.string();
const wait = { sinceMs: z.number(), why: z.string().max(1_000) };
const labels = z.array(label).max(500).readonly().optional();
/** How a document came to its values, as far as a receipt says it. Absent in those of earlier versions. */
export const howSchema = {
  analysis: z
    .strictObject({
      waitedMs: z.number().nonnegative(),
      end: z.enum(['late', 'failed']).optional(),
      found: labels,
      lacked: labels,
      replaced: z
        .array(z.strictObject({ label, value: z.string() }))
        .max(500)
        .readonly()
        .optional(),
    })
    .optional(),
  answers: z
    .array(
      z.strictObject({
        by: z.string().max(100).optional(),
        atMs: z.number(),
        sinceMs: z.number(),
        question: z.string().max(100),
        said: z.string().max(1_000),
      }),
    )
    .max(100)
    .readonly()
    .optional(),
  waits: z
    .array(
      z.discriminatedUnion('what', [
        z.strictObject({ what: z.literal('in-line'), ...wait, untilMs: z.number().optional() }),
        z.strictObject({
          what: z.literal('workflow-conflict'),
          ...wait,
          untilMs: z.number(),
          times: z.number().int().positive(),
          policy: z.enum(['ask', 'terminate', 'wait', 'set-apart']),
        }),
      ]),
    )
    .max(100)
    .readonly()
    .optional(),
};

/** A reason as it fits into our files: what the service says of itself may be of any length. */
export function shortenReason(reason: Reason): Reason {
  const { code, text, fix } = reason;
  return { code: code.slice(0, 100) || 'unknown', text: text.slice(0, 4_000), fix: fix.slice(0, 4_000) };
}

export const projectSchema = z.strictObject({
  companyId: z.string().min(1).max(64),
  projectId: z.string().min(1).max(64),
});

const cell = z.string().max(MOST_CELL_CHARS);
const columns = z.array(count.max(MOST_COLUMNS)).min(1).max(MOST_COLUMNS);
const sentence = z.string().max(4_000);

const entrySchema = z.strictObject({
  register: count,
  row: z
    .strictObject({
      number: count,
      cells: z.array(cell).max(MOST_COLUMNS),
      numbers: columns.optional(),
      otherwise: columns.optional(),
      errors: columns.optional(),
      dates: columns.optional(),
      booleans: columns.optional(),
      plain: z.record(z.string().regex(/^\d{1,3}$/), cell).optional(),
    })
    .optional(),
  faults: z.array(sentence).min(1).max(MOST_COLUMNS).optional(),
});

/** A sheet that came with files of the batch and says what they are. */
const registerSchema = z.strictObject({
  /**
   * The job of the batch has it, for all its batches: it is moved and told of with the receipt of the job.
   * Absent for one that lies among the files of the batch.
   */
  ofJob: z.literal(true).optional(),
  path: z.string().max(8_192).refine(isInnerPath, 'not a path inside the batch'),
  sizeBytes: count,
  sha256,
  headers: z.array(cell).max(MOST_COLUMNS),
  /** Rows about files that did not come; what each of them says in the receipt. */
  notThere: z.array(z.strictObject({ row: count, file: cell, text: sentence })).max(MOST_NOT_THERE),
  /** For the receipt. */
  notices: z.array(sentence).max(100),
});
/** The job that a batch is part of. */
export const jobOfBatchSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{20}$/),
  /** For people. */
  name: z.string().min(1).max(1_000),
  /** The name of its folder below `done` and `attention`. */
  place: z
    .string()
    .min(1)
    .max(1_000)
    .refine(place => isInnerPath(place) && !place.includes('/'), 'not the name of a folder'),
  /** Which of its batches this is, from 1. */
  part: z.number().int().positive(),
});
export type JobOfBatch = z.infer<typeof jobOfBatchSchema>;

const manifestFile = z.strictObject({
  index: count,
  /** As dropped, relative to the drop folder, `/` between the parts. */
  path: z.string().max(8_192).refine(isInnerPath, 'not a path inside the batch'),
  /**
   * Base64 of the path's bytes, when they are not UTF-8; `path` then shows them with replacement characters.
   */
  pathBytes: z.base64().max(16_384).optional(),
  sizeBytes: count,
  /** Nanoseconds since 1970, as a decimal string: more than a JSON number holds. */
  mtimeNs: z.string().regex(/^-?\d{1,20}$/),
  sha256: sha256.optional(),
  /** Present when the file travels in more than one segment. */
  segments: z
    .array(z.strictObject({ offset: count, sizeBytes: count, sha256 }))
    .min(2)
    .max(10_000)
    .optional(),
  /** Made with the hashes (byte-seals.ts); absent for a few bytes, and in manifests of earlier versions. */
  byteSeals: z
    .strictObject({
      salt: z.string().regex(/^[0-9a-f]{32}$/),
      tags: z
        .array(z.string().regex(/^[0-9a-f]{32}$/))
        .min(1)
        .max(10_000),
    })
    .optional(),
  mimeType: z.string().min(3).max(255),
  values: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  refused: reasonSchema.optional(),
  /** For a file that came with a register: what that says of it. */
  entry: entrySchema.optional(),
  /** Why somebody may have meant it as a register, which it was not taken for. */
  looks: z.string().max(2_000).optional(),
});

function hasInnerBytes({ pathBytes }: z.infer<typeof manifestFile>): boolean {
  return pathBytes === undefined || isInnerPath(Buffer.from(pathBytes, 'base64').toString('latin1'));
}

const manifestSchema = z
  .strictObject({
    version: z.literal(1),
    batchId: z.string(),
    share: z.string(),
    project: projectSchema,
    createdAt: instant,
    /** Absent for a batch that is part of no job. */
    job: jobOfBatchSchema.optional(),
    files: z.array(manifestFile).min(1).max(100),
    /** Absent for none. */
    registers: z.array(registerSchema).min(1).max(100).optional(),
    /**
     * Over all the rest, so that an edited or a planted manifest is not followed;
     * absent only until it is sealed.
     */
    seal: sha256.optional(),
    sealedBy: z.string().max(64).optional(),
  })
  .refine(manifest => manifest.files.every((file, index) => file.index === index), 'indexes must run from 0')
  .refine(manifest => manifest.files.every(hasInnerBytes), 'the bytes of a path must lead into the batch')
  .refine(
    ({ files, registers = [] }) => files.every(({ entry }) => (entry?.register ?? -1) < registers.length),
    'an entry is of one of the registers',
  )
  .refine(
    manifest => manifest.files.every(file => file.refused !== undefined || file.sha256 !== undefined),
    'a file that travels needs its hash',
  );

export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestFile = Manifest['files'][number];
export type ManifestRegister = NonNullable<Manifest['registers']>[number];

/** A manifest and the SHA-256 of its bytes on the share. */
export interface SealedManifest {
  readonly manifest: Manifest;
  readonly manifestSha256: string;
}

/** Writes the manifest. When there is one already, that one counts and is returned. */
export async function sealManifest(paths: BatchPaths, manifest: Manifest): Promise<SealedManifest> {
  const { seal: _none, sealedBy: _nobody, ...content } = manifestSchema.parse(manifest);
  const { seals } = paths;
  const seal = seals.of('manifest', JSON.stringify(content));
  const text = `${JSON.stringify({ ...content, seal, sealedBy: seals.keyId }, undefined, 1)}\n`;
  if (await writeOnce(paths.fs, paths.manifest, text)) return { manifest, manifestSha256: hash(text) };
  return await readManifest(paths);
}

/**
 * @throws ShareError `batch-unknown` without a manifest, `manifest-differs` when it is not the expected one.
 */
export async function readManifest(paths: BatchPaths, expectSha256?: string): Promise<SealedManifest> {
  const { fs, batchId } = paths;
  const label = `The manifest of batch ${batchId}`;
  const read = await readOwnJson(fs, paths.manifest, label, manifestSchema);
  if (read === undefined) {
    await requireMissing(fs, paths.manifest, dirname(paths.folder));
    throw new ShareError('batch-unknown', `Batch ${batchId} has no manifest.`);
  }
  const manifestSha256 = hash(read.bytes);
  if (read.value.batchId !== batchId || (expectSha256 !== undefined && expectSha256 !== manifestSha256)) {
    throw new ShareError('manifest-differs', `${label} is not the one this batch was started with.`);
  }
  const { seal = '', sealedBy = '', ...manifest } = read.value;
  // Parsing has put the keys into the schema's order, however the file has them.
  paths.seals.check('manifest', label, { text: JSON.stringify(manifest), seal, sealedBy });
  const { project } = paths;
  if (project !== undefined && !isSameProject(project, manifest.project)) {
    throw new ShareError(
      'project-differs',
      `${label} is for project ${manifest.project.projectId}, the share's is ${project.projectId}.`,
    );
  }
  return { manifest, manifestSha256 };
}

export function isSameProject(one: ProjectRef, other: ProjectRef): boolean {
  return one.companyId === other.companyId && one.projectId === other.projectId;
}

export function hasManifest(paths: BatchPaths): Promise<boolean> {
  return isThere(paths.fs, paths.manifest);
}

/** The name of the folder below `done` and `attention` that the files of a batch go to. */
export function placeOfBatch({
  batchId,
  job,
}: {
  readonly batchId: string;
  readonly job?: JobOfBatch | undefined;
}): string {
  return job?.place ?? batchId;
}

/** A file's path below that folder: without the folder of the job, which the place stands for. */
export function pathInPlace(
  { job }: Pick<Manifest, 'job'>,
  { path, pathBytes }: Pick<ManifestFile, 'path' | 'pathBytes'>,
): Pick<ManifestFile, 'path' | 'pathBytes'> {
  if (job === undefined) return { path, pathBytes };
  const inner = path.slice(path.indexOf('/') + 1);
  if (pathBytes === undefined) return { path: inner };
  const bytes = Buffer.from(pathBytes, 'base64');
  return { path: inner, pathBytes: bytes.subarray(bytes.indexOf('/') + 1).toString('base64') };
}

/** Where a claimed file lies, or will lie, below `base`; in bytes when its name is not UTF-8. */
export function placeBelow(base: string, file: Pick<ManifestFile, 'path' | 'pathBytes'>): string | Buffer {
  return file.pathBytes === undefined
    ? below(base, file.path)
    : belowBytes(base, Buffer.from(file.pathBytes, 'base64'));
}

function hash(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
