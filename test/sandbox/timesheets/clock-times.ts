/**
 * Reading the times of an entry and computing its hours: times of day, over
 * midnight too, or ISO 8601 timestamps.
 */
import { z } from 'zod';

const TIME_OF_DAY = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;

/** Minutes between them less the break, or null when they make no sense. */
export function workedMinutes(timeIn: string, timeOut: string, lunchMinutes: number): number | null {
  const start = minutesOf(timeIn);
  const end = minutesOf(timeOut);
  if (start === null || end === null || start.kind !== end.kind) return null;
  let span = end.minutes - start.minutes;
  if (start.kind === 'day' && span < 0) span += 24 * 60;
  const worked = span - lunchMinutes;
  return span > 0 && span < 24 * 60 && worked > 0 ? worked : null;
}

/** Two decimals at most, as the service keeps them. */
export function toHours(minutes: number): string {
  const hours = (Math.round((minutes / 60) * 100) / 100).toString();
  return hours.includes('.') ? hours : `${hours}.0`;
}

/** Decimal text of 0 to 24 hours in the service's own form, or null. */
export function normalHours(text: string): string | null {
  if (!/^\d{1,2}(\.\d{1,6})?$/.test(text)) return null;
  const value = Number(text);
  return value > 0 && value <= 24 ? toHours(value * 60) : null;
}

/** What the answer shows: a timestamp, for a time of day one of the entry's date in UTC. */
export function toTimestamp(date: string, time: string, isAfterMidnight: boolean): string {
  const match = TIME_OF_DAY.exec(time);
  if (match === null) return time;
  const day = new Date(Date.parse(`${date}T00:00:00Z`) + (isAfterMidnight ? 86_400_000 : 0));
  const [, hour = '', minute = '', second = '00'] = match;
  return `${day.toISOString().slice(0, 10)}T${hour.padStart(2, '0')}:${minute}:${second}Z`;
}

/** Whether an end as a time of day lies on the next day. */
export function isOverMidnight(timeIn: string, timeOut: string): boolean {
  const start = minutesOf(timeIn);
  const end = minutesOf(timeOut);
  return start?.kind === 'day' && end?.kind === 'day' && end.minutes < start.minutes;
}

function minutesOf(text: string): { kind: 'day' | 'instant'; minutes: number } | null {
  const match = TIME_OF_DAY.exec(text);
  if (match !== null) {
    const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
    if (hour > 23 || minute > 59 || second > 59) return null;
    return { kind: 'day', minutes: hour * 60 + minute + second / 60 };
  }
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)) return null;
  // What reads the whole takes 30 February for 2 March.
  if (!z.iso.date().safeParse(text.slice(0, 10)).success) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : { kind: 'instant', minutes: at / 60_000 };
}
