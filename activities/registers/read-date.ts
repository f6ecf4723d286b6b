// A date that a person wrote as text. One that can be read two ways is never guessed: the third of April and
// the fourth of March differ by a month on a permanent record.

/** How a date is meant whose day and month could be either. */
export type DateOrder = 'day-month-year' | 'month-day-year';

export type DateReading =
  /** `2026-04-03`, with a time `2026-04-03T14:30:00`. */
  | { readonly kind: 'date'; readonly iso: string }
  | { readonly kind: 'two-ways'; readonly readings: readonly [string, string] }
  | { readonly kind: 'short-year' }
  | { readonly kind: 'no-date' };

const NO_DATE: DateReading = { kind: 'no-date' };

const TIME = String.raw`(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${TIME}$`);
const YEAR_LAST = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})${TIME}$`);
const DAY_NAMED_MONTH = new RegExp(String.raw`^(\d{1,2})\.?[- ]?(\p{L}+)\.?,?[- ]?(\d{4})${TIME}$`, 'u');
const NAMED_MONTH_DAY = new RegExp(String.raw`^(\p{L}+)\.? (\d{1,2}),? (\d{4})${TIME}$`, 'u');
const SHORT_YEAR = /^\d{1,2}([-/.])(?:\d{1,2}|\p{L}+)\1\d{2}$/u;

/** How months begin in English, German, Dutch, French and the Nordic languages, without accents. */
const MONTHS = [
  /^(jan|tammi)/,
  /^(feb|fev|helmi)/,
  /^(mar|maa|mrt)/,
  /^(apr|avr|huh)/,
  /^(may|mai|mei|maj|tou)/,
  /^(jun|juin|kes)/,
  /^(jul|juil|hei)/,
  /^(aug|aou|elo)/,
  /^(sep|syy)/,
  /^(oct|okt|lok)/,
  /^(nov|marr)/,
  /^(dec|dez|des|jou)/,
];

/**
 * Reads one date, with or without a time. Points always part day, month and year in this order; with `/` and
 * `-` either may come first, and `order` says which where both could be meant.
 */
export function readDate(written: string, order?: DateOrder): DateReading {
  const text = written.trim().normalize('NFC');
  const first = YEAR_FIRST.exec(text);
  if (first !== null) return toReading(isoOf(first[1], first[3], first[4], first.slice(5)));
  const last = YEAR_LAST.exec(text);
  if (last !== null) return readYearLast(last, order);
  const dayNamed = DAY_NAMED_MONTH.exec(text);
  if (dayNamed !== null) {
    return toReading(isoOf(dayNamed[3], monthOf(dayNamed[2]), dayNamed[1], dayNamed.slice(4)));
  }
  const named = NAMED_MONTH_DAY.exec(text);
  if (named !== null) return toReading(isoOf(named[3], monthOf(named[1]), named[2], named.slice(4)));
  return SHORT_YEAR.test(text) ? { kind: 'short-year' } : NO_DATE;
}

function readYearLast(match: RegExpExecArray, order: DateOrder | undefined): DateReading {
  const [, one, separator, other, year, ...time] = match;
  const dayFirst = isoOf(year, other, one, time);
  const monthFirst = isoOf(year, one, other, time);
  if (separator === '.' || order === 'day-month-year') return toReading(dayFirst);
  if (order === 'month-day-year') return toReading(monthFirst);
  if (dayFirst === undefined || monthFirst === undefined || dayFirst === monthFirst)
    return toReading(dayFirst ?? monthFirst);
  return { kind: 'two-ways', readings: [dayFirst, monthFirst] };
}

function toReading(iso: string | undefined): DateReading {
  return iso === undefined ? NO_DATE : { kind: 'date', iso };
}

/**
 * The number of a month as text; undefined for a word that is none. "marraskuu" begins like March and like
 * November: of two that fit, the later month counts.
 */
function monthOf(word = ''): string | undefined {
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const fitting = MONTHS.flatMap((begins, at) => (begins.test(plain) ? [at + 1] : []));
  return fitting.length === 0 ? undefined : String(fitting.at(-1));
}

/** Undefined for a day or a time that does not exist. */
function isoOf(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  time: readonly (string | undefined)[],
): string | undefined {
  const [hour, minute, second = '0'] = time;
  const date = [year?.padStart(4, '0'), month?.padStart(2, '0'), day?.padStart(2, '0')].join('-');
  const clock = [hour ?? '0', minute ?? '0', second].map(part => part.padStart(2, '0')).join(':');
  const at = new Date(`${date}T${clock}Z`);
  // Date rolls 31 April over into May.
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 19) !== `${date}T${clock}`) return undefined;
  return hour === undefined ? date : `${date}T${clock}`;
}
