// Which of two revision values is the later one, where the values themselves say so.

/**
 * A revision value taken apart. Values of one scheme can be ordered; nothing is known between two schemes.
 */
export interface ParsedRevision {
  readonly scheme: string;
  /** Compared one after the other; what is missing comes first (P01 before P01.1). */
  readonly parts: readonly number[];
}

/** ISO 19650: preliminary issues come before contractual ones. */
const STAGES: Readonly<Record<string, number>> = { P: 0, C: 1 };

/**
 * Understands 0, 1, 02, 1.2 (numbers); A to Z, then AA (letters); P01, C02, P01.3 (stages); X1 (another
 * prefix, ordered among its own). "Rev" before it is left out. undefined for what has no order of its
 * own, as a word or a date has not.
 */
export function parseRevision(value: string | undefined): ParsedRevision | undefined {
  const text = (value ?? '')
    .normalize('NFKC')
    .trim()
    .toUpperCase()
    .replace(/^REV(ISION)?[.\s_-]*(?=[A-Z\d])/, '');
  if (/^\d{1,6}(\.\d{1,6}){0,3}$/.test(text)) return { scheme: 'numbers', parts: toNumbers(text) };
  if (/^[A-Z]{1,2}$/.test(text)) return { scheme: 'letters', parts: [toOrdinal(text)] };
  const [, prefix = '', digits = ''] = /^([A-Z]{1,3})[\s_-]?(\d{1,6}(?:\.\d{1,6}){0,3})$/.exec(text) ?? [];
  if (prefix === '') return undefined;
  const stage = STAGES[prefix];
  if (stage !== undefined) return { scheme: 'stages', parts: [stage, ...toNumbers(digits)] };
  return { scheme: `prefix ${prefix}`, parts: toNumbers(digits) };
}

/** Negative when `one` is the earlier; only for two of the same scheme. */
export function compareParsed(one: ParsedRevision, other: ParsedRevision): number {
  const length = Math.max(one.parts.length, other.parts.length);
  for (let at = 0; at < length; at++) {
    const difference = (one.parts[at] ?? -1) - (other.parts[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function toNumbers(text: string): number[] {
  return text.split('.').map(Number);
}

/** A = 1 ... Z = 26, AA = 27, as columns of a spreadsheet. */
function toOrdinal(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}
