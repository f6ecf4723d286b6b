/** Everything about the stand-in that can be changed while it runs. */
import { z } from 'zod';

const milliseconds = z.number().nonnegative();

/** Both request windows; an answer speaks of the one that will be exhausted first. */
const limitsSchema = z.strictObject({
  hourly: z.number().int().positive(),
  spike: z.number().int().positive(),
  spikeWindowSeconds: z.number().positive(),
});

export const settingsSchema = z.strictObject({
  /** 60: everything the service times itself runs 60 times faster. Deadlines already set stay as they are. */
  timeScale: z.number().positive(),
  /** Shortest and longest analysis of a PDF, unscaled; where a file falls depends on seed and file name. */
  analysisMs: z.tuple([milliseconds, milliseconds]).refine(([low, high]) => low <= high, 'lowest first'),
  /** From `complete` to `available`, unscaled. */
  scanMs: milliseconds,
  tokenLifetimeSeconds: z.number().positive(),
  urlLifetimeSeconds: z.number().positive(),
  /** A file upload that is not linked within this time is deleted. */
  linkWithinSeconds: z.number().positive(),
  /** How many file uploads of one name are deleted so; later ones are kept for a day. null: all. */
  mostForgottenOfAName: z.number().int().nonnegative().nullable(),
  /** Whether POST .../v2.2/.../selected_uploads (and its deprecated forms) exists. */
  bulkRead: z.boolean(),
  /** null: no limits, and no headers about them. */
  limits: limitsSchema.nullable(),
  /** A stale upload_latest_event_id becomes CONCURRENCY_CONFLICT in failures[]. */
  checkEventId: z.boolean(),
  /** What Step 8 says for an upload that is unknown, deleted or consumed. */
  consumedStatus: z.union([z.literal(422), z.literal(404)]),
  /** Showing an INCOMPLETE upload answers 404. */
  incompleteIsHidden: z.boolean(),
  /** Whether Step 4's file_name fills the field `name`. */
  nameSource: z.enum(['file-name', 'must-be-set']),
  authCountsAgainstLimit: z.boolean(),
  /** Elements of the 207, of bulk reads and of failures[] come in another order than asked. */
  shuffleAnswers: z.boolean(),
  /** per_page over the maximum is lowered silently; false: 400. */
  clampPageSize: z.boolean(),
  seed: z.number().int(),
  /** Whether integration_statuses.ml is a word or an object that carries it in `status`. */
  statusShape: z.enum(['word', 'object']),
  /** Which refusals of Step 8 name the upload in `source`. */
  refusalsName: z.enum(['workflow-conflict', 'every-upload']),
  /** When a caller who may not terminate workflows hears of it. */
  insufficientPermissionAt: z.enum(['first-try', 'termination']),
  /** A WORKFLOW_CONFLICT answer moves the event id of the upload it names. */
  conflictMovesEventId: z.boolean(),
  /** The announced status between `complete` and `available`. */
  announceScanning: z.boolean(),
  /** https addresses that the application is registered with. */
  redirectUris: z.array(z.string()),
  /**
   * Where events of its own go in place of a hook's https address, which no test
   * can serve; null: none are sent.
   */
  eventsTo: z.string().nullable(),
  /** Using a refresh token twice revokes every token of that login. */
  reuseRevokesLogin: z.boolean(),
});

export type SandboxSettings = z.infer<typeof settingsSchema>;

export const DEFAULT_SETTINGS: SandboxSettings = {
  timeScale: 1,
  analysisMs: [10_000, 30_000],
  scanMs: 1_000,
  tokenLifetimeSeconds: 5_400,
  urlLifetimeSeconds: 3_600,
  linkWithinSeconds: 86_400,
  mostForgottenOfAName: null,
  bulkRead: true,
  limits: { hourly: 3_600, spike: 25, spikeWindowSeconds: 10 },
  checkEventId: true,
  consumedStatus: 422,
  incompleteIsHidden: true,
  nameSource: 'file-name',
  authCountsAgainstLimit: false,
  shuffleAnswers: true,
  clampPageSize: true,
  seed: 1,
  statusShape: 'word',
  refusalsName: 'workflow-conflict',
  insufficientPermissionAt: 'termination',
  conflictMovesEventId: true,
  announceScanning: false,
  redirectUris: ['https://app.example/callback'],
  eventsTo: null,
  reuseRevokesLogin: false,
};
