// Timesheets of a project: the sheets of a day, found or made once.
import type { ProjectRef } from '../../workflows/contract';
import { Making, type MakingDeps, type MakingScope } from '../scope/making';
import { toActivities } from '../scope/to-activities';
import { showTokenInfo } from '../service/endpoints/oauth';
import {
  createTimesheet as createEndpoint,
  listTimesheets,
  type Timesheet,
} from '../service/endpoints/timesheets';
import { fetchAll } from '../service/pages';
import type { Sender } from '../service/service-client';
import { approveTimesheets } from './approve-timesheets';
import { checkTimesheet, enterTimecards } from './enter-timecards';
import { enteredByHand, listByHand } from './entries-by-hand';
import { planTimecards } from './look-up-timecards';
import { keepInDoubt, pairTimecards } from './pair-timecards';
import { SHEET_PAGE } from './timesheet-lists';
import { inProject, isBegun, type Scope, toFacts } from './timesheet-parts';
import { signTimesheet } from './timesheet-signatures';
import type {
  ApproveTimesheetsInput,
  CheckTimesheetInput,
  CreateTimesheetInput,
  EnteredTimecard,
  EnterTimecardsInput,
  FindTimesheetInput,
  FoundTimesheets,
  SignTimesheetInput,
  TimesheetFacts,
} from './timesheets-api';

export interface TimesheetActivityDeps extends MakingDeps {
  readonly client: Sender;
  readonly draining: AbortSignal;
}

export type TimesheetActivities = ReturnType<typeof createTimesheetActivities>;

/** Run anywhere; served by the queue `drawbridge`. */
export function createTimesheetActivities({ client, draining, ...deps }: TimesheetActivityDeps) {
  return toActivities(draining, client, {
    planTimecards,
    findTimesheet: (_, input: FindTimesheetInput, scope) => findTimesheet(client, input, scope, deps),
    createTimesheet: (_, input: CreateTimesheetInput, scope) => createTimesheet(client, input, scope, deps),
    enterTimecards: (_, input: EnterTimecardsInput, scope) => enterTimecards(client, input, scope, deps),
    checkTimesheet: (_, input: CheckTimesheetInput, scope) => checkTimesheet(client, input, scope, deps),
    approveTimesheets: (_, input: ApproveTimesheetsInput, scope) =>
      approveTimesheets(client, input, scope, deps),
    signTimesheet: (_, input: SignTimesheetInput, scope) => signTimesheet(client, input, scope, deps),
  });
}

/**
 * The sheets of the day, the one that this source has begun, and what people have entered on the others that
 * may be a row's work: hours that stand on two sheets are paid twice. A sheet that a run before has begun a
 * moment ago may be listed late, or without its entries. An attempt before puts nothing in doubt: it only
 * looked.
 */
export async function findTimesheet(
  client: Sender,
  input: FindTimesheetInput,
  scope: Scope & MakingScope,
  deps: MakingDeps = {},
): Promise<FoundTimesheets> {
  const sheets = await listDay(client, input.project, input.date, scope);
  const ours = sheets.find(sheet => isBegun(sheet, input.prefix))?.id ?? null;
  if (ours === null) await new Making(scope, { isRepeated: false, ...deps }).waitUntilAllListed('timesheet');
  const found = { ours, all: sheets.map(({ id }) => id) };
  const { project, prefix, rows = [] } = input;
  const others = sheets.filter(({ id }) => id !== ours);
  const listed = await listByHand(client, { project, rows }, others, scope);
  const { missing, inDoubt } = pairTimecards(rows, [], prefix, listed);
  if (inDoubt.length === 0) return found;
  const byHand = keepInDoubt(listed, inDoubt);
  if (ours !== null || missing.length > 0) return { ...found, byHand };
  const refused = inDoubt.map(({ row, byHand: entry }): EnteredTimecard => {
    const reason = enteredByHand(row, entry, null);
    return { index: row.index, outcome: { kind: 'refused', reason } };
  });
  return { ...found, byHand, refused };
}

/**
 * Where an attempt before may have created it, of this call or of an earlier one, a sheet of the day that was
 * not there before, is empty and was made by this account is taken for the lost one: an empty sheet serves as
 * well as another. Two runs for one day could so share a sheet, where their entries still are told apart.
 */
export async function createTimesheet(
  client: Sender,
  input: CreateTimesheetInput,
  scope: Scope & MakingScope,
  deps: MakingDeps = {},
): Promise<TimesheetFacts> {
  const making = new Making(scope, { asked: input.asked, ...deps });
  if (input.again === true || making.isInDoubt) {
    const found = await making.look(() => findLostSheet(client, input, scope));
    if (found !== undefined) return toFacts(found);
    making.waitUntilListed('timesheet');
  }
  const { data } = await making.make(() =>
    client.send(createEndpoint, { ...inProject(input.project, scope), body: { date: input.date } }),
  );
  return toFacts(data);
}

async function findLostSheet(
  client: Sender,
  input: CreateTimesheetInput,
  scope: Scope,
): Promise<Timesheet | undefined> {
  const sheets = await listDay(client, input.project, input.date, scope);
  const fresh = sheets.filter(
    sheet => !input.before.includes(sheet.id) && sheet.entries.length === 0 && sheet.status !== 'approved',
  );
  if (fresh.length === 0) return undefined;
  const { data: me } = await client.send(showTokenInfo, {
    params: {},
    companyId: input.project.companyId,
    signal: scope.signal,
  });
  return fresh.find(
    ({ createdBy }) =>
      createdBy === null || me.resourceOwnerId === null || createdBy.id === me.resourceOwnerId,
  );
}

async function listDay(
  client: Sender,
  project: ProjectRef,
  date: string,
  scope: Scope,
): Promise<readonly Timesheet[]> {
  const sheets = await fetchAll(client, listTimesheets, {
    ...inProject(project, scope),
    query: { from: date, to: date, perPage: SHEET_PAGE },
  });
  // The filter is not specified: a service that does not know it answers all sheets.
  return sheets.filter(sheet => sheet.date === date);
}
