// Jobs, their documents, and the way of each. Read only.
import { z } from 'zod';
import { endShape, jobParams, moment, outcomeShape, tallyShape } from './common';
import type { Routes } from './route';

export const jobSummary = z.object({
  share: z.string(),
  /** Id of the job; of the batch for loose files. */
  job: z.string(),
  /** May hold any character that a file name may hold. */
  name: z.string(),
  kind: z.enum(['folder', 'files']),
  tally: tallyShape,
  documents: z.int().nonnegative(),
  droppedAt: moment,
  /** Who dropped it, as the share tells it; null where it does not. */
  by: z.string().nullable(),
  /** Name of the register that it came with; null without one. */
  register: z.string().nullable(),
  sizeBytes: z.number().nonnegative().nullable(),
  /** null while it is on its way. */
  endedAt: moment.nullable(),
  end: endShape,
  /** What people must do, in one sentence, for the most frequent reason; null for nothing. */
  needs: z.object({ held: z.int(), setApart: z.int(), why: z.string(), until: moment.nullable() }).nullable(),
});
export type JobSummary = z.infer<typeof jobSummary>;

export const jobsQuery = z.object({
  state: z.enum(['all', 'waits', 'on-the-way', 'finished']).default('all'),
  /** What to search for: a name, Number, file, title or person. */
  q: z.string().max(200).default(''),
  /** A day of the reader's calendar, `2026-11-23`, and the reader's zone. */
  day: z.iso.date().optional(),
  zone: z.string().max(60).default('UTC'),
  by: z.string().max(200).optional(),
  share: z.string().max(100).optional(),
  /** `next` of the page of finished jobs before this one. */
  cursor: z.string().max(200).optional(),
});

export const jobsPage = z.object({
  /** On their way, first those that wait for a person, then by their expected end; on the first page only. */
  open: z.array(jobSummary),
  /** The newest first, at most 100. */
  finished: z.array(jobSummary),
  next: z.string().nullable(),
  counts: z.object({
    open: z.int(),
    waits: z.int(),
    /** Jobs of which something still moves by itself. */
    onTheWay: z.int(),
    finished: z.int(),
    /** Held documents of all jobs. */
    held: z.int(),
    /** Finished jobs that fit the question. */
    fit: z.int(),
  }),
  /** When the last of those on the way is expected to end; null while that is not known of all. */
  until: moment.nullable(),
  /** People who have dropped something, for the filter. */
  people: z.array(z.string()),
  shares: z.array(z.object({ name: z.string(), drop: z.string(), seen: z.boolean() })),
});

export const stages = z.object({
  takenOver: z.int(),
  checked: z.int(),
  uploaded: z.int(),
  analysed: z.int(),
  submitted: z.int(),
  hasReceipt: z.boolean(),
});

export const jobHead = jobSummary.extend({
  stages,
  /** What it waits for that is away. */
  outages: z.array(z.object({ what: z.enum(['api', 'storage', 'authentication']), since: moment })),
  /** Such as files that were ignored. */
  notes: z.array(
    z.object({
      kind: z.enum(['not-there', 'did-not-come', 'left', 'ignored']),
      names: z.array(z.string()),
      /** How many there are; of many only the first have their names kept. */
      count: z.int(),
    }),
  ),
  /** Its folders, relative to the share. */
  folders: z.array(z.string()),
  /** Relative to the share, where people find them. */
  receipts: z.array(z.object({ name: z.string(), path: z.string() })),
  /** By workflow and run an operator finds it in Temporal; null before it was begun. */
  batches: z.array(
    z.object({
      batchId: z.string(),
      workflowId: z.string().nullable(),
      runId: z.string().nullable(),
      /** Where an operator finds it in Temporal's own page; null where that is not known. */
      href: z.string().nullable(),
    }),
  ),
  /** Batches of it that are there and cannot be read: their documents are not counted. */
  unreadable: z.int(),
  /** Changes with the rows. */
  version: z.string(),
});
export type JobHead = z.infer<typeof jobHead>;

export const jobRow = z.object({
  /** Names the document in an address; stays the same as long as the job exists. */
  key: z.string(),
  /** Its row in the register; null without one. */
  row: z.int().nullable(),
  outcome: outcomeShape,
  /** Path below the job's folder. */
  file: z.string(),
  number: z.string().nullable(),
  revision: z.string().nullable(),
  title: z.string().nullable(),
  /** One sentence: what is wrong with it, or how it stands. */
  reason: z.string().nullable(),
  whatToDo: z.string().nullable(),
  since: moment.nullable(),
  /** Its cells in the register's own columns that were asked for, in that order. */
  cells: z.array(z.string().nullable()).optional(),
});
export type JobRow = z.infer<typeof jobRow>;

const wayStep = z.object({
  /** null where nobody knows; for a step that has not happened, by when it does at the latest. */
  at: moment.nullable(),
  hasHappened: z.boolean(),
  text: z.string(),
  detail: z.string().nullable(),
  outcome: outcomeShape.nullable(),
});

export const rowDetail = jobRow.extend({
  /** Where it lies now, relative to the share; null where that is not known. */
  path: z.string().nullable(),
  /** `from` in words; null where it was not kept. */
  values: z.array(z.object({ label: z.string(), value: z.string().nullable(), from: z.string().nullable() })),
  way: z.array(wayStep),
  notes: z.array(z.string()),
  batchId: z.string().nullable(),
  index: z.int().nullable(),
  sizeBytes: z.number().nullable(),
  sha256: z.string().nullable(),
  uploadId: z.string().nullable(),
  revisionId: z.string().nullable(),
  /** What is asked of a person; null for nothing. Its answer goes to `POST /api/answers`. */
  question: z
    .object({
      kind: z.enum(['missing-values', 'workflow-conflict', 'overtaken', 'duplicate']),
      missing: z.array(z.string()),
      since: moment,
      until: moment,
    })
    .nullable(),
});
export type RowDetail = z.infer<typeof rowDetail>;

export const found = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('document'),
    share: z.string(),
    job: z.string(),
    jobName: z.string(),
    key: z.string(),
    label: z.string(),
    revision: z.string().nullable(),
    outcome: outcomeShape,
    since: moment.nullable(),
  }),
  z.object({ kind: z.literal('job'), share: z.string(), job: z.string(), label: z.string(), at: moment }),
  z.object({ kind: z.literal('person'), label: z.string(), jobs: z.int() }),
]);

export const jobRoutes = {
  'GET /api/jobs': {
    role: 'see',
    summary: 'Jobs on their way and finished ones',
    query: jobsQuery,
    answer: jobsPage,
  },
  'GET /api/jobs/:share/:job': {
    role: 'see',
    summary: 'One job',
    params: jobParams,
    answer: jobHead,
  },
  'GET /api/jobs/:share/:job/rows': {
    role: 'see',
    summary: "Documents of a job, in the register's order",
    params: jobParams,
    /** Headers of the register's own columns that are wanted, one a line. */
    query: z.object({ columns: z.string().max(2_000).default('') }),
    answer: z.object({
      version: z.string(),
      /** Headers of the columns that its registers have. */
      columns: z.array(z.string()),
      /** Which columns the `cells` of each row are from. */
      wanted: z.array(z.string()),
      rows: z.array(jobRow),
    }),
  },
  'GET /api/jobs/:share/:job/rows/:key': {
    role: 'see',
    summary: 'One document: its values, where they came from, and its whole way',
    params: jobParams.extend({ key: z.string().max(1_000) }),
    answer: rowDetail,
  },
  'GET /api/find': {
    role: 'see',
    summary: 'Documents, jobs and people by number, file, hash, upload, revision or name',
    query: z.object({ q: z.string().min(1).max(200) }),
    answer: z.object({ found: z.array(found), more: z.boolean() }),
  },
} as const satisfies Routes;
