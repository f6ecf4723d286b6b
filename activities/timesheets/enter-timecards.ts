// The entries of a sheet: made once each, corrected where their row was, and read once more at the end.
import type { Reason } from '../../workflows/contract';
import { isSameTime } from '../../workflows/timesheets/decide/decimal-hours';
import { hasSameParts } from '../../workflows/timesheets/decide/has-same-parts';
import { type LookingScope, lookAgainWhereEarly } from '../scope/look-again';
import { Making, type MakingDeps, type MakingScope } from '../scope/making';
import { asRefusal, isNotThere, unlessGone } from '../scope/refusal-reason';
import {
  createTimecardEntry,
  deleteTimecardEntry,
  updateTimecardEntry,
} from '../service/endpoints/timecard-entries';
import { showTimesheet, type Timesheet } from '../service/endpoints/timesheets';
import { isServiceError } from '../service/errors';
import type { Sender } from '../service/service-client';
import { enteredByHand, withParties } from './entries-by-hand';
import { isMarked, originOf, type Pairing, pairTimecards } from './pair-timecards';
import type { PlannedEntry } from './plan-timecards';
import { explainRowRefusal, inProject, isBegun, type Scope, toFacts } from './timesheet-parts';
import type {
  CheckTimesheetInput,
  CheckTimesheetResult,
  EnteredTimecard,
  EnterTimecardsInput,
} from './timesheets-api';

/**
 * The sheet is read first, at every attempt: entries carry their row's origin id, so one whose response was
 * lost is found there. One request a row; a refused row is reported and the others go on. A row that an entry
 * by hand may stand for already is refused as well: hours that are missing are noticed, hours that are there
 * twice are paid.
 */
export async function enterTimecards(
  client: Sender,
  input: EnterTimecardsInput,
  scope: Scope & MakingScope,
  deps: MakingDeps = {},
): Promise<readonly EnteredTimecard[]> {
  const making = new Making(scope, { asked: input.asked, ...deps });
  const { sheet, pairing } = await making.look(() =>
    readSheet(client, input, scope, { comparesOwn: true, ...deps }),
  );
  if (pairing.missing.length > 0) await making.waitUntilAllListed('entries');
  const entered: EnteredTimecard[] = [];
  const attempt = writerOf(client, input, sheet, scope);
  for (const { row, stored, differs } of pairing.present) {
    const facts = {
      entryId: stored.id,
      ...(isMarked(stored, input.prefix) ? { isMarked: true as const } : {}),
    };
    if (!differs) entered.push({ index: row.index, outcome: { kind: 'present', ...facts } });
    else {
      entered.push(
        await attempt(row.index, async () => {
          await client.send(updateTimecardEntry, {
            ...inProject(input.project, scope, { entryId: stored.id }),
            body: toContent(row.entry),
          });
          return { kind: 'updated', ...facts };
        }),
      );
    }
  }
  for (const { index, ref, entry } of pairing.missing) {
    scope.signal.throwIfAborted();
    entered.push(
      await attempt(index, async () => {
        const { timesheetId } = input;
        const originData = originOf(input.prefix, ref);
        const { data } = await making.make(() =>
          client.send(createTimecardEntry, {
            ...inProject(input.project, scope),
            body: { ...toContent(entry), timesheetId, originData },
          }),
        );
        return { kind: 'entered', entryId: data.id };
      }),
    );
  }
  // Told last: what is entered by hand on a sheet without a mark of ours counts as on another one.
  const isOurs = isBegun(sheet, input.prefix) || entered.some(({ outcome }) => outcome.kind === 'entered');
  for (const { row, byHand } of pairing.inDoubt) {
    const ofOurs = enteredByHand(row, byHand, input.timesheetId);
    const outcome = isOurs
      ? { kind: 'refused' as const, reason: ofOurs }
      : { kind: 'refused' as const, reason: enteredByHand(row, byHand, null), fixOnceBegun: ofOurs.fix };
    entered.push({ index: row.index, outcome });
  }
  return entered.sort((a, b) => a.index - b.index);
}

/**
 * Tries the one write of a row. The service refuses any write to an approved sheet as if the account lacked a
 * permission. Nobody could grant that, so the row is refused with the true reason, also when somebody
 * approves the sheet meanwhile.
 */
function writerOf(
  client: Sender,
  input: EnterTimecardsInput,
  sheet: Timesheet,
  scope: Scope,
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
  scope: Scope,
): Promise<boolean> {
  const { data } = await client.send(showTimesheet, inProject(project, scope, { timesheetId }));
  return data.status === 'approved';
}

/**
 * Reads the sheet, and again for half a minute where it does not show what was answered: it may be late. Of
 * two entries of one row the later is deleted, for it is the one that nobody knows of.
 */
export async function checkTimesheet(
  client: Sender,
  input: CheckTimesheetInput,
  scope: Scope & LookingScope,
  deps: MakingDeps = {},
): Promise<CheckTimesheetResult> {
  const { sheet, pairing } = await readSheet(client, input, scope, { comparesOwn: false, ...deps });
  const unseen = listUnseen(input, pairing);
  if (unseen.length > 0) {
    const rows = unseen.map(index => index + 1).join(', ');
    const why = `The sheet ${input.timesheetId} does not show yet what was entered for rows ${rows}`;
    lookAgainWhereEarly(scope, why, deps);
  }
  const removed: string[] = [];
  // An approved sheet lets no entry be deleted; these are told to whoever decides about the sheet.
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
  const unplanned = new Set(input.unplanned?.map(ref => originOf(input.prefix, ref)));
  const leftOver = pairing.leftOver.filter(({ originData }) => !unplanned.has(originData ?? ''));
  return {
    ...toFacts(sheet),
    stored: pairing.present.map(({ row, stored }) => ({
      index: row.index,
      entryId: stored.id,
      hours: stored.hours,
    })),
    removed,
    leftOver: [...leftOver.map(({ id }) => id), ...left],
  };
}

/** Rows whose entry, or its correction, was answered and does not show; by index. */
function listUnseen({ answered = [], updated = [] }: CheckTimesheetInput, { present }: Pairing): number[] {
  const shown = new Map(present.map(({ row, stored }) => [row.index, { row, stored }]));
  return answered.filter(index => {
    const found = shown.get(index);
    if (found === undefined) return true;
    return updated.includes(index) && !isSameTime(found.row.entry.hours, found.stored.hours ?? '');
  });
}

/** Pairs all rows in the order of the list, so that every call finds the same; those of `rows` are told. */
async function readSheet(
  client: Sender,
  input: EnterTimecardsInput,
  scope: Scope & LookingScope,
  { comparesOwn, ...deps }: { readonly comparesOwn: boolean } & MakingDeps,
): Promise<{ readonly sheet: Timesheet; readonly pairing: Pairing }> {
  const sheet = await showSheet(client, input, scope, deps);
  const shown = sheet.entries
    .filter(({ isDeleted }) => !isDeleted)
    .map(entry => ({ ...entry, timesheetId: input.timesheetId }));
  const own = new Set(input.rows.map(({ index }) => index));
  const all = [...input.rows, ...(input.beside ?? [])].sort((a, b) => a.index - b.index);
  const ofParties = all.filter(row => row.entry.partyId !== undefined);
  // Marked entries are paired by their mark alone; whose they are tells only whether a row was corrected.
  const compared = comparesOwn ? ofParties.filter(({ index }) => own.has(index)) : [];
  const marks = new Set(compared.map(({ ref }) => originOf(input.prefix, ref)));
  const stored = await withParties(client, input.project, scope, shown, entry =>
    entry.originData === null
      ? ofParties.some(row => hasSameParts(row.entry, entry))
      : marks.has(entry.originData),
  );
  // One that was listed on another sheet may have been moved here since.
  const elsewhere = input.byHand?.filter(({ id }) => !stored.some(entry => entry.id === id));
  const pairing = pairTimecards(all, stored, input.prefix, elsewhere);
  return {
    sheet,
    pairing: {
      ...pairing,
      present: pairing.present.filter(({ row }) => own.has(row.index)),
      missing: pairing.missing.filter(({ index }) => own.has(index)),
      inDoubt: pairing.inDoubt.filter(({ row }) => own.has(row.index)),
    },
  };
}

/**
 * A sheet that was made or listed a moment ago may not be shown yet. Asked for before anything is made, for
 * the attempt may end here.
 */
async function showSheet(
  client: Sender,
  { project, timesheetId }: EnterTimecardsInput,
  scope: Scope & LookingScope,
  deps: MakingDeps,
): Promise<Timesheet> {
  try {
    return (await client.send(showTimesheet, inProject(project, scope, { timesheetId }))).data;
  } catch (error: unknown) {
    if (isNotThere(error)) {
      lookAgainWhereEarly(scope, `The sheet ${timesheetId} is not shown yet`, deps);
    }
    throw error;
  }
}

function sheetApproved(timesheetId: string): Reason {
  return {
    code: 'sheet-approved',
    text: `The timesheet ${timesheetId} is approved, and an approved sheet takes no entries or changes.`,
    fix: 'Make it pending again in the service, or with approveTimesheetsWorkflow and the status "pending", and start again with the whole list.',
  };
}

function toContent(entry: PlannedEntry) {
  const { hours: _, ...content } = entry;
  return content;
}
