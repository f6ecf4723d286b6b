// Approving sheets, and taking an approval back.
import type { Reason } from '../../workflows/contract';
import { type LookingScope, lookAgainWhereEarly } from '../scope/look-again';
import type { MakingDeps } from '../scope/making';
import { asRefusal, isNotThere } from '../scope/refusal-reason';
import { showTimesheet, type Timesheet, updateApproval } from '../service/endpoints/timesheets';
import type { Sender } from '../service/service-client';
import { explainRowRefusal, inProject, type Scope, toFacts } from './timesheet-parts';
import type { ApproveTimesheetsInput, ApproveTimesheetsResult } from './timesheets-api';

/** Sheets a request: the response shows each with all its entries. */
const SHEETS_AT_ONCE = 10;

/** `open`: the service has answered, and does not show these with the status that was asked for. */
type Asked = ApproveTimesheetsResult & { readonly open: readonly string[] };

/** What an attempt tells the next one: what was asked for is not asked again, only looked at. */
interface Told {
  readonly asked?: Asked;
}

/**
 * Some at a time. When a request is refused, one for each of its sheets: the one at fault is known then.
 * Sheets that the response leaves out or shows with another status: what they are now decides, through half a
 * minute, for they may be shown late.
 */
export async function approveTimesheets(
  client: Sender,
  input: ApproveTimesheetsInput,
  scope: Scope & LookingScope,
  deps: MakingDeps = {},
): Promise<ApproveTimesheetsResult> {
  const before = (scope.lastDetails ?? {}) as Told;
  const asked = before.asked ?? (await approveAll(client, input, scope));
  const changed = [...asked.changed];
  const refused = [...asked.refused];
  const open: { readonly timesheetId: string; readonly reason: Reason }[] = [];
  for (const timesheetId of asked.open) {
    const look = await lookAt(client, input, timesheetId, scope);
    if ('sheet' in look) changed.push(toFacts(look.sheet));
    else (look.mayBeLate ? open : refused).push({ timesheetId, reason: look.reason });
  }
  if (open.length > 0) {
    const details: Told = { asked: { changed, refused, open: open.map(({ timesheetId }) => timesheetId) } };
    const why = `${open.length} sheets are not shown as ${input.status} yet`;
    lookAgainWhereEarly(scope, why, { ...deps, details });
  }
  return { changed, refused: [...refused, ...open] };
}

async function approveAll(client: Sender, input: ApproveTimesheetsInput, scope: Scope): Promise<Asked> {
  const results: Asked[] = [];
  for (let start = 0; start < input.timesheetIds.length; start += SHEETS_AT_ONCE) {
    const timesheetIds = input.timesheetIds.slice(start, start + SHEETS_AT_ONCE);
    results.push(await approveSome(client, { ...input, timesheetIds }, scope));
  }
  return merge(results);
}

function merge(results: readonly Asked[]): Asked {
  return {
    changed: results.flatMap(({ changed }) => changed),
    refused: results.flatMap(({ refused }) => refused),
    open: results.flatMap(({ open }) => open),
  };
}

async function approveSome(client: Sender, input: ApproveTimesheetsInput, scope: Scope): Promise<Asked> {
  const { status, timesheetIds, project } = input;
  try {
    const { data } = await client.send(updateApproval, {
      ...inProject(project, scope),
      body: { timesheets: timesheetIds.map(timesheetId => ({ timesheetId, status })) },
    });
    const changed = data.filter(sheet => timesheetIds.includes(sheet.id) && sheet.status === status);
    const shown = new Set(changed.map(({ id }) => id));
    return { changed: changed.map(toFacts), refused: [], open: timesheetIds.filter(id => !shown.has(id)) };
  } catch (error: unknown) {
    const refusal = asRefusal(error);
    if (refusal === undefined) throw error;
    const [only] = timesheetIds;
    if (timesheetIds.length === 1 && only !== undefined) {
      return { changed: [], refused: [{ timesheetId: only, reason: explainRowRefusal(refusal) }], open: [] };
    }
    const each = [];
    for (const id of timesheetIds)
      each.push(await approveSome(client, { ...input, timesheetIds: [id] }, scope));
    return merge(each);
  }
}

/** The sheet where it has the status that was asked for; else what is to be said of it. */
async function lookAt(
  client: Sender,
  { project, status }: ApproveTimesheetsInput,
  timesheetId: string,
  scope: Scope,
): Promise<{ readonly sheet: Timesheet } | { readonly reason: Reason; readonly mayBeLate: boolean }> {
  try {
    const { data } = await client.send(showTimesheet, inProject(project, scope, { timesheetId }));
    return data.status === status ? { sheet: data } : { reason: STATUS_NOT_TAKEN, mayBeLate: true };
  } catch (error: unknown) {
    const refusal = asRefusal(error);
    if (refusal === undefined) throw error;
    return { reason: explainRowRefusal(refusal), mayBeLate: isNotThere(error) };
  }
}

const STATUS_NOT_TAKEN: Reason = {
  code: 'status-not-taken',
  text: 'The service answered, but the sheet has another status.',
  fix: 'Look at the timesheet in the service; perhaps somebody changes it at the same time.',
};
