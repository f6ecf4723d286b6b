// Timecard entries: one person's work of one day on one cost code (specification, Timecard entry).
import { z } from 'zod';
import { CREATE, type Endpoint, type PageQuery, READ, REMOVE, UPDATE } from '../endpoint';
import { numericId } from './strict-values';
import { pageValues, wireFlag, wireId, wireNamed, wireOptional, wireText, wireTextOrEmpty } from './wire';

const FINER_THAN_OURS = /^(\d+)\.(\d{4})(\d)\d*$/;

/** Hours in decimal text with at most four decimals, rounded half up; any other text stays as it is. */
export function toFourDecimals(hours: string): string {
  const match = FINER_THAN_OURS.exec(hours.trim());
  if (match === null) return hours;
  const [, whole = '', fraction = '', next = ''] = match;
  const tenThousandths = Number(whole + fraction) + (next >= '5' ? 1 : 0);
  return `${Math.floor(tenThousandths / 10_000)}.${String(tenThousandths % 10_000).padStart(4, '0')}`;
}

export const timecardEntry = z
  .object({
    id: wireId,
    date: wireText,
    // The service may count in more decimals than we compare in.
    hours: wireText.transform(text => (text === null ? null : toFourDecimals(text))),
    lunch_time: wireText,
    time_in: wireText,
    time_out: wireText,
    billable: wireFlag(false),
    description: wireTextOrEmpty,
    cost_code: wireNamed,
    // Whoever shows an entry by itself shows its party; a sheet shows its entries without.
    party: z.object({ id: wireId }).nullish(),
    party_id: z.union([z.string(), z.number().int()]).nullish(),
    login_information: wireNamed,
    timecard_time_type: wireOptional(z.object({ id: wireId })),
    timesheet: wireOptional(z.object({ id: wireId })),
    origin_id: wireText,
    // An empty one is none: the entry was made by hand.
    origin_data: wireText.transform(text => text || null),
    approval_status: wireText,
    deleted_at: wireText,
  })
  .transform(entry => ({
    id: entry.id,
    date: entry.date,
    hours: entry.hours,
    lunchMinutes: entry.lunch_time,
    timeIn: entry.time_in,
    timeOut: entry.time_out,
    billable: entry.billable,
    description: entry.description,
    costCodeId: entry.cost_code?.id ?? null,
    partyId: partyOf(entry),
    loginId: entry.login_information?.id ?? null,
    timeTypeId: entry.timecard_time_type?.id ?? null,
    timesheetId: entry.timesheet?.id ?? null,
    originData: entry.origin_data,
    approvalStatus: entry.approval_status,
    isDeleted: entry.deleted_at !== null,
  }));
/**
 * As stored; hours are decimal text. `originData` is what the creator left there to know it again.
 * `partyId` is undefined where the response says nothing of a party.
 */
export type TimecardEntry = z.output<typeof timecardEntry>;

function partyOf(entry: {
  readonly party?: { readonly id: string } | null | undefined;
  readonly party_id?: string | number | null | undefined;
}): string | null | undefined {
  if (entry.party === undefined && entry.party_id === undefined) return undefined;
  const id = entry.party?.id ?? entry.party_id ?? '';
  return id === '' ? null : String(id);
}

const clockTime = z
  .string()
  .regex(/^(\d{4}-\d{2}-\d{2}T)?\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})?$/)
  .max(40);

/** Exactly one timing mode, that of the project's timesheet setting. */
export type EntryTiming =
  | { readonly mode: 'hours'; readonly hours: string }
  | {
      readonly mode: 'times';
      readonly timeIn: string;
      readonly timeOut: string;
      readonly lunchMinutes: number;
    };

const timing = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('hours'), hours: z.string().regex(/^\d{1,2}(\.\d{1,4})?$/) }),
  z.strictObject({
    mode: z.literal('times'),
    timeIn: clockTime,
    timeOut: clockTime,
    lunchMinutes: z.number().int().min(0).max(1_439),
  }),
]);

/** What we write of an entry; who and what it stands for are ids. */
export interface EntryContent {
  readonly date: string;
  readonly timing: EntryTiming;
  readonly billable: boolean;
  readonly description: string;
  readonly costCodeId?: string | undefined;
  readonly timeTypeId?: string | undefined;
  readonly partyId?: string | undefined;
  readonly loginId?: string | undefined;
}

const contentShape = {
  date: z.iso.date(),
  timing,
  billable: z.boolean(),
  description: z.string().max(4_000),
  costCodeId: numericId.optional(),
  timeTypeId: numericId.optional(),
  partyId: numericId.optional(),
  loginId: numericId.optional(),
};
const content = z.strictObject(contentShape);

function toWire(entry: z.output<typeof content>) {
  const { timing: time } = entry;
  return {
    date: entry.date,
    billable: entry.billable,
    description: entry.description,
    cost_code_id: entry.costCodeId,
    timecard_time_type_id: entry.timeTypeId,
    party_id: entry.partyId,
    login_information_id: entry.loginId,
    ...(time.mode === 'hours'
      ? { hours: time.hours }
      : { time_in: time.timeIn, time_out: time.timeOut, lunch_time: String(time.lunchMinutes) }),
  };
}

export interface EntryParams {
  readonly projectId: string;
}
type OneEntry = EntryParams & { readonly entryId: string };

const ENTRIES = '/rest/v1.0/projects/{projectId}/timecard_entries';
const ENTRY = `${ENTRIES}/{entryId}`;

export interface NewEntry extends EntryContent {
  readonly timesheetId: string;
  /** Finds the entry again; unique among what the integration creates. */
  readonly originData: string;
}

/** After a lost response, show the timesheet and look for `originData` before creating again. */
export const createTimecardEntry: Endpoint<EntryParams, undefined, NewEntry, TimecardEntry> = {
  name: 'timecards.create',
  ...CREATE,
  path: ENTRIES,
  request: z
    .strictObject({ ...contentShape, timesheetId: numericId, originData: z.string().min(1).max(255) })
    .transform(entry => ({
      timecard_entry: { ...toWire(entry), timesheet_id: entry.timesheetId, origin_data: entry.originData },
    })),
  response: timecardEntry,
};

/** Writes all of the content; the same again changes nothing. */
export const updateTimecardEntry: Endpoint<OneEntry, undefined, EntryContent, TimecardEntry> = {
  name: 'timecards.update',
  ...UPDATE,
  path: ENTRY,
  request: content.transform(entry => ({ timecard_entry: toWire(entry) })),
  response: timecardEntry,
};

export interface EntryQuery extends PageQuery {
  /** Both ends inclusive, YYYY-MM-DD; without them the service gives today's. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Paginated; shows pending entries only (specification). */
export const listTimecardEntries: Endpoint<EntryParams, EntryQuery, undefined, readonly TimecardEntry[]> = {
  name: 'timecards.list',
  ...READ,
  path: ENTRIES,
  query: query => ({ ...pageValues(query), start_date: query.from, end_date: query.to }),
  response: z.array(timecardEntry),
};

export const showTimecardEntry: Endpoint<OneEntry, undefined, undefined, TimecardEntry> = {
  name: 'timecards.show',
  ...READ,
  path: ENTRY,
  response: timecardEntry,
};

/** A second time it is 404: gone either way. */
export const deleteTimecardEntry: Endpoint<OneEntry, undefined, undefined, null> = {
  name: 'timecards.delete',
  ...REMOVE,
  path: ENTRY,
};
