// The lists of timesheets as async iterators over pages, each page as the service gives it.
import type { ProjectRef } from '../../workflows/contract';
import { listTimecardEntries, type TimecardEntry } from '../service/endpoints/timecard-entries';
import {
  type CostCode,
  listTimesheetCostCodes,
  listTimesheetCreators,
  type TimesheetCreator,
} from '../service/endpoints/timesheet-lookups';
import { listTimesheetSignatures, type TimesheetSignature } from '../service/endpoints/timesheet-signatures';
import { listTimesheets, type Timesheet } from '../service/endpoints/timesheets';
import { fetchPages, LIST_PAGE, RICH_PAGE } from '../service/pages';
import type { Sender } from '../service/service-client';
import { inProject } from './timesheet-parts';

/** Sheets on a page; fewer than in other lists, since each carries its entries with it. */
export const SHEET_PAGE = 20;

/** Both ends inclusive, YYYY-MM-DD. */
export interface DayRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

type Pages<Item> = AsyncGenerator<readonly Item[], void, undefined>;

export function timesheetPages(client: Sender, project: ProjectRef, range: DayRange = {}): Pages<Timesheet> {
  return fetchPages(client, listTimesheets, {
    ...inProject(project),
    query: { ...range, perPage: SHEET_PAGE },
  });
}

/** Pending entries; without a range, today's. */
export function timecardPages(
  client: Sender,
  project: ProjectRef,
  range: DayRange = {},
): Pages<TimecardEntry> {
  return fetchPages(client, listTimecardEntries, {
    ...inProject(project),
    query: { ...range, perPage: RICH_PAGE },
  });
}

export function creatorPages(client: Sender, project: ProjectRef): Pages<TimesheetCreator> {
  return fetchPages(client, listTimesheetCreators, { ...inProject(project), query: { perPage: LIST_PAGE } });
}

export function costCodePages(client: Sender, project: ProjectRef, subJobId?: string): Pages<CostCode> {
  return fetchPages(client, listTimesheetCostCodes, {
    ...inProject(project),
    query: { subJobId, perPage: LIST_PAGE },
  });
}

export function signaturePages(client: Sender, project: ProjectRef): Pages<TimesheetSignature> {
  return fetchPages(client, listTimesheetSignatures, {
    ...inProject(project),
    query: { perPage: LIST_PAGE },
  });
}
