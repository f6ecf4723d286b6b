/** Timesheets and their entries as they are answered. */
import type { World } from '../world';
import { isOverMidnight, toTimestamp } from './clock-times';
import { COST_CODES, TIME_TYPES } from './content';
import type { SignatureRecord, TimecardRecord, TimesheetRecord } from './records';

export function wirePerson(
  world: World,
  projectId: string,
  id: number,
): { id: number; login: string; name: string } {
  const user = world.projects.get(projectId)?.users.find(each => each.id === id);
  return user === undefined
    ? { id, login: `account-${id}@sandbox.example`, name: `Account ${id}` }
    : { id, login: user.email, name: `${user.firstName} ${user.lastName}` };
}

/** Entries of a sheet that were not deleted, oldest first. */
function entriesOf(world: World, sheet: TimesheetRecord): TimecardRecord[] {
  return [...world.timecards.values()]
    .filter(entry => entry.timesheetId === sheet.id && entry.deletedAt === null)
    .sort((a, b) => Number(a.id) - Number(b.id));
}

/**
 * A sheet shows nothing of the party of its entries, but for the response to an approval: that has the id.
 */
export function wireTimesheet(
  world: World,
  sheet: TimesheetRecord,
  { isApproval = false } = {},
): Record<string, unknown> {
  return {
    ...timesheetSummary(world, sheet),
    timecard_entries: entriesOf(world, sheet).map(each => {
      const { party: _, party_id, ...entry } = wireTimecard(world, each);
      return isApproval ? { ...entry, party_id } : entry;
    }),
  };
}

function timesheetSummary(world: World, sheet: TimesheetRecord): Record<string, unknown> {
  return {
    id: Number(sheet.id),
    name: `${sheet.date} #${sheet.sequence}`,
    number: sheet.number,
    date: sheet.date,
    status: sheet.status,
    created_by: wirePerson(world, sheet.projectId, sheet.createdBy),
    created_at: new Date(sheet.createdAt).toISOString(),
    updated_at: new Date(sheet.updatedAt).toISOString(),
  };
}

export function wireTimecard(world: World, entry: TimecardRecord): Record<string, unknown> {
  const sheet = world.timesheets.get(entry.timesheetId);
  const code = COST_CODES.find(({ id }) => id === entry.costCodeId);
  const type = entry.timeTypeId === null ? undefined : TIME_TYPES[entry.timeTypeId];
  const { timeIn, timeOut } = entry;
  const ends = timeIn !== null && timeOut !== null && isOverMidnight(timeIn, timeOut);
  return {
    id: Number(entry.id),
    approval_status: sheet?.status ?? 'pending',
    timesheet_status: sheet?.status ?? 'pending',
    billable: entry.billable,
    cost_code:
      code === undefined
        ? null
        : {
            id: code.id,
            code: code.code,
            full_code: code.fullCode,
            name: code.name,
            parent_id: code.parentId,
          },
    created_by: wirePerson(world, entry.projectId, entry.createdBy),
    crew: null,
    party: entry.partyId === null ? null : { id: entry.partyId, name: `Party ${entry.partyId}` },
    party_id: entry.partyId,
    location: null,
    injured: null,
    login_information: entry.loginId === null ? null : wirePerson(world, entry.projectId, entry.loginId),
    signature: null,
    sub_job: null,
    date: entry.date,
    description: entry.description,
    hours: entry.hours,
    lunch_time: entry.lunchMinutes,
    time_in: timeIn === null ? null : toTimestamp(entry.date, timeIn, false),
    time_out: timeOut === null ? null : toTimestamp(entry.date, timeOut, ends),
    timecard_time_type:
      type === undefined
        ? null
        : {
            id: entry.timeTypeId,
            abbreviated_time_type: type.short,
            company_id: null,
            global: true,
            time_type: type.type,
          },
    timesheet: sheet === undefined ? null : timesheetSummary(world, sheet),
    permissions: { can_update: sheet?.status === 'pending', can_delete: sheet?.status === 'pending' },
    origin_id: entry.originId,
    origin_data: entry.originData,
    deleted_at: entry.deletedAt === null ? null : new Date(entry.deletedAt).toISOString(),
    created_at: new Date(entry.createdAt).toISOString(),
    updated_at: new Date(entry.updatedAt).toISOString(),
  };
}

export function wireSignature(world: World, signature: SignatureRecord): Record<string, unknown> {
  const url = `${world.urls.api}/signatures/${signature.id}/${signature.sha256.slice(0, 8)}`;
  return {
    id: Number(signature.id),
    signature_text: signature.text,
    file_name: signature.fileName,
    url,
    medium_thumbnail_url: `${url}/medium`,
    large_thumbnail_url: `${url}/large`,
    created_by: wirePerson(world, signature.projectId, signature.userId),
  };
}
