// Times as people read them, in the zone of their share. Pure: who calls says which zone.

/**
 * `2026-04-03 16:20 +02:00`: sorts as text, reads the same everywhere, and tells the hour that comes twice.
 */
export function toSheetTime(instant: string | Date, zone: string): string {
  const parts = partsOf(new Date(instant), zone);
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute} ${parts.offset}`;
}

/**
 * `16:20` on the day of `now`, `3 Apr 2026, 16:20` on any other: the month is a word, so that nobody takes it
 * for the day.
 */
export function toSpokenTime(instant: string | Date, now: string | Date, zone: string): string {
  const then = partsOf(new Date(instant), zone);
  const today = partsOf(new Date(now), zone);
  const time = `${then.hour}:${then.minute}`;
  if (then.year === today.year && then.month === today.month && then.day === today.day) return time;
  const month = MONTHS[Number(then.month) - 1] ?? then.month;
  return `${Number(then.day)} ${month} ${then.year}, ${time}`;
}

/**
 * An estimate no finer than it can be: to the minute within half an hour, to 5 within three hours, else to
 * 15. Rounded up, for nobody minds an end that comes earlier.
 */
export function roundEstimate(instant: string | Date, now: string | Date): string {
  const at = new Date(instant).getTime();
  const aheadMs = at - new Date(now).getTime();
  const stepMs = (aheadMs < 30 * MINUTE_MS ? 1 : aheadMs < 180 * MINUTE_MS ? 5 : 15) * MINUTE_MS;
  return new Date(Math.ceil(at / stepMs) * stepMs).toISOString();
}

const MINUTE_MS = 60_000;

/**
 * The zone that this machine runs in (`TZ`): that of the people around it, unless
 * somebody says otherwise.
 */
export function hostZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface TimeParts {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly hour: string;
  readonly minute: string;
  /** `+02:00`. */
  readonly offset: string;
}

function partsOf(instant: Date, zone: string): TimeParts {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'longOffset',
  });
  const found = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => found.get(type) ?? '';
  // At Greenwich in winter it is "GMT" alone.
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00';
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    offset,
  };
}
