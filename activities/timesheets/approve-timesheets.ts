// Approving sheets, and taking an approval back.
import type { Reason } from '../../workflows/contract';
import { asRefusal } from '../scope/refusal-reason';
import { showTimesheet, updateApproval } from '../service/endpoints/timesheets';
import type { Sender } from '../service/service-client';
import { explainRowRefusal, inProject, type Scope, toFacts } from './timesheet-parts';
import type { ApproveTimesheetsInput, ApproveTimesheetsResult } from './timesheets-api';

/** Sheets a request: the response shows each with all its entries. */
const SHEETS_AT_ONCE = 10;

/** Some at a time. When a request is refused, one for each of its sheets: the one at fault is known then. */
export async function approveTimesheets(
  client: Sender,
  input: ApproveTimesheetsInput,
  scope: Scope,
): Promise<ApproveTimesheetsResult> {
  const results: ApproveTimesheetsResult[] = [];
  for (let start = 0; start < input.timesheetIds.length; start += SHEETS_AT_ONCE) {
    const timesheetIds = input.timesheetIds.slice(start, start + SHEETS_AT_ONCE);
    results.push(await approveSome(client, { ...input, timesheetIds }, scope));
  }
  return merge(results);
}

function merge(results: readonly ApproveTimesheetsResult[]): ApproveTimesheetsResult {
  return {
    changed: results.flatMap(({ changed }) => changed),
    refused: results.flatMap(({ refused }) => refused),
  };
}

async function approveSome(
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
      each.push(await approveSome(client, { ...input, timesheetIds: [id] }, scope));
    return merge(each);
  }
}

const STATUS_NOT_TAKEN: Reason = {
  code: 'status-not-taken',
  text: 'The service answered, but the sheet has another status.',
  fix: 'Look at the timesheet in the service; perhaps somebody changes it at the same time.',
};
