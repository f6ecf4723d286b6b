// What a timesheet can refer to: who may create one, and the cost codes it may use, by the service's public
// documentation.
import { z } from 'zod';
import { type Endpoint, type PageQuery, READ } from '../endpoint';
import type { TimesheetParams } from './timesheets';
import { pageValues, wireId, wireTextOrEmpty } from './wire';

const SHEETS = '/rest/v1.0/projects/{projectId}/timesheets';

const creator = z.object({ id: wireId, name: wireTextOrEmpty });
/** `id` is the login information id of the user. */
export type TimesheetCreator = z.output<typeof creator>;

const CREATORS = `${SHEETS}/potential_timesheet_creators`;

/** Paginated. */
export const listTimesheetCreators: Endpoint<
  TimesheetParams,
  PageQuery,
  undefined,
  readonly TimesheetCreator[]
> = {
  name: 'timesheets.creators',
  ...READ,
  path: CREATORS,
  query: pageValues,
  response: z.array(creator),
};

const CREATOR_IDS = `${SHEETS}/potential_timesheet_creator_ids`;

/** All ids at once; not paginated. */
export const listTimesheetCreatorIds: Endpoint<TimesheetParams, undefined, undefined, readonly string[]> = {
  name: 'timesheets.creator-ids',
  ...READ,
  path: CREATOR_IDS,
  response: z.array(wireId),
};

const costCode = z
  .object({ id: wireId, name: wireTextOrEmpty, full_code: wireTextOrEmpty, code: wireTextOrEmpty })
  .transform(entry => ({ id: entry.id, name: entry.name, code: entry.full_code || entry.code }));
/** `code` in full, as people write it: `03-310`. */
export type CostCode = z.output<typeof costCode>;

export interface CostCodeQuery extends PageQuery {
  readonly subJobId?: string | undefined;
}

const COST_CODES = `${SHEETS}/scoped_cost_codes`;

/** Paginated. */
export const listTimesheetCostCodes: Endpoint<
  TimesheetParams,
  CostCodeQuery,
  undefined,
  readonly CostCode[]
> = {
  name: 'timesheets.cost-codes',
  ...READ,
  path: COST_CODES,
  query: query => ({ ...pageValues(query), sub_job_id: query.subJobId }),
  response: z.array(costCode),
};

const COST_CODE_IDS = `${SHEETS}/scoped_cost_code_ids`;

/** All ids at once; not paginated. */
export const listTimesheetCostCodeIds: Endpoint<
  TimesheetParams,
  Pick<CostCodeQuery, 'subJobId'>,
  undefined,
  readonly string[]
> = {
  name: 'timesheets.cost-code-ids',
  ...READ,
  path: COST_CODE_IDS,
  query: query => ({ sub_job_id: query.subJobId }),
  response: z.array(wireId),
};
