// Who changed what on the entries of a sheet, for people who ask.
import type { ProjectRef } from '../../workflows/contract';
import { listTimesheetChanges, showTimesheet } from '../service/endpoints/timesheets';
import type { Sender } from '../service/service-client';
import { inProject } from './timesheet-parts';

/** Change of one column of an entry, as people read it. */
export interface TimecardChange {
  readonly entryId: string | null;
  readonly column: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly at: string | null;
  readonly by: string;
}

export async function readTimesheetHistory(
  client: Sender,
  project: ProjectRef,
  timesheetId: string,
): Promise<readonly TimecardChange[]> {
  const { data: sheet } = await client.send(showTimesheet, inProject(project, undefined, { timesheetId }));
  if (sheet.entries.length === 0) return [];
  const { data } = await client.send(listTimesheetChanges, {
    ...inProject(project),
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
