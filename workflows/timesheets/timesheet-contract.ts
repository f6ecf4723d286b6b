// What timesheet workflows, activities and clients say to each other. Plain data only.

import { z } from 'zod';
import type { ProjectRef, Reason } from '../contract';
import { defineQuery, defineUpdate } from '../contract';
import { isId } from '../run/decide/is-id';
import { isObject } from '../run/input-fields';
import type { RunProgressReport } from '../run/run-progress-contract';
import { isClockTime } from './decide/clock-times';

/** Rows of one sheet; a day of a large site has fewer. */
export const MAX_TIMECARD_ROWS = 500;

const id = z
  .union([z.string(), z.number()])
  .transform(value => String(value))
  .pipe(z.string().refine(isId, 'a number, as the service shows it'));
const date = z.iso.date('a day, for example 2026-01-31');
const clockTime = z
  .string()
  .refine(isClockTime, 'a time such as 07:30, or with date and offset 2026-01-31T07:30:00+01:00');
const words = (most: number) => z.string().min(1).max(most);

export const timecardRow = z.strictObject({
  /** What tells this row from the others, also in a corrected list given later. */
  ref: z
    .string()
    .regex(/^[\w.:-]{1,80}$/, 'letters, digits and . : _ - only')
    .optional(),
  /** Name or id of the person, as the service knows them. */
  person: words(200).optional(),
  /** Instead of `person`: for people without a login. */
  partyId: id.optional(),
  /** Code, name or id. */
  costCode: words(200).optional(),
  timeTypeId: id.optional(),
  timeIn: clockTime.optional(),
  timeOut: clockTime.optional(),
  lunchMinutes: z.number().int().min(0).max(1_439).optional(),
  /** Decimal text. */
  hours: z
    .union([z.string(), z.number()])
    .transform(value => String(value))
    .optional(),
  billable: z.boolean().optional(),
  description: z.string().max(4_000).optional(),
});

/** One line of work, as people and clocks give it. */
export type TimecardRowInput = z.input<typeof timecardRow>;

const signature = z.strictObject({
  userId: id,
  text: z.string().min(1).max(4_000).optional(),
  contentType: z.enum(['image/png', 'image/jpeg']),
  // Not z.base64: it asks for `atob`, which the workflow sandbox has not.
  imageBase64: z
    .string()
    .regex(/^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,3}={1,2}$/, 'the image in base64')
    .max(400_000, 'an image of at most 300 kB'),
});

function hasDistinctRefs(input: { readonly rows?: readonly { readonly ref?: unknown }[] }): boolean {
  if (!Array.isArray(input.rows)) return true;
  const refs = input.rows.map(each => each?.ref).filter(ref => typeof ref === 'string');
  return new Set(refs).size === refs.length;
}

export const timesheetInput = z
  .strictObject({
    companyId: id,
    projectId: id,
    date,
    timing: z.enum(['hours', 'times'], {
      error: 'the project\'s timesheet setting: "hours" (total hours) or "times" (start and stop times)',
    }),
    utcOffset: z
      .string()
      .regex(/^[+-](0\d|1[0-4]):[0-5]\d$/, 'an offset such as +01:00')
      .optional(),
    source: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'lower-case letters, digits and dashes')
      .default('timesheet'),
    rows: z.array(timecardRow).min(1).max(MAX_TIMECARD_ROWS),
    approve: z
      .enum(['no', 'ask', 'at-once'], {
        error: '"no", "ask" (waits for a decision) or "at-once" (when every row is entered)',
      })
      .default('no'),
    signature: signature.optional(),
  })
  .refine(hasDistinctRefs, { path: ['rows'], message: 'each "ref" may stand once', when: isObject });
/**
 * One source's rows of one day. `source` and `date` name the list: the same again is found, not entered
 * twice.
 */
export type TimesheetInput = z.input<typeof timesheetInput>;
export type ParsedTimesheetInput = z.output<typeof timesheetInput>;

export const approveTimesheetsInput = z.strictObject({
  companyId: id,
  projectId: id,
  timesheetIds: z.array(id).min(1).max(100),
  status: z.enum(['approved', 'pending']).default('approved'),
});
/** Approves several sheets, or takes the approval back. */
export type ApproveTimesheetsWorkflowInput = z.input<typeof approveTimesheetsInput>;

export interface ApprovedTimesheets {
  readonly status: 'approved' | 'pending';
  readonly changed: readonly { readonly timesheetId: string; readonly name: string }[];
  readonly refused: readonly { readonly timesheetId: string; readonly reason: Reason }[];
}

/** The id under which the command line starts it: a second start while it runs is refused. */
export function timesheetWorkflowId(project: ProjectRef, day: string, source: string): string {
  return `timesheet/${project.projectId}/${day}/${source}`;
}

/** How one row ended. `row` is its position, from 1. */
export type TimecardOutcome = {
  readonly row: number;
  readonly ref: string;
} & (
  | {
      /** `present`: it was there already, with the same content. */
      readonly kind: 'entered' | 'updated' | 'present';
      readonly entryId: string;
      /** Decimal text, as the service stored it. */
      readonly hours: string | null;
      /** Set when what is stored is not what the row says. */
      readonly note?: string;
    }
  | { readonly kind: 'refused'; readonly reasons: readonly Reason[] }
);

export interface TimesheetResult {
  /** null: no row could be entered, so there is no sheet. */
  readonly timesheetId: string | null;
  readonly name: string | null;
  readonly status: 'pending' | 'approved' | 'other' | null;
  readonly entered: number;
  readonly refused: number;
  /** In input order. */
  readonly rows: readonly TimecardOutcome[];
  /** Entries of this source and day that no row stands for; they are left alone. */
  readonly leftOver: readonly string[];
  readonly signatureId: string | null;
  readonly notes: readonly string[];
}

export interface TimesheetProgress extends RunProgressReport {
  readonly date: string;
  readonly timesheetId: string | null;
  readonly rows: number;
  readonly entered: number;
  /** Rows, from 1, with what is wrong with them. */
  readonly refused: readonly { readonly row: number; readonly reasons: readonly Reason[] }[];
  /** Waits for the update `decide` until then, Unix ms. */
  readonly askingUntilMs?: number;
}

export const timesheetProgressQuery = defineQuery<TimesheetProgress>('progress');

export const decisionInput = z.strictObject({
  decision: z.enum(['approve', 'leave-pending'], { error: '"approve" or "leave-pending"' }),
});
/** A person's word on a sheet that waits for it. */
export type TimesheetDecision = z.infer<typeof decisionInput>;
export const decideUpdate = defineUpdate<{ decision: TimesheetDecision['decision'] }, [TimesheetDecision]>(
  'decide',
);
