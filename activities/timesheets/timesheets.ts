// Timesheets of a project: planned, created once, filled once, checked, approved, signed.
import type { ProjectRef, Reason } from '../../workflows/contract';
import { describeRefusals } from '../../workflows/run/decide/describe-refusals';
import { originOf } from '../../workflows/timesheets/decide/origin-ids';
import { type ActivityScope, isPerhapsRepeated } from '../scope/activity-scope';
import { asRefusal, unlessGone } from '../scope/refusal-reason';
import type { Candidate } from '../scope/resolve-value';
import { toActivities } from '../scope/to-activities';
import { showTokenInfo } from '../service/endpoints/oauth';
import {
  createTimecardEntry,
  deleteTimecardEntry,
  showTimecardEntry,
  type TimecardEntry,
  updateTimecardEntry,
} from '../service/endpoints/timecard-entries';
import {
  listTimesheetCostCodeIds,
  listTimesheetCostCodes,
  listTimesheetCreatorIds,
  listTimesheetCreators,
} from '../service/endpoints/timesheet-lookups';
import {
  createTimesheet as createEndpoint,
  listTimesheetChanges,
  listTimesheets,
  showTimesheet,
  type Timesheet,
  updateApproval,
} from '../service/endpoints/timesheets';
import { isServiceError, type ServiceError } from '../service/errors';
import { fetchAll, LIST_PAGE } from '../service/pages';
import type { Sender } from '../service/service-client';
import { type Pairing, pairTimecards } from './pair-timecards';
import { type PlannedEntry, planTimecards as plan, type TimecardPlan } from './plan-timecards';
import { signTimesheet } from './timesheet-signatures';
import type {
  ApproveTimesheetsInput,
  ApproveTimesheetsResult,
  CheckTimesheetResult,
  CreateTimesheetInput,
  EnteredTimecard,
  EnterTimecardsInput,
  FoundTimesheets,
  PlanTimecardsInput,
  TimecardChange,
  TimesheetFacts,
  TimesheetOfSource,
} from './timesheets-api';

/** Sheets of a day carry their entries with them. */
const SHEET_PAGE = 100;
const ONLY_ID = /^\d+$/;

type Scope = Pick<ActivityScope, 'signal' | 'attempt'>;

export interface TimesheetActivityDeps {
  readonly client: Sender;
  readonly draining: AbortSignal;
}

export type TimesheetActivities = ReturnType<typeof createTimesheetActivities>;

/** Run anywhere; served by the queue `drawbridge`. */
export function createTimesheetActivities({ client, draining }: TimesheetActivityDeps) {
  return toActivities(draining, client, {
    planTimecards,
    findTimesheet,
    createTimesheet,
    enterTimecards,
    checkTimesheet,
    approveTimesheets,
    signTimesheet,
    readTimecard,
    readTimesheetHistory,
  });
}

/**
 * Resolves people and cost codes by name; says for each row what is wrong with it. Writes nothing. They are
 * looked up only as far as the rows name them; ids alone need the id lists only.
 */
export async function planTimecards(
  client: Sender,
  input: PlanTimecardsInput,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<TimecardPlan> {
  const call = inProject(input.project, scope);
  const named = (texts: readonly (string | undefined)[]) => texts.filter(text => text !== undefined);
  const codes = named(input.rows.map(row => row.costCode));
  const names = named(input.rows.map(row => row.person));
  const [costCodes, people] = await Promise.all([
    codes.length === 0
      ? []
      : codes.every(text => ONLY_ID.test(text))
        ? client
            .send(listTimesheetCostCodeIds, { ...call, query: {} })
            .then(({ data }) => data.map(toBareCandidate))
        : fetchAll(client, listTimesheetCostCodes, { ...call, query: { perPage: LIST_PAGE } }).then(found =>
            found.map(({ id, name, code }) => toCandidate(id, name, code)),
          ),
    names.length === 0
      ? []
      : names.every(text => ONLY_ID.test(text))
        ? client.send(listTimesheetCreatorIds, call).then(({ data }) => data.map(toBareCandidate))
        : fetchAll(client, listTimesheetCreators, { ...call, query: { perPage: LIST_PAGE } }).then(found =>
            found.map(({ id, name }) => toCandidate(id, name)),
          ),
  ]);
  return plan({ ...input, costCodes, people });
}

/** The sheets of the day, and the one that this source has begun. */
export async function findTimesheet(
  client: Sender,
  input: TimesheetOfSource,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<FoundTimesheets> {
  const sheets = await listDay(client, input.project, input.date, scope);
  const begun = sheets.filter(sheet =>
    sheet.entries.some(({ originData }) => originData?.startsWith(input.prefix) === true),
  );
  return { ours: begun[0]?.id ?? null, all: sheets.map(({ id }) => id) };
}

/**
 * From the second attempt on (of this call or of an earlier one), a sheet of the day that was not there
 * before, is empty and was made by this account is taken for the lost one: an empty sheet serves as well as
 * another. Two runs for one day could so share a sheet, where their entries still are told apart.
 */
export async function createTimesheet(
  client: Sender,
  input: CreateTimesheetInput,
  scope: Scope,
): Promise<TimesheetFacts> {
  if (input.again || isPerhapsRepeated(scope, input.asked)) {
    const found = await findLostSheet(client, input, scope);
    if (found !== undefined) return toFacts(found);
  }
  const { data } = await client.send(createEndpoint, {
    ...inProject(input.project, scope),
    body: { date: input.date },
  });
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

/**
 * The sheet is read first, at every attempt: entries carry their row's origin, so one whose answer was lost
 * is found there. One request a row; a refused row is reported and the others go on.
 */
export async function enterTimecards(
  client: Sender,
  input: EnterTimecardsInput,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<readonly EnteredTimecard[]> {
  const { sheet, pairing } = await readSheet(client, input, scope);
  const entered: EnteredTimecard[] = [];
  const attempt = writerOf(client, input, sheet, scope);
  for (const { row, stored, differs } of pairing.present) {
    const entryId = stored.id;
    if (!differs) entered.push({ index: row.index, outcome: { kind: 'present', entryId } });
    else {
      entered.push(
        await attempt(row.index, async () => {
          await client.send(updateTimecardEntry, {
            ...inProject(input.project, scope, { entryId }),
            body: toContent(row.entry),
          });
          return { kind: 'updated', entryId };
        }),
      );
    }
  }
  for (const { index, ref, entry } of pairing.missing) {
    scope.signal.throwIfAborted();
    entered.push(
      await attempt(index, async () => {
        const { data } = await client.send(createTimecardEntry, {
          ...inProject(input.project, scope),
          body: {
            ...toContent(entry),
            timesheetId: input.timesheetId,
            originData: originOf(input.prefix, ref),
          },
        });
        return { kind: 'entered', entryId: data.id };
      }),
    );
  }
  return entered.sort((a, b) => a.index - b.index);
}

/**
 * Tries one write a row. An approved sheet takes none, and says so as if the account lacked a right: nobody
 * can give it, so it is told as what it is, also when somebody approves the sheet meanwhile.
 */
function writerOf(
  client: Sender,
  input: EnterTimecardsInput,
  sheet: Timesheet,
  scope: Pick<ActivityScope, 'signal'>,
): (index: number, write: () => Promise<EnteredTimecard['outcome']>) => Promise<EnteredTimecard> {
  let isApproved = sheet.status === 'approved';
  return async (index, write) => {
    const refused = (reason: Reason): EnteredTimecard => ({ index, outcome: { kind: 'refused', reason } });
    if (isApproved) return refused(sheetApproved(input.timesheetId));
    try {
      return { index, outcome: await write() };
    } catch (error: unknown) {
      const refusal = asRefusal(error);
      if (refusal !== undefined) return refused(explainRowRefusal(refusal));
      if (!isServiceError(error) || error.code !== 'ACCESS_DENIED') throw error;
      isApproved = await isApprovedNow(client, input, scope);
      if (!isApproved) throw error;
      return refused(sheetApproved(input.timesheetId));
    }
  };
}

async function isApprovedNow(
  client: Sender,
  { project, timesheetId }: EnterTimecardsInput,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<boolean> {
  const { data } = await client.send(showTimesheet, inProject(project, scope, { timesheetId }));
  return data.status === 'approved';
}

/**
 * Reads the sheet; of two entries of one row the later is deleted, for it is the one that nobody knows of.
 */
export async function checkTimesheet(
  client: Sender,
  input: EnterTimecardsInput,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<CheckTimesheetResult> {
  const { sheet, pairing } = await readSheet(client, input, scope);
  const removed: string[] = [];
  // An approved sheet gives nothing back; whoever decides about it is told.
  const left: string[] = [];
  for (const { id } of pairing.doubled) {
    try {
      // Gone already: by an earlier attempt, or by a person.
      await unlessGone(() =>
        client.send(deleteTimecardEntry, inProject(input.project, scope, { entryId: id })),
      );
      removed.push(id);
    } catch (error: unknown) {
      if (sheet.status !== 'approved') throw error;
      left.push(id);
    }
  }
  return {
    ...toFacts(sheet),
    stored: pairing.present.map(({ row, stored }) => ({
      index: row.index,
      entryId: stored.id,
      hours: stored.hours,
    })),
    removed,
    leftOver: [...pairing.leftOver.map(({ id }) => id), ...left],
  };
}

/** One request for all; when that is refused, one for each, so that the sheet at fault is known. */
export async function approveTimesheets(
  client: Sender,
  input: ApproveTimesheetsInput,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<ApproveTimesheetsResult> {
  const { status, timesheetIds, project } = input;
  try {
    const { data } = await client.send(updateApproval, {
      ...inProject(project, scope),
      body: { timesheets: timesheetIds.map(timesheetId => ({ timesheetId, status })) },
    });
    const changed = data.filter(sheet => timesheetIds.includes(sheet.id) && sheet.status === status);
    // Left out of the answer, or answered with another status: what it is now decides.
    for (const timesheetId of timesheetIds.filter(id => !changed.some(sheet => sheet.id === id))) {
      const { data: now } = await client.send(showTimesheet, inProject(project, scope, { timesheetId }));
      changed.push(now);
    }
    return {
      changed: changed.filter(sheet => sheet.status === status).map(toFacts),
      refused: changed
        .filter(sheet => sheet.status !== status)
        .map(({ id }) => ({ timesheetId: id, reason: STATUS_NOT_TAKEN })),
    };
  } catch (error: unknown) {
    const refusal = asRefusal(error);
    if (refusal === undefined) throw error;
    const [only] = timesheetIds;
    if (timesheetIds.length === 1 && only !== undefined) {
      return { changed: [], refused: [{ timesheetId: only, reason: explainRowRefusal(refusal) }] };
    }
    const each = [];
    for (const id of timesheetIds)
      each.push(await approveTimesheets(client, { ...input, timesheetIds: [id] }, scope));
    return {
      changed: each.flatMap(({ changed }) => changed),
      refused: each.flatMap(({ refused }) => refused),
    };
  }
}

export async function readTimecard(
  client: Sender,
  input: { readonly project: ProjectRef; readonly entryId: string },
  scope: Pick<ActivityScope, 'signal'>,
): Promise<TimecardEntry | null> {
  const { entryId } = input;
  const shown = await unlessGone(() =>
    client.send(showTimecardEntry, inProject(input.project, scope, { entryId })),
  );
  return shown?.data ?? null;
}

export async function readTimesheetHistory(
  client: Sender,
  input: { readonly project: ProjectRef; readonly timesheetId: string },
  scope: Pick<ActivityScope, 'signal'>,
): Promise<readonly TimecardChange[]> {
  const { timesheetId } = input;
  const { data: sheet } = await client.send(showTimesheet, inProject(input.project, scope, { timesheetId }));
  if (sheet.entries.length === 0) return [];
  const { data } = await client.send(listTimesheetChanges, {
    ...inProject(input.project, scope),
    body: { entryIds: sheet.entries.map(({ id }) => id) },
  });
  return data.map(({ refId, column, before, after, at, by }) => ({
    entryId: refId,
    column,
    before,
    after,
    at,
    by: by?.name ?? '',
  }));
}

async function readSheet(
  client: Sender,
  input: EnterTimecardsInput,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<{ readonly sheet: Timesheet; readonly pairing: Pairing }> {
  const { timesheetId } = input;
  const { data: sheet } = await client.send(showTimesheet, inProject(input.project, scope, { timesheetId }));
  const stored = sheet.entries.filter(({ isDeleted }) => !isDeleted);
  return { sheet, pairing: pairTimecards(input.rows, stored, input.prefix) };
}

async function listDay(
  client: Sender,
  project: ProjectRef,
  date: string,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<readonly Timesheet[]> {
  const sheets = await fetchAll(client, listTimesheets, {
    ...inProject(project, scope),
    query: { from: date, to: date, perPage: SHEET_PAGE },
  });
  // The filter is not specified: a service that does not know it answers all sheets.
  return sheets.filter(sheet => sheet.date === date);
}

/** The service's own words are kept for people; nothing is decided by them. */
function explainRowRefusal(error: ServiceError): Reason {
  const words = describeRefusals(error.reasons).join(' ');
  return {
    code: `refused-${error.status ?? 'unknown'}`,
    text: words === '' ? `The service refused it (${error.status ?? 'no status'}).` : words,
    fix: 'Correct the row and start again with the whole list; what is entered already stays as it is.',
  };
}

function sheetApproved(timesheetId: string): Reason {
  return {
    code: 'sheet-approved',
    text: `The timesheet ${timesheetId} is approved, and an approved sheet takes no entries or changes.`,
    fix: 'Make it pending again in the service, or with approveTimesheetsWorkflow and the status "pending", and start again with the whole list.',
  };
}

const STATUS_NOT_TAKEN: Reason = {
  code: 'status-not-taken',
  text: 'The service answered, but the sheet has another status.',
  fix: 'Look at the timesheet in the service; perhaps somebody changes it at the same time.',
};

function toFacts({ id, name, status }: Timesheet): TimesheetFacts {
  return { id, name, status };
}

function toContent(entry: PlannedEntry) {
  const { hours: _, ...content } = entry;
  return content;
}

function toCandidate(id: string, label: string, code = ''): Candidate {
  return { id, label: label || id, alternatives: code === '' ? [] : [code], active: true };
}

function toBareCandidate(id: string): Candidate {
  return toCandidate(id, id);
}

function inProject<More extends Readonly<Record<string, string>>>(
  { companyId, projectId }: ProjectRef,
  scope: Pick<ActivityScope, 'signal'>,
  more?: More,
) {
  return { companyId, params: { projectId, ...(more as More) }, signal: scope.signal };
}
