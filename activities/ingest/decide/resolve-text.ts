// Which fields take ids of a list and which take text, and whether a text is one that its field can hold.
import type { Resolution } from '../../host/resolve-value';
import type { ProjectField } from './project-rules';

/** 1,234 is a thousand for some and a little more than one for others. */
const MAYBE_THOUSANDS = /^-?[1-9]\d{0,2},\d{3}$/;

/** Fields whose values are ids of a list; all others take text. */
export function takesIds(field: ProjectField): boolean {
  return field.type === 'lov_entry' || field.type === 'lov_entries' || field.type === 'reference';
}

export function takesSeveral(field: ProjectField): boolean {
  return field.type === 'lov_entries' || field.isUserReference;
}

/** Checks and normalises the text of a field that takes no ids (string, numeric, timestamp). */
export function resolveText(text: string, field: ProjectField): Resolution {
  if (field.type === 'numeric') {
    const number = text.trim().replace(',', '.');
    if (MAYBE_THOUSANDS.test(text.trim())) {
      return {
        kind: 'malformed',
        expected: `a number without separators of thousands, for example ${number}`,
      };
    }
    return /^-?\d+(\.\d+)?$/.test(number)
      ? { kind: 'resolved', value: number }
      : { kind: 'malformed', expected: 'a number, for example 12.5' };
  }
  if (field.type === 'timestamp') {
    const iso = toIsoTimestamp(text.trim());
    return iso === undefined
      ? { kind: 'malformed', expected: 'a date or time, for example 2026-01-31 or 2026-01-31T09:30:00Z' }
      : { kind: 'resolved', value: iso };
  }
  return { kind: 'resolved', value: text.normalize('NFC') };
}

function toIsoTimestamp(text: string): string | undefined {
  const match =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?(Z|[+-]\d{2}:?\d{2})?)?$/.exec(
      text,
    );
  if (match === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = 'Z'] = match;
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  if (Number.isNaN(at.getTime())) return undefined;
  // Date rolls 31 February over into March; a day that does not exist is a mistake, not a date.
  if (new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() !== Number(day)) return undefined;
  return at.toISOString().replace('.000Z', 'Z');
}
