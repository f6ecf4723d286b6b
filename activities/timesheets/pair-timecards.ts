// Which stored entry stands for which row: what is there is never made twice, also when the
// response to its creation was lost.
import { createHash } from 'node:crypto';
import { toComparable } from '../../workflows/run/decide/same-text';
import { isSameTime } from '../../workflows/timesheets/decide/decimal-hours';
import { hasSameParts } from '../../workflows/timesheets/decide/has-same-parts';
import type { TimecardEntry } from '../service/endpoints/timecard-entries';
import type { PlannedEntry, PlannedTimecard } from './plan-timecards';

/** Date and time with their offset, in any of the ways of ISO 8601. */
const INSTANT = /T.*(?:Z|[+-]\d{2}(?::?\d{2})?)$/;
/** Characters of a description that are kept as they are; a digest is no longer, so it stays what it is. */
const FEW_CHARACTERS = 80;

/** What a stored entry is paired by, and told with. */
export type EntryFacts = Pick<
  TimecardEntry,
  | 'id'
  | 'timesheetId'
  | 'hours'
  | 'timeIn'
  | 'timeOut'
  | 'billable'
  | 'description'
  | 'costCodeId'
  | 'timeTypeId'
  | 'partyId'
  | 'loginId'
  | 'originData'
>;

export interface Pairing {
  readonly present: readonly {
    readonly row: PlannedTimecard;
    readonly stored: EntryFacts;
    /** The row was corrected since. */
    readonly differs: boolean;
  }[];
  readonly missing: readonly PlannedTimecard[];
  /** Rows without an entry, beside one by hand that may be the same work, on this sheet or on another one. */
  readonly inDoubt: readonly { readonly row: PlannedTimecard; readonly byHand: EntryFacts }[];
  /** Second entries of one row: a creation that nobody saw succeed. Ours to delete. */
  readonly doubled: readonly EntryFacts[];
  /** Entries of this source that no row stands for any more; only reported. */
  readonly leftOver: readonly EntryFacts[];
}

/**
 * By the origin id that we left on our entries. One that carries none of anybody's, but is the same work, was
 * entered by hand and counts as the row's. Every row ends in one of `present`, `missing` and `inDoubt`.
 *
 * @param elsewhere entries by hand on other sheets of the day: none of them counts as entered, for it is not
 *   on our sheet, but hours that may be there already are not entered once more
 */
export function pairTimecards(
  rows: readonly PlannedTimecard[],
  stored: readonly EntryFacts[],
  prefix: string,
  elsewhere: readonly EntryFacts[] = [],
): Pairing {
  const present: { row: PlannedTimecard; stored: EntryFacts; differs: boolean }[] = [];
  const unpaired: PlannedTimecard[] = [];
  const doubled: EntryFacts[] = [];
  const taken = new Set<string>();
  for (const row of rows) {
    const origin = originOf(prefix, row.ref);
    const [first, ...others] = stored
      .filter(entry => entry.originData === origin)
      .sort((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1));
    const found =
      first ??
      stored.find(entry => entry.originData === null && !taken.has(entry.id) && isSameWork(row.entry, entry));
    if (found === undefined) {
      unpaired.push(row);
      continue;
    }
    for (const entry of [found, ...others]) taken.add(entry.id);
    doubled.push(...others);
    present.push({ row, stored: found, differs: !isSameWork(row.entry, found) });
  }
  const leftOver = stored.filter(entry => isMarked(entry, prefix) && !taken.has(entry.id));
  const missing: PlannedTimecard[] = [];
  const inDoubt: { row: PlannedTimecard; byHand: EntryFacts }[] = [];
  const others: PlannedTimecard[] = [];
  for (const row of unpaired) {
    const byHand = elsewhere.find(entry => !taken.has(entry.id) && isSameWork(row.entry, entry));
    if (byHand === undefined) others.push(row);
    else {
      // What is one row exactly puts no other one in doubt.
      taken.add(byHand.id);
      inDoubt.push({ row, byHand });
    }
  }
  const unclaimed = [...stored.filter(({ originData }) => originData === null), ...elsewhere].filter(
    ({ id }) => !taken.has(id),
  );
  for (const row of others) {
    const byHand = unclaimed.find(entry => mayBeSameWork(row.entry, entry));
    if (byHand === undefined) missing.push(row);
    else inDoubt.push({ row, byHand });
  }
  return { present, missing, inDoubt, doubled, leftOver };
}

/**
 * Of entries by hand those that put a row in doubt, in few bytes each, for a run has them in its history. Of
 * the same rows they leave the same in doubt as all of them, also once some of these are entered: what is
 * free for a row then was free for it before, or is another row's exactly.
 */
export function keepInDoubt(
  byHand: readonly EntryFacts[],
  inDoubt: Pairing['inDoubt'],
): readonly EntryFacts[] {
  const ids = new Set(inDoubt.map(each => each.byHand.id));
  return byHand
    .filter(({ id }) => ids.has(id))
    .map(entry => ({
      id: entry.id,
      timesheetId: entry.timesheetId,
      hours: entry.hours,
      timeIn: entry.timeIn,
      timeOut: entry.timeOut,
      billable: entry.billable,
      description: shorten(entry.description),
      costCodeId: entry.costCodeId,
      timeTypeId: entry.timeTypeId,
      partyId: entry.partyId,
      loginId: entry.loginId,
      originData: entry.originData,
    }));
}

/** A description in few characters: the same for all that say the same, and of what was shortened already. */
function shorten(description: string): string {
  const text = toComparable(description);
  if (text.length <= FEW_CHARACTERS) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** What is left on an entry so that it is found again: `prefix` says whose list of which day. */
export function originOf(prefix: string, ref: string): string {
  return `${prefix}${ref}`;
}

/** Whether this source has made the entry, for a list of that day. */
export function isMarked({ originData }: Pick<TimecardEntry, 'originData'>, prefix: string): boolean {
  return originData?.startsWith(prefix) === true;
}

/**
 * The same person on the same cost code, at no other time of the day: an entry by hand bears no mark, so one
 * whose row was corrected since cannot be told from other work.
 */
function mayBeSameWork(entry: PlannedEntry, stored: EntryFacts): boolean {
  return hasSameParts(entry, stored) && !isAtOtherTime(entry, stored);
}

/**
 * Only where both say when, and in one way: the hands of a clock and an instant are apart by an offset that
 * nobody tells. What seems to end before it begins goes over midnight, and tells nothing.
 */
function isAtOtherTime({ timing }: PlannedEntry, { timeIn, timeOut }: EntryFacts): boolean {
  if (timing.mode === 'hours' || timeIn === null || timeOut === null) return false;
  const given = [timing.timeIn, timing.timeOut, timeIn, timeOut];
  const areInstants = given.every(time => INSTANT.test(time));
  if (!areInstants && given.some(time => time.includes('T'))) return false;
  const [from = 0, to = 0, begin = 0, end = 0] = given.map(time =>
    Date.parse(areInstants ? time : `1970-01-01T${handsOf(time)}Z`),
  );
  return from < to && begin < end && (to <= begin || end <= from);
}

/** Whether the stored entry says what the row says; what the row leaves open is not compared. */
function isSameWork(entry: PlannedEntry, stored: EntryFacts): boolean {
  return (
    isSameTime(entry.hours, stored.hours ?? '') &&
    entry.billable === stored.billable &&
    hasSameParts(entry, stored) &&
    (entry.timing.mode === 'hours' ||
      (isSameClock(entry.timing.timeIn, stored.timeIn) &&
        isSameClock(entry.timing.timeOut, stored.timeOut))) &&
    shorten(entry.description) === shorten(stored.description)
  );
}

/**
 * Instants where both have a date and offset, else the hands of the clock: the
 * service may add a date of its own.
 */
function isSameClock(wanted: string, stored: string | null): boolean {
  if (stored === null) return false;
  if (wanted.includes('T') && stored.includes('T')) return Date.parse(wanted) === Date.parse(stored);
  return handsOf(wanted) === handsOf(stored);
}

function handsOf(time: string): string {
  return time.slice(time.indexOf('T') + 1).slice(0, 5);
}
