// Numbers as a spreadsheet program writes them anew when it opens and saves a CSV, where no cell can say that
// it is a text: 42 for 0042, 1.1 for 1.10, 2.00E+05 for 2E05. Pure.
import type { Cell } from '../sheet/grid';

interface WrittenNumber {
  /** With a point, and without separators of thousands, as `Number` takes it. */
  readonly plain: string;
  readonly value: number;
  /** What stands before the decimals; empty where there are none. */
  readonly point: string;
  /** Digits before an exponent; absent where there is none. */
  readonly mantissa?: number;
}

const NUMBER = /^[+-]?(?=[.,]?\d)\d*(?:([.,])\d*)?(?:E[+-]?\d{1,3})?$/i;
const GROUPED = /^[+-]?\d{1,3}(?:([.,'’\u00A0\u202F])\d{3})(?:\1\d{3})*(?:(?!\1)([.,])\d+)?$/;

/** What programs write: no zeros in front or behind, but in a number with an exponent. */
const OF_PROGRAMS = /^-?(?:(?:0|[1-9]\d*)(?:[.,]\d*[1-9])?|[1-9](?:[.,]\d+)?E[+-]\d{2,3})$/;

/** Digits that programs keep of a number. */
const DIGITS = 15;
/** Digits that they show of one whose cell has no format, and decimals in front of an exponent. */
const SHOWN_DIGITS = 10;
const SHOWN_MANTISSA = 6;
/** A format with an exponent shows as many digits at least: 2.00E+05. */
const LEAST_MANTISSA = 3;

/**
 * Whether `now` is what a program writes by itself for the number that stood there. What no program does is a
 * person's: zeros in front that were not there, another decimal sign. So is 1234 in the place of 1,234, for
 * of that people are asked which number they mean.
 */
export function isRewritten(before: Pick<Cell, 'text' | 'kind'>, now: string): boolean {
  const was = readWritten(before.text);
  if (was === undefined) return false;
  const is = OF_PROGRAMS.test(now) ? readWritten(now) : undefined;
  // A number of a workbook is known by us with a point, and may come with a format that groups its digits.
  const isOfWorkbook = before.kind === 'number';
  const isSamePoint = is?.point === '' || was.point === '' || is?.point === was.point;
  if (is !== undefined && (isSamePoint || isOfWorkbook) && waysToWrite(was, is.mantissa).includes(is.value))
    return true;
  return isOfWorkbook && readGrouped(now) === was.value;
}

/** The same text for the same number, however it is written; any other text as it is. */
export function toCommonNumber(text: string): string {
  const number = readWritten(text);
  return number === undefined ? text : `${Number(number.value.toPrecision(DIGITS))}`;
}

function readWritten(text: string): WrittenNumber | undefined {
  const parts = NUMBER.exec(text);
  if (parts === null) {
    const value = readGrouped(text);
    return value === undefined ? undefined : { plain: `${value}`, value, point: '' };
  }
  const plain = text.replace(',', '.');
  const value = Number(plain);
  if (!Number.isFinite(value)) return undefined;
  const [digits = '', exponent] = plain.split(/E/i);
  const mantissa = exponent === undefined ? {} : { mantissa: digits.replace(/\D/g, '').length };
  return { plain, value, point: parts[1] ?? '', ...mantissa };
}

function readGrouped(text: string): number | undefined {
  const parts = GROUPED.exec(text);
  if (parts === null) return undefined;
  const [, separator = '', point] = parts;
  const digits = text.replaceAll(separator, '');
  return Number(point === undefined ? digits : digits.replace(point, '.'));
}

/** The numbers that programs make of one: some round, some cut what is more than they keep. */
function waysToWrite({ plain, value }: WrittenNumber, mantissa: number | undefined): readonly number[] {
  if (mantissa !== undefined) {
    const places = [SHOWN_MANTISSA, ...(mantissa < LEAST_MANTISSA || mantissa > DIGITS ? [] : [mantissa])];
    return [value, ...places.map(digits => Number(value.toPrecision(digits)))];
  }
  const before = Math.trunc(Math.abs(value)).toString().length;
  return [
    Number(value.toPrecision(DIGITS)),
    Number(cutDigits(plain)),
    Number(value.toFixed(SHOWN_DIGITS)),
    Number(value.toFixed(Math.min(Math.max(SHOWN_DIGITS - before, 0), SHOWN_DIGITS))),
  ];
}

function cutDigits(plain: string): string {
  const [digits = '', ...exponent] = plain.split(/(?=E)/i);
  let kept = 0;
  const cut = digits.replace(/\d/g, digit => {
    if (kept > 0 || digit !== '0') kept += 1;
    return kept > DIGITS ? '0' : digit;
  });
  return cut + exponent.join('');
}
