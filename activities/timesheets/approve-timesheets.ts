// Approving sheets, and taking an approval back.
import type { Reason } from '../../workflows/contract';
import { asRefusal } from '../scope/refusal-reason';
import { showTimesheet, updateApproval } from '../service/endpoints/timesheets';
import type { Sender } from '../service/service-client';
import { explainRowRefusal, inProject, type Scope, toFacts } from './timesheet-parts';
import type { ApproveTimesheetsInput, ApproveTimesheetsResult } from './timesheets-api';

/** One request for all; when that is refused, one for each, so that the sheet at fault is known. */
export async function approveTimesheets(
  client: Sender,
  input: ApproveTimesheetsInput,
  scope: Scope,
): Promise<ApproveTimesheetsResult> {
  const { status, timesheetIds, project } = input;
  try {
    const { data } = await client.send(updateApproval, {
      ...inProject(project, scope),
      body: { timesheets: timesheetIds.map(timesheetId => ({ timesheetId, status })) },
    });
    const changed = data.filter(sheet => timesheetIds.includes(sheet.id) && sheet.status === status);
    // Sheets that the response leaves out or shows with another status: what they are now decides.
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

const STATUS_NOT_TAKEN: Reason = {
  code: 'status-not-taken',
  text: 'The service answered, but the sheet has another status.',
  fix: 'Look at the timesheet in the service; perhaps somebody changes it at the same time.',
};
