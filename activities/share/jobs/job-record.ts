// A job on its share: what was dropped as one folder, whatever number of batches it takes. Its record is
// written once, before its first batch is claimed, and says where its files go. Which batches it has is said
// by their manifests; their names are noted in the job's folder before they take anything, so they are found.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { projectSchema } from '../batch/manifest';
import type { MarkKind } from '../files/own-marks';
import { KEPT_REGISTER, type ShareLayout } from '../files/share-layout';
import { begunWithShape } from '../register/begun-with';

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
  ...begunWithShape,
});
export type JobRecord = z.infer<typeof jobSchema>;

const closedSchema = z.strictObject({
  version: z.literal(1),
  closedAt: z.iso.datetime(),
  /** Names in its folder that were left where they lie, relative to it; the first hundred. */
  ignored: z.array(z.string().max(8_192)).max(100),
  ignoredInAll: z.number().int().nonnegative(),
  /** Files that no row is about and that stay in its folder, relative to it; absent where there is none. */
  left: z.array(z.string().max(8_192)).max(100).optional(),
  leftInAll: z.number().int().nonnegative().optional(),
  /** Of its `receipt.csv`, as the share was set by then; absent for a comma. */
  delimiter: z.enum([';', '\t']).optional(),
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
 * the job. Names that differ in case or in the form of accents are one place, as on some file systems.
 */
export function jobIdOf(place: string): string {
  return hash('sha256', place.normalize('NFC').toLowerCase()).slice(0, 20);
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
    register: join(folder, KEPT_REGISTER),
  };
}

/** The copy of the register that the job reads; by its hash, for several watchers may have copied theirs. */
export function sheetOf({ folder }: JobPaths, sha256: string): string {
  return join(folder, `sheet-${sha256}`);
}
