// What workflows may ask about timesheets. Plain data both ways.
import type { Asking, ProjectRef, Reason } from '../../workflows/contract';
import type { Refused } from '../scope/refusal-reason';
import type { Timesheet } from '../service/endpoints/timesheets';
import type { PlannedTimecard, TimecardList, TimecardPlan } from './plan-timecards';

export type { PlannedTimecard, TimecardPlan };

export interface PlanTimecardsInput extends TimecardList {
  readonly project: ProjectRef;
}

export interface TimesheetOfSource {
  readonly project: ProjectRef;
  readonly date: string;
  /**
   * Of the origin that our entries of this source and day carry (workflows/timesheets/decide/origin-ids.ts).
   */
  readonly prefix: string;
}

export interface FoundTimesheets {
  /** The sheet that holds entries of this source already. */
  readonly ours: string | null;
  /** All sheets of the day, by id. */
  readonly all: readonly string[];
}

export interface CreateTimesheetInput {
  readonly project: ProjectRef;
  readonly date: string;
  /** The day's sheets from before the first attempt. */
  readonly before: readonly string[];
  /** Of a run of the release before: an earlier call may have created it already, unseen. */
  readonly again?: boolean;
  readonly asked: Asking;
}

export interface EnterTimecardsInput extends TimesheetOfSource {
  readonly timesheetId: string;
  readonly rows: readonly PlannedTimecard[];
  /**
   * Rows that another call enters, and that an entry by hand may stand for as well as for one of `rows`. A
   * worker of an earlier version passes them by.
   */
  readonly beside?: readonly PlannedTimecard[] | undefined;
  /** Absent in a run of the release before. */
  readonly asked?: Asking;
}

export interface CheckTimesheetInput extends EnterTimecardsInput {
  /**
   * Refs of rows that could not be planned: their entries of before have a row, so they are not left over. A
   * worker of an earlier version passes them by.
   */
  readonly unplanned?: readonly string[] | undefined;
}

export interface EnteredTimecard {
  readonly index: number;
  readonly outcome: { readonly kind: 'entered' | 'updated' | 'present'; readonly entryId: string } | Refused;
}

export type TimesheetFacts = Pick<Timesheet, 'id' | 'name' | 'status'>;

export interface CheckTimesheetResult extends TimesheetFacts {
  /** By row: what is stored now. */
  readonly stored: readonly {
    readonly index: number;
    readonly entryId: string;
    readonly hours: string | null;
  }[];
  /** Second entries of a row that were deleted. */
  readonly removed: readonly string[];
  /** Entries of this source that no row stands for. */
  readonly leftOver: readonly string[];
}

export interface ApproveTimesheetsInput {
  readonly project: ProjectRef;
  readonly timesheetIds: readonly string[];
  readonly status: 'pending' | 'approved';
}

export interface ApproveTimesheetsResult {
  /** Every sheet asked for is in one of the two. */
  readonly changed: readonly TimesheetFacts[];
  readonly refused: readonly { readonly timesheetId: string; readonly reason: Reason }[];
}

export interface SignTimesheetInput {
  readonly project: ProjectRef;
  readonly userId: string;
  readonly text?: string | undefined;
  /** Tells this signature from others: the same again is found, not made twice. */
  readonly fileName: string;
  readonly contentType: 'image/png' | 'image/jpeg';
  readonly imageBase64: string;
  /** Absent in a run of the release before. */
  readonly asked?: Asking;
}

export interface SignTimesheetResult {
  readonly signatureId: string;
  readonly fileName: string;
}
