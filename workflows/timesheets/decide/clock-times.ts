// Times of a clock, as they are written.

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;
const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.0{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Whether the text is a time of day or a timestamp that exists, so that hours can be counted from it. */
export function isClockTime(text: string): boolean {
  return secondOfDay(text) !== undefined || instantOf(text) !== undefined;
}

/** Of a time of day. */
export function secondOfDay(text: string): number | undefined {
  const match = TIME_OF_DAY.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * 3_600 + Number(match[2]) * 60 + Number(match[3] ?? 0);
}

/** Unix seconds, of a timestamp. */
export function instantOf(text: string): number | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const day = Date.parse(`${match[1]}T00:00:00Z`);
  // Date.parse rolls 31 February over in some engines; such a day does not exist.
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(match[1] ?? '')) return undefined;
  const zone = match[5] ?? 'Z';
  const offset =
    zone === 'Z'
      ? 0
      : (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 3_600 + Number(zone.slice(4)) * 60);
  return day / 1_000 + Number(match[2]) * 3_600 + Number(match[3]) * 60 + Number(match[4] ?? 0) - offset;
}
