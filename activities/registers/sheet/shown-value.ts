// What a cell of a workbook shows, as far as a register needs it: leading zeros and fixed decimals, and the
// calendar's date rather than the number behind it.
import type { Cell } from './grid';
import { EMPTY_CELL } from './grid';
import type { StoredCell } from './workbook-thread';

/**
 * A section of a number format that only adds zeros and fixed text: `0000`, `0.00`, `"P"00`, `00-00`.
 * Whatever groups thousands, scales, rounds to a percentage or depends on a condition is not shown but told
 * as the number.
 */
const SIMPLE_FORMAT = /^(?:"[^"]*"|\\.|[A-Z -])*0(?:"[^"]*"|\\.|[0 -])*(?:\.(0+))?(?:"[^"]*"|\\.|[ -])*$/;

/** What a format is made of: fixed text, a space as wide as a character, filling, brackets, a sign. */
const TOKENS = /"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|./gs;
const CONDITION = /^\[[<>=]/;
/** What shows nothing by itself. */
const SPACING = /^(?:_.|\*.)$/s;

/** Excel and LibreOffice keep 15 digits; those beyond them come from the binary form of the number. */
const DIGITS = 15;

/** The most that a cell without a format shows of a number before it rounds it, or writes an exponent. */
const MOST_SHOWN = 11;

/** A section, without blanks, that shows the digits of the number alone: grouped, rounded or as they are. */
const DIGITS_ALONE = /^(?:General|[#?,]*0?(?:\.[0#?]*)?)$/i;
/** A section without a zero that shows a whole number from 1 on. */
const NO_ZERO = /^((?:"[^"]*"|\\.|[^"\\#?0,.])*)#+((?:"[^"]*"|\\.|[^"\\#?0,.])*)$/s;

const DAY_ZERO = Date.UTC(1899, 11, 31);
const MS_OF_DAY = 86_400_000;

/** The cell of the grid for a stored one. */
export function toShownCell(stored: StoredCell): Cell {
  if (stored === null) return EMPTY_CELL;
  if (typeof stored === 'string') return { text: stored, kind: 'text' };
  switch (stored.kind) {
    case 'number':
      return showNumberCell(stored.value, stored.format);
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

function showNumberCell(stored: number, format: string): Cell {
  const text = showNumber(stored, format);
  const plain = plainNumber(toKept(stored));
  const isSame = Number(text) === Number(plain);
  if (isShownOtherwise(stored, format)) return { text, kind: 'number', isShownOtherwise: true };
  return { text, kind: 'number', ...(isSame ? {} : { plain }) };
}

/** As the sheet shows it where the format is simple and loses nothing; otherwise the plain number. */
export function showNumber(stored: number, format: string): string {
  return renderNumber(toKept(stored), format) ?? plainNumber(toKept(stored));
}

/** Undefined where the format is not simple, or loses something. */
function renderNumber(value: number, format: string): string | undefined {
  const { section, isOfSign } = sectionFor(value, format);
  const simple = SIMPLE_FORMAT.exec(withZeros(Math.abs(value), section));
  const decimals = simple?.[1]?.length ?? 0;
  if (simple === null || Math.abs(value) >= 1e15 || decimals > DIGITS) return undefined;
  if (Number(value.toFixed(decimals)) !== value) return undefined;
  const digits = fillIn(Math.abs(value), simple[0], decimals);
  if (value >= 0) return digits;
  if (!isOfSign) return `-${digits}`;
  return digits.includes('-') ? digits : undefined;
}

/** With zeros in the place of what shows just the digits of this number, none more: `General`, `#`. */
function withZeros(value: number, section: string): string {
  const [, before, behind] = NO_ZERO.exec(section) ?? [];
  if (before !== undefined && Number.isInteger(value) && value >= 1) return `${before}0${behind ?? ''}`;
  const plain = plainNumber(value);
  if (plain.length > MOST_SHOWN) return section;
  return section.replace(/"[^"]*"|\\.|General/gis, part => {
    return part.toLowerCase() === 'general' ? plain.replace(/\d/g, '0') : part;
  });
}

/** Whether what the sheet shows is more, or something else, than the digits of the number. */
function isShownOtherwise(stored: number, format: string): boolean {
  const value = toKept(stored);
  if (renderNumber(value, format) !== undefined) return false;
  const section = hasCondition(format)
    ? sectionByCondition(value, format)
    : sectionFor(value, format).section;
  if (section === undefined) return true;
  const bare = section.replace(/\\([ ()-])/g, '$1').replace(/ /g, '');
  return bare !== '' && !DIGITS_ALONE.test(value < 0 ? bare.replace(/[()-]/g, '') : bare);
}

/** The number that a sheet shows as this text, and under which format; undefined where there is none. */
export function numberShownAs(text: string): { readonly value: number; readonly format: string } | undefined {
  // A minus or a digit in the text around it could be the number's own. A digit that a format puts directly
  // before the number cannot be told from it; nobody writes such a format.
  const parts = /^(-?)([^-\d"]*)(\d+(?:\.\d+)?)([^-\d"]*)$/.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', before = '', digits = '', behind = ''] = parts;
  const value = Number(sign + digits);
  const format = `${inQuotes(before)}${digits.replace(/\d/g, '0')}${inQuotes(behind)}`;
  return showNumber(value, format) === text ? { value, format } : undefined;
}

function inQuotes(fixed: string): string {
  return fixed === '' ? '' : `"${fixed}"`;
}

/** The same of a date or a time: spreadsheets have them as days since the end of 1899. */
export function dateShownAs(text: string): { readonly value: number; readonly format: string } | undefined {
  const [date, time] = [text.includes('-'), text.includes(':')];
  const format = `${date ? 'yyyy-mm-dd' : ''}${date && time ? ' ' : ''}${time ? 'hh:mm:ss' : ''}`;
  const unixMs = Date.parse(date ? `${text}${time ? 'Z' : ''}` : `1899-12-31T${text}Z`);
  const days = (unixMs - DAY_ZERO) / MS_OF_DAY;
  // They count a 29 February 1900.
  const value = days < 60 ? days : days + 1;
  return showDate(unixMs, format).text === text ? { value, format } : undefined;
}

function toKept(stored: number): number {
  return Number(stored.toPrecision(DIGITS));
}

/**
 * The section of a format that the number is shown by, without what shows nothing; `isOfSign` where it has to
 * write the minus itself. Empty where a condition chooses.
 */
function sectionFor(value: number, format: string): { readonly section: string; readonly isOfSign: boolean } {
  if (hasCondition(format)) return { section: '', isOfSign: false };
  const sections = sectionsOf(format);
  // That of texts is the last one.
  const ofNumbers = sections.filter(section => !section.includes('@'));
  const at = value < 0 ? 1 : value === 0 ? 2 : 0;
  const section = ofNumbers[at] ?? ofNumbers[0] ?? [];
  return { section: withoutOptional(section), isOfSign: at === 1 && ofNumbers.length > 1 };
}

function sectionsOf(format: string): readonly (readonly string[])[] {
  const tokens: readonly string[] = format.match(TOKENS) ?? [];
  const ends = tokens.flatMap((token, at) => (token === ';' ? [at] : []));
  return [-1, ...ends].map((end, at) => tokens.slice(end + 1, ends[at]));
}

function hasCondition(format: string): boolean {
  return sectionsOf(format).some(tokens => tokens.some(token => CONDITION.test(token)));
}

/** The first one that takes the number; undefined where none does. */
function sectionByCondition(value: number, format: string): string | undefined {
  const taking = sectionsOf(format).find(tokens => {
    const said = tokens.find(token => CONDITION.test(token));
    return said === undefined || isTrue(value, said);
  });
  return taking && withoutOptional(taking.filter(token => !CONDITION.test(token)));
}

function isTrue(value: number, condition: string): boolean {
  const [, sign = '', text = ''] = /^\[([<>=]+)(.*)\]$/.exec(condition) ?? [];
  const other = Number(text);
  if (value === other) return sign.includes('=');
  return value < other ? sign.includes('<') : sign.includes('>');
}

/** Also without places right before the first zero that show a digit only where there is one. */
function withoutOptional(tokens: readonly string[]): string {
  const shown = tokens.filter(token => !SPACING.test(token) && withoutLocale(token) !== '');
  const firstZero = shown.indexOf('0');
  const before = shown.slice(0, Math.max(firstZero, 0));
  const places = before.length - before.findLastIndex(token => token !== '#' && token !== '?') - 1;
  return [...before.slice(0, before.length - places), ...shown.slice(before.length)].join('');
}

/**
 * Digits of a number without its sign take the places of the zeros from the right; those that are left over
 * stand at the first zero.
 */
function fillIn(value: number, format: string, decimals: number): string {
  const tokens: readonly string[] = format.match(/"[^"]*"|\\.|./gs) ?? [];
  const digits = [...value.toFixed(decimals).replace('.', '')];
  const firstZero = tokens.indexOf('0');
  const shown = tokens.toReversed().map((token, fromRight) => {
    if (token !== '0') return token.replace(/^"|"$|^\\/g, '');
    const digit = digits.pop() ?? '0';
    return tokens.length - 1 - fromRight === firstZero ? digits.splice(0).join('') + digit : digit;
  });
  return shown.toReversed().join('');
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

/** Without what says for which language or in which colour: `[$-409]`, `[Red]`, `[Color10]`. */
function withoutLocale(format: string): string {
  return format.replace(/\[(?:\$[^\]]*|[A-Za-z]+\d*)\]/g, match =>
    /^\[[hms]+\]$/i.test(match) ? match : '',
  );
}
