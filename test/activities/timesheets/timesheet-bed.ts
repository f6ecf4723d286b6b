// What the tests of timesheet activities have in common: a day in a project of the stand-in service, over
// real HTTP.
import { z } from 'zod';
import { NotYetError } from '../../../activities/scope/not-yet';
import { createTimecardEntry } from '../../../activities/service/endpoints/timecard-entries';
import { planTimecards } from '../../../activities/timesheets/look-up-timecards';
import type { PlannedTimecard, TimecardRow } from '../../../activities/timesheets/plan-timecards';
import { createTimesheet } from '../../../activities/timesheets/timesheets';
import { originPrefix } from '../../../workflows/timesheets/decide/origin-ids';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import type { SandboxClient } from '../../setup/sandbox-client';

export const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
export const date = '2026-02-02';
export const prefix = originPrefix('gate', date);
export const scope = {
  signal: new AbortController().signal,
  attempt: 1,
  lastDetails: undefined as object | undefined,
  report: () => undefined,
  comeBack: (inMs: number, details: object, why: string): never => {
    throw Object.assign(new NotYetError(why, inMs), { details });
  },
};
export const again = { ...scope, attempt: 2 };

/** That attempt, which has looked already and ended with this. */
export function lookingAgain(ended: unknown): typeof scope {
  expect(ended).toBeInstanceOf(NotYetError);
  return { ...again, lastDetails: (ended as { readonly details: object }).details };
}

/** A run before of the same workflow id has ended 20 s ago. */
export const follows = { sinceRunBefore: async () => 20_000 };

/** The first attempt, which has looked already and ended with this; `inMs` is what it waits for. */
export function lookingOnce(ended: unknown, inMs: number): typeof scope {
  expect(ended).toMatchObject({ retryAtMs: inMs });
  return { ...lookingAgain(ended), attempt: 1 };
}

/** Lists are late: the next reading of this one shows nothing. */
export async function listLate({ control }: SandboxClient, route: string): Promise<void> {
  await control.addFault({ route, action: { kind: 'status', status: 200, body: [] } });
}

export const asked = { runId: 'this-run' };

export const ROWS: readonly TimecardRow[] = [
  { person: 'Ada Ashby', costCode: '03-010', timeIn: '07:00', timeOut: '15:30', lunchMinutes: 30 },
  { partyId: '77', costCode: '41033', timeIn: '22:00', timeOut: '06:00', lunchMinutes: 45, billable: true },
];

export async function planned(
  { client }: SandboxClient,
  rows: readonly TimecardRow[] = ROWS,
): Promise<readonly PlannedTimecard[]> {
  const { ready, faulty } = await planTimecards(
    client,
    { project, date, timing: 'times', utcOffset: '-05:00', rows },
    scope,
  );
  expect(faulty).toEqual([]);
  return ready;
}

export async function newSheet({ client }: SandboxClient): Promise<string> {
  const input = { project, date, before: [], asked };
  return (await createTimesheet(client, input, scope)).id;
}

/** The work of the first of ROWS; with other `facts`, another one's. */
export async function enterByHand(
  { client }: SandboxClient,
  timesheetId: string,
  facts: Readonly<Record<string, unknown>> = { login_information_id: 9_001 },
): Promise<string> {
  const { data } = await client.send(
    { ...createTimecardEntry, request: z.any() },
    {
      params: { projectId: project.projectId },
      companyId: project.companyId,
      body: {
        timecard_entry: {
          date,
          time_in: '2026-02-02T07:00:00-05:00',
          time_out: '2026-02-02T15:30:00-05:00',
          lunch_time: '30',
          cost_code_id: 41_032,
          timesheet_id: Number(timesheetId),
          ...facts,
        },
      } as never,
    },
  );
  return data.id;
}

/** When and what the second of ROWS is. */
export const NIGHT = {
  time_in: '2026-02-02T22:00:00-05:00',
  time_out: '2026-02-03T06:00:00-05:00',
  lunch_time: '45',
  billable: true,
  cost_code_id: 41_033,
};

export async function effects({ control }: SandboxClient, what: string): Promise<number> {
  return (await control.operations()).filter(operation => operation.what === what).length;
}
