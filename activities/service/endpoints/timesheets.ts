// Timesheets of a project: create, list, show, approve, change history (specification, Timesheets and
// timecard entries). v1.0: responses come without an envelope.
import { z } from 'zod';
import { CREATE, type Endpoint, type PageQuery, READ, UPDATE } from '../endpoint';
import { numericId } from './strict-values';
import { timecardEntry } from './timecard-entries';
import { pageValues, wireId, wireKind, wireList, wireOptional, wireText, wireTextOrEmpty } from './wire';

const STATUSES = ['pending', 'approved'] as const;
export type TimesheetStatus = (typeof STATUSES)[number];

export interface TimesheetParams {
  readonly projectId: string;
}

export const person = wireOptional(z.object({ id: wireId, login: wireTextOrEmpty, name: wireTextOrEmpty }));

const timesheet = z
  .object({
    id: wireId,
    name: wireTextOrEmpty,
    number: wireText,
    date: wireText,
    status: wireKind(STATUSES),
    created_by: person,
    timecard_entries: wireList(timecardEntry),
  })
  .transform(sheet => ({
    id: sheet.id,
    name: sheet.name,
    number: sheet.number,
    date: sheet.date,
    status: sheet.status,
    createdBy: sheet.created_by,
    entries: sheet.timecard_entries,
  }));
/** One day's sheet; a day may have several. `date` is YYYY-MM-DD. */
export type Timesheet = z.output<typeof timesheet>;

const day = z.iso.date();

const SHEETS = '/rest/v1.0/projects/{projectId}/timesheets';
const SHEET = `${SHEETS}/{timesheetId}`;

/**
 * After a lost response, list the sheets of the day: one that was not there before and is ours is the one. A
 * sheet carries no key of ours, so the caller notes the sheets of the day before it creates one.
 */
export const createTimesheet: Endpoint<TimesheetParams, undefined, { readonly date: string }, Timesheet> = {
  name: 'timesheets.create',
  ...CREATE,
  path: SHEETS,
  request: z.strictObject({ date: day }).transform(body => ({ timesheet: body })),
  response: timesheet,
};

export interface TimesheetQuery extends PageQuery {
  /** Both ends inclusive, YYYY-MM-DD. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Paginated. The date filter is not in the specification: check the dates of what comes. */
export const listTimesheets: Endpoint<TimesheetParams, TimesheetQuery, undefined, readonly Timesheet[]> = {
  name: 'timesheets.list',
  ...READ,
  path: SHEETS,
  query: query => ({
    ...pageValues(query),
    'filters[date]':
      query.from === undefined && query.to === undefined
        ? undefined
        : `${query.from ?? query.to ?? ''}...${query.to ?? query.from ?? ''}`,
  }),
  response: z.array(timesheet),
};

export const showTimesheet: Endpoint<
  TimesheetParams & { readonly timesheetId: string },
  undefined,
  undefined,
  Timesheet
> = {
  name: 'timesheets.show',
  ...READ,
  path: SHEET,
  response: timesheet,
};

export interface ApprovalChange {
  readonly timesheetId: string;
  readonly status: TimesheetStatus;
}

const APPROVAL = `${SHEETS}/update_approval`;

/**
 * Several at once; setting a status again changes nothing. Account for every id:
 * the response may leave some out.
 */
export const updateApproval: Endpoint<
  TimesheetParams,
  undefined,
  { readonly timesheets: readonly ApprovalChange[] },
  readonly Timesheet[]
> = {
  name: 'timesheets.update-approval',
  ...UPDATE,
  path: APPROVAL,
  request: z.strictObject({
    timesheets: z
      .array(
        z
          .strictObject({ timesheetId: numericId, status: z.enum(STATUSES) })
          .transform(change => ({ id: change.timesheetId, status: change.status })),
      )
      .min(1)
      .max(100),
  }),
  // The specification says an array, the published schema one object: read both.
  response: z.union([z.array(timesheet), timesheet.transform(one => [one])]),
};

const change = z
  .object({
    id: wireId,
    ref_id: wireText,
    created_at: wireText,
    created_by: person,
    column: wireTextOrEmpty,
    old_value: wireText,
    new_value: wireText,
  })
  .transform(entry => ({
    id: entry.id,
    refId: entry.ref_id,
    at: entry.created_at,
    by: entry.created_by,
    column: entry.column,
    before: entry.old_value,
    after: entry.new_value,
  }));
/** One changed column of a timecard entry. */
export type TimesheetChange = z.output<typeof change>;

const HISTORY = `${SHEETS}/change_history`;

/** For the given timecard entries; a GET with a body, as published. 404 when one of them does not exist. */
export const listTimesheetChanges: Endpoint<
  TimesheetParams,
  undefined,
  { readonly entryIds: readonly string[] },
  readonly TimesheetChange[]
> = {
  name: 'timesheets.change-history',
  ...READ,
  path: HISTORY,
  request: z
    .strictObject({ entryIds: z.array(numericId).min(1).max(1_000) })
    .transform(body => ({ ids: body.entryIds })),
  response: z.array(change),
};
