// The lists of a project that the rows of a timesheet name people and cost codes by, read as far as they are
// needed.
import type { Candidate } from '../host/resolve-value';
import {
  listTimesheetCostCodeIds,
  listTimesheetCostCodes,
  listTimesheetCreatorIds,
  listTimesheetCreators,
} from '../service/endpoints/timesheet-lookups';
import { fetchAll, LIST_PAGE } from '../service/pages';
import type { Sender } from '../service/service-client';
import { planTimecards as plan, type TimecardPlan } from './plan-timecards';
import { inProject, type Scope } from './timesheet-parts';
import type { PlanTimecardsInput } from './timesheets-api';

const ONLY_ID = /^\d+$/;

/**
 * Resolves people and cost codes by name; says for each row what is wrong with it. Writes nothing. They are
 * looked up only as far as the rows name them; ids alone need the id lists only. A code may be all digits as
 * well, so digits count as ids only where the list of ids has every one of them.
 */
export async function planTimecards(
  client: Sender,
  input: PlanTimecardsInput,
  scope: Scope,
): Promise<TimecardPlan> {
  const call = inProject(input.project, scope);
  const named = (texts: readonly (string | undefined)[]) => texts.filter(text => text !== undefined);
  const codes = named(input.rows.map(row => row.costCode));
  const names = named(input.rows.map(row => row.person));
  const [costCodes, people] = await Promise.all([
    lookUp(
      codes,
      () => client.send(listTimesheetCostCodeIds, { ...call, query: {} }).then(({ data }) => data),
      async () =>
        (await fetchAll(client, listTimesheetCostCodes, { ...call, query: { perPage: LIST_PAGE } })).map(
          ({ id, name, code }) => toCandidate(id, name, code),
        ),
    ),
    lookUp(
      names,
      () => client.send(listTimesheetCreatorIds, call).then(({ data }) => data),
      async () =>
        (await fetchAll(client, listTimesheetCreators, { ...call, query: { perPage: LIST_PAGE } })).map(
          ({ id, name }) => toCandidate(id, name),
        ),
    ),
  ]);
  return plan({ ...input, costCodes, people });
}

/** The ids where they are all that is named, else the whole list. */
async function lookUp(
  texts: readonly string[],
  listIds: () => Promise<readonly string[]>,
  listAll: () => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  if (texts.length === 0) return [];
  if (texts.every(text => ONLY_ID.test(text))) {
    const ids = await listIds();
    const known = new Set(ids);
    if (texts.every(text => known.has(text))) return ids.map(id => toCandidate(id, id));
  }
  return await listAll();
}

function toCandidate(id: string, label: string, code = ''): Candidate {
  return { id, label: label || id, alternatives: code === '' ? [] : [code], active: true };
}
