// A day of somebody's calendar as a span of time. Pure.

const DAY_MS = 86_400_000;

/** When the day and the next one begin, as ISO, which sorts as text. In UTC where the zone is not known. */
export function dayOf(day: string, zone: string): { readonly from: string; readonly to: string } {
  const toText = (ms: number) => new Date(beginOf(ms, zone)).toISOString();
  return { from: toText(Date.parse(day)), to: toText(Date.parse(day) + DAY_MS) };
}

/** Looks twice: when the day begins, another offset may hold than at the first guess. */
function beginOf(utcMs: number, zone: string): number {
  const first = utcMs - offsetMs(utcMs, zone);
  return utcMs - offsetMs(first, zone);
}

function offsetMs(atMs: number, zone: string): number {
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  } catch {
    return 0;
  }
}
