// Documents that were set apart and that nobody has taken up again, and the ways back.
import { z } from 'zod';
import { jobParams, moment } from './common';
import { uploadDetail } from './drop';
import type { Routes } from './route';

const apartPlace = z.object({
  share: z.string().max(100),
  batchId: z.string().max(100),
  /** Its number in the batch, from 0. */
  index: z.int().nonnegative(),
});

const apartRow = apartPlace.extend({
  /** As in `jobParams`: the id of the job, or of the batch for loose files. */
  job: z.string(),
  jobName: z.string(),
  /** It came in a folder: there is a page, a sheet and a register of its job. */
  isJob: z.boolean(),
  /** Leads to its page below that of the job, as the key of `JobRow` does; that page has the latter. */
  key: z.string(),
  /** Path below the job's folder. */
  file: z.string(),
  /** Its row in the register; null without one. */
  row: z.int().nullable(),
  number: z.string().nullable(),
  revision: z.string().nullable(),
  title: z.string().nullable(),
  /** Code of the reason: which of the groups it is in. */
  code: z.string(),
  reason: z.string(),
  whatToDo: z.string(),
  /** There can be no revision of it: it may be tried again without a look into the service. */
  isSafe: z.boolean(),
  /** A better file may be given in its place. */
  takesFile: z.boolean(),
  since: moment,
});
export type ApartRow = z.infer<typeof apartRow>;

const apartGroup = z.object({
  code: z.string(),
  title: z.string(),
  /** The same for all of its rows; null where they differ, and each says its own. */
  cause: z.string().nullable(),
  cure: z.string().nullable(),
  /** What is known beforehand of trying again as it is; null where it may well go through. */
  stands: z.string().nullable(),
  rows: z.int(),
});
export type ApartGroup = z.infer<typeof apartGroup>;

const apartPage = z.object({
  /** The most frequent first. */
  groups: z.array(apartGroup),
  /** By share, the newest first, then by job and row; at most 5,000. */
  rows: z.array(apartRow),
  count: z.int(),
  /** What could not be looked at, one sentence each. */
  unread: z.array(z.string()),
  at: moment,
});
export type ApartPage = z.infer<typeof apartPage>;

const again = z.object({
  documents: z
    .array(
      apartPlace.extend({
        /** Header of a column of its register to what is to stand in it now. */
        values: z.record(z.string().min(1).max(200), z.string().max(2_000)).optional(),
      }),
    )
    .min(1)
    .max(5_000),
  /** Only says what would be done. */
  dryRun: z.boolean(),
  /** Somebody has looked into the service: also those go that may have a revision by now. */
  hasLooked: z.boolean().default(false),
});

const againTold = z.object({
  /** Brought to the drop folder; in a dry run what would be. */
  goes: z.int(),
  /** Of those that would go: how many come back for certain, and why. */
  comesBack: z.array(z.object({ why: z.string(), documents: z.int() })),
  /** How many do not go without a look into the service first. */
  lookFirst: z.int(),
  /** What stays where it lies, one sentence each. */
  stays: z.array(z.string()),
});
export type AgainTold = z.infer<typeof againTold>;

const columns = z.object({
  headers: z.array(z.string()),
  /** For each of them the name of the project's field that it means; null where it is none that is known. */
  fields: z.array(z.string().nullable()),
  /** Which of the columns names the file: that cannot be changed. */
  fileAt: z.int(),
  rows: z.array(apartPlace.extend({ cells: z.array(z.string()) })),
});
export type ApartColumns = z.infer<typeof columns>;

/** The answer to `POST /api/sheets/:share?name=`, whose body is the sheet itself. */
const givenSheet = z.object({
  job: z.string(),
  jobName: z.string(),
  /** Where it was saved, from the root of the share. */
  path: z.string(),
  taken: z.int(),
  told: z.array(z.string()),
  /** What it waits for; null for nothing. */
  waits: z.string().nullable(),
});
export type GivenSheetTold = z.infer<typeof givenSheet>;

const newFile = apartPlace.omit({ share: true }).extend({
  /** As the person's machine has it: its ending says what it is. */
  name: z.string().max(1_000),
  sizeBytes: z.int().nonnegative(),
  modifiedMs: z.number(),
  hasLooked: z.boolean().default(false),
});

const replaced = z.object({
  /** `goes`: it is in the drop folder, or has been, with its row. */
  outcome: z.enum(['goes', 'waits', 'stays']),
  /** What it waits for, or why it stays, one sentence each. */
  told: z.array(z.string()),
});
export type ReplacedTold = z.infer<typeof replaced>;

export const apartRoutes = {
  'GET /api/apart': { role: 'see', summary: 'What was set apart, by reason', answer: apartPage },
  'GET /api/apart/count': {
    role: 'see',
    summary: 'How many documents are set apart',
    answer: z.object({ count: z.int() }),
  },
  'GET /api/apart/columns/:share/:job': {
    role: 'see',
    summary: 'Columns and rows of the register of a finished job, of what was set apart',
    params: jobParams,
    answer: columns,
  },
  'POST /api/try-again': {
    role: 'answer',
    summary:
      'Brings documents that were set apart to the drop folder again, as they are or with other values',
    body: again,
    answer: againTold,
  },
  'POST /api/replacements/:share/:job': {
    role: 'answer',
    summary:
      'Begins the upload of a file that takes the place of one that was set apart; asked again, tells how far it is',
    params: jobParams,
    body: newFile,
    answer: uploadDetail,
  },
  'POST /api/replacements/:share/:job/:upload': {
    role: 'answer',
    summary:
      'Brings the file that has come to the drop folder, in the place of the other and with its row; asked again, tells what became of it',
    params: jobParams.extend({ upload: z.string().max(40) }),
    answer: replaced,
  },
} as const satisfies Routes;
