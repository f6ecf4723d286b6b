// Times as people read them, in the zone of their share. Pure: who calls says which zone.

/**
 * `2026-04-03 16:20 +02:00`: sorts as text, reads the same everywhere, and tells the hour that comes twice.
 */
export function toSheetTime(instant: string | Date, zone: string): string {
  const parts = partsOf(new Date(instant), zone);
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute} ${parts.offset}`;
}

/**
 * The zone that this machine runs in (`TZ`): that of the people around it, unless
 * somebody says otherwise.
 */
export function hostZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

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
