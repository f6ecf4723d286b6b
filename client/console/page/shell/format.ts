// Numbers, sizes, times and durations as people read them. Pure: the caller gives locale, zone and now.

export interface Reader {
  readonly locale: string | undefined;
  readonly zone: string;
  readonly hour: 'locale' | 'h24' | 'h12';
}

/**
 * The first of the reader's languages that can be used; undefined for the system's own. A browser may give
 * what no language is called (`en-US@posix`, where the system has none).
 */
export function chooseLocale(wanted: readonly string[]): string | undefined {
  return wanted.find(language => {
    try {
      return Intl.DateTimeFormat.supportedLocalesOf(language).length > 0;
    } catch {
      return false;
    }
  });
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function tellNumber(value: number, { locale }: Reader): string {
  return value.toLocaleString(locale);
}

/** Decimal, at most three figures: 2.4 MB, 412 MB, 1.8 GB. */
export function tellSize(bytes: number, { locale }: Reader): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : 1;
  return `${value.toLocaleString(locale, { maximumFractionDigits: digits })} ${units[unit]}`;
}

/** Two units at most: 40 s, 34 min, 1 h 26 min, 3 days. */
export function tellDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.round(hours / 24);
  return days === 1 ? '1 day' : `${days} days`;
}

function hourOf({ hour }: Reader): Intl.DateTimeFormatOptions {
  return hour === 'locale' ? {} : { hourCycle: hour === 'h24' ? 'h23' : 'h12' };
}

/** 10:26 or 09:46, but 9:46 PM: only on the 24-hour clock a zero goes before the hour. */
export function tellClock(at: string | Date, reader: Reader): string {
  return formatterOf(reader.locale, {
    timeZone: reader.zone,
    hour: isHalfDay(reader) ? 'numeric' : '2-digit',
    minute: '2-digit',
    ...hourOf(reader),
  }).format(new Date(at));
}

function isHalfDay({ hour, locale }: Reader): boolean {
  if (hour !== 'locale') return hour === 'h12';
  return formatterOf(locale, { hour: 'numeric' }).resolvedOptions().hour12 === true;
}

/** Each is made once, for making one is slow and every row of a table tells a time whenever it is drawn. */
const FORMATTERS = new Map<string, Intl.DateTimeFormat>();

function formatterOf(locale: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = FORMATTERS.get(key) ?? new Intl.DateTimeFormat(locale, options);
  FORMATTERS.set(key, known);
  return known;
}

/** `2026-11-23` in the reader's zone. */
export function dayOf(at: string | Date, { zone }: Reader): string {
  return formatterOf('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(new Date(at));
}

/** So many days as `dayOf` calls them, today first. Counted as dates: not every day has 24 hours. */
export function daysBack(now: Date, count: number, reader: Reader): readonly string[] {
  const today = Date.parse(dayOf(now, reader));
  return Array.from({ length: count }, (_, back) =>
    new Date(today - back * DAY_MS).toISOString().slice(0, 10),
  );
}

/** 3 Apr 2026, with the month as a word: Europe and America read the same. */
export function tellDate(at: string | Date, reader: Reader, { withYear = true } = {}): string {
  return format(at, reader, { day: 'numeric', month: 'short', ...(withYear ? { year: 'numeric' } : {}) });
}

/** Of a date alone, such as `2026-04-03`: 3 Apr 2026 in any zone. */
export function tellDay(day: string, reader: Reader): string {
  return tellDate(day, { ...reader, zone: 'UTC' });
}

/** Monday 23 November. */
export function tellLongDay(at: string | Date, now: Date, reader: Reader): string {
  const isThisYear = dayOf(at, reader).slice(0, 4) === dayOf(now, reader).slice(0, 4);
  return format(at, reader, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

/** Today the time, in the last six days `Fri 16:20`, else `3 Apr`, with the year when it is not this one. */
export function tellTime(at: string | Date, now: Date, reader: Reader): string {
  const then = new Date(at);
  if (dayOf(then, reader) === dayOf(now, reader)) return tellClock(then, reader);
  const age = now.getTime() - then.getTime();
  if (age > 0 && age < 6 * DAY_MS)
    return `${format(then, reader, { weekday: 'short' })} ${tellClock(then, reader)}`;
  const isThisYear = dayOf(then, reader).slice(0, 4) === dayOf(now, reader).slice(0, 4);
  return tellDate(then, reader, { withYear: !isThisYear });
}

/** The day as well as the time, of a time that may be on any day. */
export function tellMoment(at: string | Date, now: Date, reader: Reader): string {
  const time = tellClock(at, reader);
  return dayOf(at, reader) === dayOf(now, reader) ? time : `${tellDate(at, reader)}, ${time}`;
}

/**
 * Rounds an estimated time up, no finer than it can be known: to 1 min where it is less than 30 min ahead, to
 * 5 min under 3 h, else to 15 min.
 */
export function roundEstimate(at: string | Date, now: Date): Date {
  const then = new Date(at).getTime();
  const ahead = then - now.getTime();
  const step = (ahead < 30 * MINUTE_MS ? 1 : ahead < 3 * HOUR_MS ? 5 : 15) * MINUTE_MS;
  return new Date(Math.ceil(then / step) * step);
}

/**
 * `en`, `en-US` and a locale that is not known would put the month first: there the day stands first all the
 * same. Other locales keep their own order, without a comma behind the weekday.
 */
function format(at: string | Date, reader: Reader, options: Intl.DateTimeFormatOptions): string {
  const all = { timeZone: reader.zone, ...options };
  const { locale } = reader;
  if (locale !== undefined && locale !== 'en' && !locale.startsWith('en-US'))
    return formatterOf(locale, all)
      .format(new Date(at))
      .replace(/^(\p{L}+), /u, '$1 ');
  const parts = new Map(
    formatterOf('en-GB', all)
      .formatToParts(new Date(at))
      .map(({ type, value }) => [type, value]),
  );
  return (['weekday', 'day', 'month', 'year'] as const)
    .map(type => parts.get(type))
    .filter(part => part !== undefined)
    .join(' ');
}
