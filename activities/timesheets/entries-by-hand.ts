// Entries that people have made by hand: whose they are, those on other sheets of the day, and what is told
// of a row that one of them may stand for.
import type { ProjectRef, Reason } from '../../workflows/contract';
import { hasSameParts } from '../../workflows/timesheets/decide/has-same-parts';
import { forEachLimited } from '../host/concurrency';
import { unlessGone } from '../scope/refusal-reason';
import { showTimecardEntry, type TimecardEntry } from '../service/endpoints/timecard-entries';
import type { Timesheet } from '../service/endpoints/timesheets';
import type { Sender } from '../service/service-client';
import type { EntryFacts } from './pair-timecards';
import type { PlannedTimecard } from './plan-timecards';
import { inProject, type Scope } from './timesheet-parts';

/** Single reads under way at once; the rate gate paces them. */
const PARALLEL_READS = 4;

/** Those on these sheets that may be the work of one of the rows. */
export async function listByHand(
  client: Sender,
  { project, rows }: { readonly project: ProjectRef; readonly rows: readonly PlannedTimecard[] },
  sheets: readonly Timesheet[],
  scope: Scope,
): Promise<readonly TimecardEntry[]> {
  const ofParties = rows.filter(({ entry }) => entry.partyId !== undefined);
  const mayStandFor = (wanted: readonly PlannedTimecard[], entry: TimecardEntry) =>
    wanted.some(row => hasSameParts(row.entry, entry));
  const byHand = sheets
    .flatMap(({ id, entries }) => entries.map(entry => ({ ...entry, timesheetId: id })))
    .filter(entry => !entry.isDeleted && entry.originData === null && mayStandFor(rows, entry));
  const stored = await withParties(client, project, scope, byHand, entry => mayStandFor(ofParties, entry));
  return stored.filter(entry => mayStandFor(rows, entry));
}

/**
 * A sheet need not show whose entry it is where that is a party. Such an entry is asked for by itself, where
 * it matters: else the same work would be entered once more, and a row given to another party go unnoticed.
 */
export async function withParties(
  client: Sender,
  project: ProjectRef,
  scope: Scope,
  shown: readonly TimecardEntry[],
  matters: (entry: TimecardEntry) => boolean,
): Promise<readonly TimecardEntry[]> {
  const parties = new Map<string, string | null>();
  const open = shown.filter(entry => entry.partyId === undefined && matters(entry));
  await forEachLimited(open, PARALLEL_READS, async ({ id }) => {
    const entry = await readTimecard(client, { project, entryId: id }, scope);
    // Not shown here either, for a null key may be absent: then it has none.
    if (entry !== null) parties.set(id, entry.partyId ?? null);
  });
  return shown.map(entry => (parties.has(entry.id) ? { ...entry, partyId: parties.get(entry.id) } : entry));
}

export async function readTimecard(
  client: Sender,
  input: { readonly project: ProjectRef; readonly entryId: string },
  scope: Scope,
): Promise<TimecardEntry | null> {
  const { entryId } = input;
  const shown = await unlessGone(() =>
    client.send(showTimecardEntry, inProject(input.project, scope, { entryId })),
  );
  return shown?.data ?? null;
}

/**
 * @param timesheetId the sheet of the row; null: there is none that the next start knows again, for it has no
 *   entry of ours
 */
export function enteredByHand(
  { entry }: PlannedTimecard,
  byHand: EntryFacts,
  timesheetId: string | null,
): Reason {
  const isElsewhere = byHand.timesheetId !== null && byHand.timesheetId !== timesheetId;
  const where = isElsewhere ? ` on the timesheet ${byHand.timesheetId}` : '';
  return {
    code: 'entered-by-hand',
    text: `The entry ${byHand.id}${where} was made by hand for the same person and cost code and has ${byHand.hours ?? 'no'} hours; the row makes ${entry.hours}. It may be the same work, so the row was not entered.`,
    fix: isElsewhere ? fixElsewhere(timesheetId) : FIX_HERE,
  };
}

const FIX_HERE =
  'If it is the same work, correct or delete that entry in the service and start again with the whole list. If it is other work, enter the row by hand too, as it stands; it then counts as entered.';

function fixElsewhere(timesheetId: string | null): string {
  const same =
    'If it is the same work, leave the row out, or delete that entry in the service and start again with the whole list.';
  return timesheetId === null
    ? `${same} If it is other work, enter the row by hand too, and leave it out.`
    : `${same} If it is other work, enter the row by hand on the timesheet ${timesheetId}, as it stands; it then counts as entered.`;
}
