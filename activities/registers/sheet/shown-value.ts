// What a cell of a workbook shows, as far as a register needs it: leading zeros and fixed decimals, and the
// calendar's date rather than the number behind it.
import type { Cell } from './grid';
import { EMPTY_CELL } from './grid';
import type { StoredCell } from './workbook-thread';

/**
 * A number format that only adds zeros and fixed text: `0000`, `0.00`, `"P"00`, `00-00`. Whatever groups
 * thousands, scales, rounds to a percentage or depends on a condition is not shown but told as the number.
 */
const SIMPLE_FORMAT = /^(?:"[^"]*"|\\.|[A-Z -])*0(?:"[^"]*"|\\.|[0 -])*(?:\.(0+))?(?:"[^"]*"|\\.|[ -])*$/;

/** Excel and LibreOffice keep 15 digits; those beyond them come from the binary form of the number. */
const DIGITS = 15;

/** The cell of the grid for a stored one. */
export function toShownCell(stored: StoredCell): Cell {
  if (stored === null) return EMPTY_CELL;
  if (typeof stored === 'string') return { text: stored, kind: 'text' };
  switch (stored.kind) {
    case 'number':
      return { text: showNumber(stored.value, stored.format), kind: 'number' };
    case 'date':
      return showDate(stored.value, stored.format);
    case 'boolean':
      return { text: stored.value ? 'TRUE' : 'FALSE', kind: 'boolean' };
    case 'error':
      return { text: stored.value, kind: 'error' };
    case 'uncomputed':
      return { text: 'a formula that was never computed', kind: 'error' };
  }
}

/** As the sheet shows it where the format is simple and loses nothing; otherwise the plain number. */
export function showNumber(stored: number, format: string): string {
  const value = Number(stored.toPrecision(DIGITS));
  const simple = SIMPLE_FORMAT.exec(withoutLocale(format));
  const decimals = simple?.[1]?.length ?? 0;
  if (simple === null || Math.abs(value) >= 1e15 || decimals > DIGITS) return plainNumber(value);
  return Number(value.toFixed(decimals)) === value ? fillIn(value, simple[0], decimals) : plainNumber(value);
}

/** The number that a sheet shows as this text, and under which format; undefined where there is none. */
export function numberShownAs(text: string): { readonly value: number; readonly format: string } | undefined {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return undefined;
  const [value, format] = [Number(text), text.replace('-', '').replace(/\d/g, '0')];
  return showNumber(value, format) === text ? { value, format } : undefined;
}

/** Digits take the places of the zeros from the right; those that are left over stand at the first zero. */
function fillIn(value: number, format: string, decimals: number): string {
  const tokens: readonly string[] = format.match(/"[^"]*"|\\.|./gs) ?? [];
  const digits = [...Math.abs(value).toFixed(decimals).replace('.', '')];
  const firstZero = tokens.indexOf('0');
  const shown = tokens.toReversed().map((token, fromRight) => {
    if (token !== '0') return token.replace(/^"|"$|^\\/g, '');
    const digit = digits.pop() ?? '0';
    return tokens.length - 1 - fromRight === firstZero ? digits.splice(0).join('') + digit : digit;
  });
  return (value < 0 ? '-' : '') + shown.toReversed().join('');
}

function plainNumber(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
}

function showDate(unixMs: number, format: string): Cell {
  const at = new Date(Math.round(unixMs / 1000) * 1000);
  // What Excel shows for a date before 1900 or after 9999.
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999 || at.getUTCFullYear() < 1899) {
    return { text: '########', kind: 'error' };
  }
  const [date = '', time = ''] = at.toISOString().slice(0, 19).split('T');
  const letters = withoutLocale(format).replace(/"[^"]*"|\\./g, '');
  // Stored with the moment it was typed (NOW), shown as a day.
  if (!/[hs]/i.test(letters) || time === '00:00:00') return { text: date, kind: 'date' };
  return { text: /[yd]/i.test(letters) ? `${date}T${time}` : time, kind: 'date' };
}

/** Without what says for which language or in which colour: `[$-409]`, `[Red]`. */
function withoutLocale(format: string): string {
  return format.replace(/\[(?:\$[^\]]*|[A-Za-z]+)\]/g, match => (/^\[[hms]+\]$/i.test(match) ? match : ''));
}
