// From a row of a time clock to the entry the service takes: who, which cost code, which times, in the
// project's timing mode; everything that is wrong with a row at once.
import type { Reason } from '../../workflows/contract';
import { isSameTime, parseHours } from '../../workflows/timesheets/decide/decimal-hours';
import type { ParsedTimesheetInput } from '../../workflows/timesheets/timesheet-contract';
import { type Candidate, type Resolution, resolveCandidate } from '../host/resolve-value';
import { type EntryContent, type EntryTiming, toFourDecimals } from '../service/endpoints/timecard-entries';
import { countHours, toHoursText } from './decide/count-hours';

/** The project's setting: total hours, or start and stop times. */
export type TimingMode = EntryTiming['mode'];

/** One line of work as people give it. */
export type TimecardRow = ParsedTimesheetInput['rows'][number];

/** What is written of an entry, and its hours as we count them, whichever mode is written. */
export interface PlannedEntry extends EntryContent {
  readonly hours: string;
}

export interface PlannedTimecard {
  /** Position in the input, from 0. */
  readonly index: number;
  readonly ref: string;
  readonly entry: PlannedEntry;
}

export interface FaultyTimecard {
  readonly index: number;
  readonly ref: string;
  readonly reasons: readonly Reason[];
}

export interface TimecardPlan {
  readonly ready: readonly PlannedTimecard[];
  readonly faulty: readonly FaultyTimecard[];
}

/** A day's rows, and what the project makes of them. */
export interface TimecardList {
  readonly rows: readonly TimecardRow[];
  readonly date: string;
  readonly timing: TimingMode;
  /** Such as `+01:00`: times of day are sent with date and this offset; absent: as they are. */
  readonly utcOffset?: string | undefined;
}

export interface PlanInput extends TimecardList {
  readonly costCodes: readonly Candidate[];
  readonly people: readonly Candidate[];
}

/** Each row ends in one of the two lists; one bad row never holds back the others. */
export function planTimecards(input: PlanInput): TimecardPlan {
  const ready: PlannedTimecard[] = [];
  const faulty: FaultyTimecard[] = [];
  const refs = nameRows(input.rows);
  for (const [index, row] of input.rows.entries()) {
    const ref = refs[index] ?? '';
    const reasons: Reason[] = [];
    const entry = planEntry(row, input, reasons);
    if (reasons.length === 0 && entry !== undefined) ready.push({ index, ref, entry });
    else faulty.push({ index, ref, reasons });
  }
  return { ready, faulty };
}

/**
 * A name for every row, the same for the same list: its own `ref`, else who does what, with a
 * number where that is there several times. Times and texts are left out, so that a corrected
 * row still means the same entry.
 */
export function nameRows(rows: readonly TimecardRow[]): readonly string[] {
  const seen = new Map<string, number>();
  return rows.map(row => {
    if (row.ref !== undefined) return row.ref;
    const who = row.person?.trim().toLowerCase() ?? `party ${row.partyId ?? ''}`;
    const key = digest(JSON.stringify([who, row.costCode?.trim().toLowerCase() ?? '', row.timeTypeId ?? '']));
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return `${key}-${count}`;
  });
}

function planEntry(row: TimecardRow, input: PlanInput, reasons: Reason[]): PlannedEntry | undefined {
  const loginId = resolveName(row.person, input.people, 'person', reasons);
  const costCodeId = resolveName(row.costCode, input.costCodes, 'cost code', reasons);
  if (row.person === undefined && row.partyId === undefined) {
    reasons.push(reason('no-person', 'The row names nobody.', 'Give "person" (a name) or "partyId".'));
  }
  const time = planTiming(row, input, reasons);
  if (time === undefined) return undefined;
  return {
    date: input.date,
    ...time,
    billable: row.billable ?? false,
    description: row.description ?? '',
    costCodeId,
    timeTypeId: row.timeTypeId,
    partyId: row.partyId,
    loginId,
  };
}

function planTiming(
  row: TimecardRow,
  input: PlanInput,
  reasons: Reason[],
): Pick<PlannedEntry, 'timing' | 'hours'> | undefined {
  const { timeIn, timeOut } = row;
  // Sheets and programs count thirds with any number of decimals.
  const hours = row.hours === undefined ? undefined : toFourDecimals(row.hours);
  const given = hours === undefined ? undefined : parseHours(hours);
  if (hours !== undefined && (given === undefined || given === 0)) {
    reasons.push(
      reason('hours', `"${hours}" is no number of hours above 0.`, 'Write decimal hours, for example 7.5.'),
    );
    return undefined;
  }
  if (timeIn === undefined || timeOut === undefined) {
    if (given === undefined || timeIn !== undefined || timeOut !== undefined) {
      reasons.push(
        reason('times', 'The row lacks its times.', 'Give "timeIn" and "timeOut", or "hours" alone.'),
      );
      return undefined;
    }
    if (input.timing === 'times') {
      reasons.push(
        reason('timing-mode', 'The project takes start and stop times.', 'Give "timeIn" and "timeOut".'),
      );
      return undefined;
    }
    const text = toHoursText((given * 3_600) / 10_000);
    return { timing: { mode: 'hours', hours: text }, hours: text };
  }
  const lunchMinutes = row.lunchMinutes ?? 0;
  const counted = countHours({ timeIn, timeOut, lunchMinutes });
  if (counted.kind === 'impossible') {
    reasons.push(reason('times', counted.text, counted.fix));
    return undefined;
  }
  if (hours !== undefined && !isSameTime(hours, counted.hours)) {
    reasons.push(
      reason(
        'hours-differ',
        `The hours are given as ${hours}, but the times make ${counted.hours}.`,
        'Correct one of them, or leave the hours out.',
      ),
    );
    return undefined;
  }
  if (input.timing === 'times' && counted.overMidnight && input.utcOffset === undefined) {
    // As bare times of one day it would end before it began, and the service would have to guess.
    reasons.push(
      reason(
        'over-midnight',
        `The shift from ${timeIn} to ${timeOut} goes over midnight, and times of day alone do not say so.`,
        'Give the offset of the place ("utcOffset": "+01:00", --utc-offset), or both times with date and offset.',
      ),
    );
    return undefined;
  }
  if (input.timing === 'hours') {
    return { timing: { mode: 'hours', hours: counted.hours }, hours: counted.hours };
  }
  return {
    timing: {
      mode: 'times',
      timeIn: withDate(timeIn, input, false),
      timeOut: withDate(timeOut, input, counted.overMidnight),
      lunchMinutes,
    },
    hours: counted.hours,
  };
}

function withDate(time: string, { date, utcOffset }: PlanInput, isNextDay: boolean): string {
  if (utcOffset === undefined || time.includes('T')) return time;
  const day = isNextDay
    ? new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
    : date;
  return `${day}T${time.length === 5 ? `${time}:00` : time}${utcOffset}`;
}

function resolveName(
  text: string | undefined,
  candidates: readonly Candidate[],
  what: string,
  reasons: Reason[],
): string | undefined {
  if (text === undefined) return undefined;
  const twins = listTwins(text, candidates);
  const found: Resolution =
    twins.length > 1 ? { kind: 'ambiguous', nearest: twins } : resolveCandidate(text, candidates);
  if (found.kind === 'resolved') return found.value;
  const nearest = found.kind === 'malformed' ? [] : found.nearest;
  reasons.push(
    reason(
      what === 'person' ? 'person' : 'cost-code',
      found.kind === 'ambiguous'
        ? `"${text}" means more than one ${what}.`
        : `There is no ${what} "${text}".`,
      nearest.length === 0 ? `Check the spelling of the ${what}.` : `Near it: ${nearest.join(', ')}.`,
    ),
  );
  return undefined;
}

/**
 * An entry with this id and others with this code, as the text that names each alone: hours on the wrong one
 * are noticed by nobody.
 */
function listTwins(text: string, candidates: readonly Candidate[]): readonly string[] {
  const wanted = text.trim();
  if (!candidates.some(({ id }) => id === wanted)) return [];
  return candidates
    .filter(({ id, alternatives }) => id === wanted || alternatives.some(code => code.trim() === wanted))
    .map(({ id, label }) => `${label} (${id})`);
}

function reason(code: string, text: string, fix: string): Reason {
  return { code, text, fix };
}

/** 64-bit FNV-1a in hexadecimal: names rows, protects nothing. */
function digest(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const character of text) {
    hash ^= BigInt(character.codePointAt(0) ?? 0);
    hash = (hash * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash.toString(16).padStart(16, '0');
}
