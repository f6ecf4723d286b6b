// Operations: is anything away, must somebody act; what stopped short, and going on with it.
import { z } from 'zod';
import { moment } from './common';
import type { Routes } from './route';

/** `slow`: it works, but not all of it. `quiet`: nothing waits for it, and nobody has asked it lately. */
export const partState = z.enum(['here', 'slow', 'away', 'quiet', 'unknown']);
export type PartState = z.infer<typeof partState>;

const partKind = z.enum(['service', 'storage', 'sign-in', 'temporal', 'share', 'workers']);
export type PartKind = z.infer<typeof partKind>;

const awayShape = z.object({
  kind: partKind,
  share: z.string().nullable(),
  /** null: nobody can tell. */
  since: moment.nullable(),
  why: z.string(),
  batches: z.int(),
  documents: z.int(),
  nextTry: moment.nullable(),
});

const stoppedGroup = z.object({
  /** Names it in an address and to `POST /api/resume`. */
  key: z.string(),
  state: z.enum([
    'blocked',
    'held',
    'unanswered',
    'failed',
    'timed out',
    'terminated',
    'cancelled',
    'no run',
    'claiming',
    'no receipt',
    'unmoved',
    'damaged',
    'elsewhere',
  ]),
  cause: z.string(),
  cure: z.string().nullable(),
  shares: z.array(z.string()),
  batches: z.int(),
  /** Counted over the batches of which it is known. */
  documents: z.int(),
  since: moment.nullable(),
  /** Another process has it, or a worker that is missing is all that it waits for. */
  goesOnByItself: z.boolean(),
  /** Whoever asks may resume some of it. */
  mayResume: z.boolean(),
});
export type StoppedGroup = z.infer<typeof stoppedGroup>;

/** What is counted: as much as came in each quarter of an hour. `refused`: answered 429. */
export const COUNTED = ['submitted', 'setApart', 'bytes', 'requests', 'refused'] as const;
/**
 * How things stand at the end of each: files in the drop folders, held documents, batches on their way,
 * requests left of the longest limit, milliseconds below which 95 of 100 responses came.
 */
const STANDING = ['drop', 'held', 'batches', 'left', 'answerMs'] as const;
export const dayNumber = z.enum([...COUNTED, ...STANDING]);
export type DayNumber = z.infer<typeof dayNumber>;

/** A number for each of the last 96 quarters of an hour, the oldest first; null: nobody looked. */
const dayOfNumbers = z.array(z.number().nullable());

export const operationsPage = z.object({
  at: moment,
  away: z.array(awayShape),
  /** Work that no worker asks for; `share` null: any worker could do it. */
  unserved: z.array(z.object({ share: z.string().nullable(), batches: z.int(), documents: z.int() })),
  /** A person must do something, besides answering for documents. */
  mustAct: z.boolean(),
  parts: z.array(
    z.object({
      kind: partKind,
      share: z.string().nullable(),
      state: partState,
      since: moment.nullable(),
      why: z.string().nullable(),
      /** A letter for each quarter of an hour: h, s, a, or - where nobody looked. */
      marks: z.string(),
    }),
  ),
  /** The end of the last mark. */
  marksUntil: moment,
  stopped: z.array(stoppedGroup),
  /** What was not looked at because there is so much, a sentence each: it is told of nowhere else here. */
  notLookedAt: z.array(z.string()),
  /** The tightest first; null: no worker tells it here. */
  limits: z
    .array(
      z.object({
        limit: z.int(),
        remaining: z.int(),
        fullAt: moment,
        windowSeconds: z.number(),
      }),
    )
    .nullable(),
  state: z.object({
    dropFiles: z.int(),
    dropIsMore: z.boolean(),
    dropOldest: moment.nullable(),
    batches: z.int(),
    /** Of them, those for which something is away. */
    batchesWaiting: z.int(),
    held: z.int(),
    heldOldest: moment.nullable(),
    /** null: no worker tells it here. */
    tokenUntil: moment.nullable(),
    /** Of the process that serves the page. */
    version: z.string(),
    /** Workers in other processes that the configuration names; null: it names none. */
    workers: z.object({ named: z.int(), telling: z.int(), versions: z.array(z.string()) }).nullable(),
    /** Other runs that wait for a person. */
    otherRuns: z.int(),
    temporalHref: z.string().nullable(),
  }),
  day: z.object({
    numbers: z.record(dayNumber, dayOfNumbers),
    /** Requests that the limit allows in a quarter of an hour. */
    requestsLimit: z.number().nullable(),
  }),
});
export type OperationsPage = z.infer<typeof operationsPage>;

export const resumeTold = z.object({
  /** It was only a look: nothing was done. */
  isLook: z.boolean(),
  batches: z.array(
    z.object({
      batchId: z.string(),
      share: z.string().nullable(),
      cause: z.string(),
      since: moment.nullable(),
      documents: z.int().nullable(),
      /** What would be done, or was. */
      deed: z.enum(['resume', 'start', 'adopt', 'move', 'new-run', 'take-over', 'reset', 'none']),
      /** For `none`: what would make it go on. */
      hint: z.string().nullable(),
      result: z.enum(['done', 'goes-on-already', 'failed']).nullable(),
      /** Why it failed. */
      why: z.string().nullable(),
    }),
  ),
});
export type ResumeTold = z.infer<typeof resumeTold>;

export const operationsRoutes = {
  'GET /api/operations': {
    role: 'see',
    summary: 'What is away, what stopped short, and the state of everything',
    answer: operationsPage,
  },
  'GET /api/operations/sign': {
    role: 'see',
    summary: 'Whether something is away, or a person must act: as it was seen last',
    answer: z.object({
      isAway: z.boolean(),
      mustAct: z.boolean(),
      away: z.array(awayShape.pick({ kind: true, share: true, since: true })),
    }),
  },
  'POST /api/resume': {
    role: 'operate',
    summary: 'Looks what would be done to batches that stopped short, or goes on with them',
    body: z.object({
      look: z.boolean(),
      /** `key` of a group: only what stopped for this cause; absent: all. */
      cause: z.string().max(100).optional(),
      /** Only these, as a look has told them. */
      batches: z.array(z.string().max(100)).max(10_000).optional(),
    }),
    answer: resumeTold,
  },
} as const satisfies Routes;
