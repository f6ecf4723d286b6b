// What workflows may ask about timesheets. Plain data both ways.
import type { Asking, ProjectRef, Reason } from '../../workflows/contract';
import type { Refused } from '../scope/refusal-reason';
import type { Timesheet } from '../service/endpoints/timesheets';
import type { EntryFacts } from './pair-timecards';
import type { PlannedTimecard, TimecardList, TimecardPlan } from './plan-timecards';

export type { EntryFacts, PlannedTimecard, TimecardPlan };

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

export interface FindTimesheetInput extends TimesheetOfSource {
  /** Absent in a run of the release before, which knows of nothing that is told of them. */
  readonly rows?: readonly PlannedTimecard[];
}

export interface FoundTimesheets {
  /** The sheet that holds entries of this source already. */
  readonly ours: string | null;
  /** All sheets of the day, by id. */
  readonly all: readonly string[];
  /**
   * Entries by hand on other sheets of the day that put a row in doubt, at most one for each; absent: there
   * are none.
   */
  readonly byHand?: readonly EntryFacts[];
  /** There is no sheet of ours, and none is needed: such an entry may stand for every row. */
  readonly refused?: readonly EnteredTimecard[];
}

export interface CreateTimesheetInput {
  readonly project: ProjectRef;
  readonly date: string;
  /** The day's sheets from before the first attempt. */
  readonly before: readonly string[];
  /**
   * An earlier call may have created it already, unseen. A run says the same in `asked`; one of the release
   * before says it here alone.
   */
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
  /**
   * Entries by hand on other sheets of the day that may be the work of one of `rows`. A worker of an earlier
   * version passes them by.
   */
  readonly byHand?: readonly EntryFacts[] | undefined;
  /** Absent in a run of the release before. */
  readonly asked?: Asking;
}

export interface CheckTimesheetInput extends EnterTimecardsInput {
  /**
   * Refs of rows that could not be planned: their entries of before have a row, so they are not left over. A
   * worker of an earlier version passes them by.
   */
  readonly unplanned?: readonly string[] | undefined;
  /**
   * Rows whose entry the service has answered, by index: where the sheet does not show one, it may be late. A
   * worker of an earlier version passes them by.
   */
  readonly answered?: readonly number[];
  /** Those of them whose entry was corrected: other hours that the sheet shows may be those of before. */
  readonly updated?: readonly number[];
}

export interface EnteredTimecard {
  readonly index: number;
  readonly outcome:
    | { readonly kind: 'entered'; readonly entryId: string }
    | {
        readonly kind: 'updated' | 'present';
        readonly entryId: string;
        /** The entry carries our mark, which makes the sheet ours; one by hand carries none. */
        readonly isMarked?: true;
      }
    | (Refused & {
        /** What to do instead, where another call has found the sheet to be ours, or made it so. */
        readonly fixOnceBegun?: string;
      });
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
