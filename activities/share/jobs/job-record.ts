// A job on its share: what was dropped as one folder, whatever number of batches it takes. Its record is
// written once, before its first batch is claimed, and says where its files go. Which batches it has is said
// by their manifests; their names are noted in the job's folder before they take anything, so they are found.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { projectSchema, reasonSchema } from '../batch/manifest';
import type { MarkKind } from '../files/own-marks';
import { isInnerPath } from '../files/relative-path';
import type { ShareLayout } from '../files/share-layout';

const path = z.string().max(8_192).refine(isInnerPath, 'not a path inside the folder');
const row = z.number().int().nonnegative();

/**
 * The register that a job was begun with. It was read once, for all batches: which row is about which file is
 * decided here, and what the rows say is in the sheet, of which the job keeps a copy. Paths are those from the
 * job's folder on.
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

const jobSchema = z.strictObject({
  version: z.literal(1),
  jobId: z.string(),
  /** For people: the name of its folder. */
  name: z.string().min(1).max(1_000),
  /** The top folder of the drop; null for files that lay loose there. */
  folder: z.string().max(1_000).nullable(),
  /** The name of its folder below `done` and `attention`; no other job ever has it. */
  place: z.string().min(1).max(1_000),
  share: z.string(),
  project: projectSchema,
  createdAt: z.iso.datetime(),
  /** Absent without one. */
  register: registerSchema.optional(),
  unusable: unusableSchema.optional(),
  /** Documents that somebody may have meant as the register, with why they were not taken for one. */
  looks: z
    .array(z.strictObject({ path, text: z.string().max(2_000) }))
    .max(100)
    .optional(),
});
export type JobRecord = z.infer<typeof jobSchema>;

const closedSchema = z.strictObject({
  version: z.literal(1),
  closedAt: z.iso.datetime(),
  /** Names in its folder that were left where they lie, relative to it; the first hundred. */
  ignored: z.array(z.string().max(8_192)).max(100),
  ignoredInAll: z.number().int().nonnegative(),
});
/** Nothing more becomes part of the job. */
export type ClosedJob = z.infer<typeof closedSchema>;

export const JOB: MarkKind<JobRecord> = { kind: 'job', label: 'The record of a job', schema: jobSchema };
export const CLOSED: MarkKind<ClosedJob> = {
  kind: 'job-closed',
  label: 'The end of a job',
  schema: closedSchema,
};

/** Where what is known of one job lies. */
export interface JobPaths {
  readonly jobId: string;
  readonly folder: string;
  readonly record: string;
  readonly closed: string;
  /** A name in it for each batch that was ever begun for the job. */
  readonly batches: string;
  /** Its register as it was dropped, until that goes back to people with the receipt. */
  readonly register: string;
}

/**
 * A job is named by its place: whoever makes a job takes its place by that, and whoever finds the place finds
 * the job. Names that some file systems take for one are one place.
 */
export function jobIdOf(place: string): string {
  return createHash('sha256').update(place.normalize('NFC').toLowerCase()).digest('hex').slice(0, 20);
}

export function openJobPaths(layout: Pick<ShareLayout, 'jobs'>, jobId: string): JobPaths {
  return pathsIn(join(layout.jobs, jobId), jobId);
}

/** Of a job that has its receipt and was put away. */
export function finishedJobPaths(layout: Pick<ShareLayout, 'finishedJobs'>, jobId: string): JobPaths {
  return pathsIn(join(layout.finishedJobs, jobId.slice(0, 2), jobId), jobId);
}

function pathsIn(folder: string, jobId: string): JobPaths {
  return {
    jobId,
    folder,
    record: join(folder, 'job.json'),
    closed: join(folder, 'closed.json'),
    batches: join(folder, 'batches'),
    register: join(folder, 'register'),
  };
}

/** The copy of a register that the job reads. Several watchers may make one job, from sheets that differ. */
export function sheetOf({ folder }: JobPaths, sha256: string): string {
  return join(folder, `sheet-${sha256}`);
}
