// Documents that wait for a person, what may be answered, and the answers.
import { z } from 'zod';
import { jobParams, moment } from './common';
import type { Routes } from './route';

const questionShape = z.enum(['missing-values', 'workflow-conflict', 'overtaken', 'duplicate']);
export type Question = z.infer<typeof questionShape>;

/** A value that is known here; values that the service itself found are not. */
const presentValue = z.object({
  /** Name of the field. */
  field: z.string(),
  text: z.string(),
  /** In words, such as `register, column F`. */
  from: z.string(),
});

const heldRow = z.object({
  share: z.string(),
  /** As in `jobParams`: the id of the job, or of the batch for loose files. */
  job: z.string(),
  jobName: z.string(),
  batchId: z.string(),
  index: z.int(),
  /** Path in the batch, as answers name it. */
  path: z.string(),
  /** Path below the job's folder. */
  file: z.string(),
  /** Its row in the register; null without one. */
  row: z.int().nullable(),
  number: z.string().nullable(),
  revision: z.string().nullable(),
  title: z.string().nullable(),
  question: questionShape,
  /** What is asked and what to do, as the receipt says it. */
  reason: z.string(),
  whatToDo: z.string(),
  /** Labels of the fields that still need a value. */
  missing: z.array(z.string()),
  values: z.array(presentValue),
  since: moment,
  until: moment,
});
export type HeldRow = z.infer<typeof heldRow>;

/** An answer that somebody gave on this page a short while ago. */
const givenAnswer = z.object({
  share: z.string(),
  batchId: z.string(),
  index: z.int(),
  by: z.string(),
  at: moment,
  /** As it is told in the receipt. */
  said: z.string(),
  /** Name of the field to what was given for it. */
  values: z.record(z.string(), z.string()),
});
export type GivenAnswer = z.infer<typeof givenAnswer>;

const waitingPage = z.object({
  rows: z.array(heldRow),
  jobs: z.array(z.object({ share: z.string(), job: z.string(), name: z.string(), held: z.int() })),
  answered: z.array(givenAnswer),
  /**
   * How often a value stands in the rows of a job that do not wait: at most ten a field, the most frequent
   * first.
   */
  used: z.array(
    z.object({ share: z.string(), job: z.string(), field: z.string(), text: z.string(), rows: z.int() }),
  ),
  /** What a share does about a review that stands against a document: `ask` waits for a person. */
  conflicts: z.record(z.string(), z.enum(['ask', 'terminate', 'wait', 'set-apart'])),
  /** What cannot be asked just now, in one sentence; null where everything answers. */
  away: z.string().nullable(),
  /** Batches can take answers just now. */
  mayAnswer: z.boolean(),
  at: moment,
});
export type WaitingPage = z.infer<typeof waitingPage>;

const listValue = z.object({
  label: z.string(),
  /** Empty where it has none. */
  code: z.string(),
});

const projectField = z.object({
  name: z.string(),
  label: z.string(),
  takes: z.enum(['text', 'number', 'date', 'one-of', 'many-of']),
  isPeople: z.boolean(),
  required: z.boolean(),
  requiredByType: z.array(z.string()),
  requiredByFields: z.array(z.string()),
  /** Set by the share, whatever anybody says. */
  isForced: z.boolean(),
  /** Active ones alone; empty where they are not listed: then any text is taken, and checked later. */
  values: z.array(listValue),
});
export type ProjectFieldOf = z.infer<typeof projectField>;

const fieldsPage = z.object({
  /** When the service was asked; null: not yet, and it was asked for now. */
  at: moment.nullable(),
  fields: z.array(projectField),
  /** Which of day and month comes first where both could be meant. */
  dates: z.enum(['day-month-year', 'month-day-year']).nullable(),
  /** The word that leaves a field empty, as in a register. */
  emptyWord: z.string(),
});
export type FieldsPage = z.infer<typeof fieldsPage>;

const said = z.object({
  share: z.string().max(100),
  batchId: z.string().max(100),
  /** Indexes in the batch. */
  documents: z.array(z.int().nonnegative()).min(1).max(1_000),
  values: z
    .record(
      z.string().max(500),
      z.union([z.string().max(10_000), z.array(z.string().max(10_000)).max(1_000)]),
    )
    .optional(),
  decision: z.enum(['terminate', 'retry', 'set-apart']).optional(),
  reason: z.string().trim().min(1).max(500).optional(),
  status: z.string().min(1).max(200).optional(),
  /**
   * The question as it was shown: where another one is asked meanwhile, the answer is refused. Without a
   * `reason`, any question of this kind is meant.
   */
  asked: z.object({ question: questionShape, reason: z.string().max(10_000).optional() }).optional(),
});
export type SaidOfDocuments = z.infer<typeof said>;

const answeredDocument = z.object({ share: z.string(), batchId: z.string(), index: z.int() });

const answersTold = z.object({
  taken: z.array(answeredDocument),
  refused: z.array(
    answeredDocument.extend({
      why: z.string(),
      /** Who had answered before, where that is known. */
      before: z.object({ by: z.string().nullable(), at: moment, said: z.string() }).nullable(),
    }),
  ),
});
export type AnswersTold = z.infer<typeof answersTold>;

/** What a sheet says for rows that wait: put into the grid, where a person looks at it and saves. */
const sheetTold = z.object({
  rows: z.array(answeredDocument.extend({ values: z.record(z.string(), z.string()) })),
  refused: z.array(z.object({ document: z.string(), why: z.string() })),
  /** Held, and the sheet has no row for it. */
  unlisted: z.int(),
  /** Headers of columns that are no fields of the project. */
  unread: z.array(z.string()),
});
export type SheetTold = z.infer<typeof sheetTold>;

export const waitingRoutes = {
  'GET /api/waiting': {
    role: 'see',
    summary: 'Documents of all jobs that wait for a person',
    answer: waitingPage,
  },
  'GET /api/waiting/count': {
    role: 'see',
    summary: 'How many documents wait for a person',
    answer: z.object({ held: z.int() }),
  },
  'GET /api/fields/:share': {
    role: 'see',
    summary: 'Fields of the project of a share, with their allowed values',
    params: jobParams.pick({ share: true }),
    answer: fieldsPage,
  },
  'POST /api/answers': {
    role: 'answer',
    summary: 'Answers for many documents: one update for each batch',
    body: z.object({ answers: z.array(said).min(1).max(5_000) }),
    bodyBytes: 24 * 1024 * 1024,
    answer: answersTold,
  },
} as const satisfies Routes;
