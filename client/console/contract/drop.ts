// Jobs that are dropped on the page: begun, sent byte by byte, sent off as one folder, given up; and tested.
import { z } from 'zod';
import { testReport } from '../../../activities/test-run/test-report';
import { moment } from './common';
import type { Routes } from './route';

const shareName = z.string().max(100);
const uploadParams = z.object({ share: shareName, upload: z.string().max(40) });

const uploadFields = {
  share: z.string(),
  upload: z.string(),
  /** Name of the job's folder. */
  name: z.string(),
  by: z.string(),
  begunAt: moment,
  files: z.int(),
  sizeBytes: z.number(),
  doneBytes: z.number(),
  /** You began it, or operate its share: you may go on with it. Others may look at it. */
  isYours: z.boolean(),
  /** One window or another sends it just now. */
  isMoving: z.boolean(),
  /** All of its bytes have come. */
  isWhole: z.boolean(),
  /** Its folder in the drop folder; `job` once the watcher has taken it. */
  sent: z.object({ folder: z.string(), at: moment, job: z.string().nullable() }).nullable(),
};
export const uploadSummary = z.object(uploadFields);
export type UploadSummary = z.infer<typeof uploadSummary>;

export const uploadDetail = z.object({
  ...uploadFields,
  /** Each goes, by the tus protocol, to `api/uploads/<share>/<upload>/bytes/<its place in this list>`. */
  all: z.array(
    z.object({ path: z.string(), sizeBytes: z.number(), modifiedMs: z.number(), doneBytes: z.number() }),
  ),
});
export type UploadDetail = z.infer<typeof uploadDetail>;

export const dropShare = z.object({
  name: z.string(),
  /** Its drop folder, as people see it. */
  folder: z.string(),
  /** Why nothing can be sent there just now; null where it can. */
  why: z.string().nullable(),
  maxFileBytes: z.number(),
  /** Name of the template at its root; null where it keeps none. */
  template: z.string().nullable(),
});
export type DropShare = z.infer<typeof dropShare>;

const newUpload = z.object({
  /** A random id that the browser draws once for what was chosen: the same id is the same upload. */
  upload: z
    .string()
    .regex(/^[0-9a-f]{20}$/)
    .optional(),
  name: z.string().max(1_000),
  files: z
    .array(
      z.object({
        /** Below the folder, with `/` between its parts. */
        path: z.string().max(4_000),
        sizeBytes: z.int().nonnegative(),
        /** When the file was changed last: by this it is known again. */
        modifiedMs: z.number(),
      }),
    )
    .max(20_000),
});

export const testState = z.discriminatedUnion('state', [
  /** `waits`: for what, in words; null while nothing stands in its way. */
  z.object({ state: z.literal('running'), name: z.string(), waits: z.string().nullable() }),
  z.object({ state: z.literal('failed'), name: z.string(), why: z.string() }),
  z.object({ state: z.literal('done'), name: z.string(), report: testReport, sheet: z.string() }),
]);
export type TestState = z.infer<typeof testState>;

export const dropRoutes = {
  'GET /api/drop': {
    role: 'answer',
    summary: 'Shares that jobs can be dropped on, and uploads that were not ended',
    answer: z.object({ shares: z.array(dropShare), uploads: z.array(uploadSummary) }),
  },
  'POST /api/uploads/:share': {
    role: 'answer',
    summary: 'Begins an upload: its name, and the files that will come; asked again, tells how far it is',
    params: z.object({ share: shareName }),
    body: newUpload,
    bodyBytes: 24 * 1024 * 1024,
    answer: uploadDetail,
  },
  'GET /api/uploads/:share/:upload': {
    role: 'answer',
    summary: 'One upload, and how far each of its files is, for whoever has its address',
    params: uploadParams,
    answer: uploadDetail,
  },
  'POST /api/uploads/:share/:upload/take-over': {
    role: 'answer',
    summary: 'Goes on with it in this window; another one that sends it is told',
    params: uploadParams,
    body: z.object({
      /** What that window sends as its header `x-drawbridge-window`. */
      window: z.string().max(40),
    }),
    answer: uploadSummary,
  },
  'POST /api/uploads/:share/:upload/send': {
    role: 'answer',
    summary:
      'Puts an upload that is whole into the drop folder, as one folder; asked again, tells where it is',
    params: uploadParams,
    answer: uploadSummary,
  },
  'POST /api/uploads/:share/:upload/test': {
    role: 'answer',
    summary: 'Has it tested before it is sent: what would become of each file. Its sheets must have come',
    params: uploadParams,
    body: z.object({
      /** By path, for the files whose content is to be compared. */
      sha256: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)).default({}),
    }),
    bodyBytes: 8 * 1024 * 1024,
    answer: z.object({ started: z.literal(true) }),
  },
  'GET /api/tests/:share/:upload': {
    role: 'answer',
    summary:
      'The result of a test run, by reason, for whoever has its address; the sheet lies at `/api/tests/<share>/<upload>/sheet`',
    params: uploadParams,
    answer: testState,
  },
  'DELETE /api/uploads/:share/:upload': {
    role: 'answer',
    summary: 'Gives an upload up: what has come of it is removed; 423 while another window sends it',
    params: uploadParams,
    query: z.object({
      /** What this window sends as its header `x-drawbridge-window`. */
      window: z.string().max(40).optional(),
    }),
    answer: z.object({ discarded: z.literal(true) }),
  },
} as const satisfies Routes;
