// What one check found, in words for operators, and what all of them together come to.
import { toShareError } from '../../activities/share/files/share-error';
import { EXIT_CODES } from '../session/cli-error';
import { type Colour, type Paint, toVisible } from '../session/terminal-text';

/** `not-asked` does not count as ok: something else has to be repaired before this can be asked. */
export type Verdict = 'ok' | 'not-asked' | 'look' | 'wrong';

export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly text: string;
  /** What an operator does about it; absent where nothing is to be done. */
  readonly todo?: string;
}

export type Judge = (text: string, todo?: string) => Finding;

/** The four judgements of one check. */
export function judgesOf(check: string): Readonly<Record<'ok' | 'look' | 'wrong' | 'notAsked', Judge>> {
  const as =
    (verdict: Verdict): Judge =>
    (text, todo) => ({ check, verdict, text: toSentence(text), ...(todo === undefined ? {} : { todo }) });
  return { ok: as('ok'), look: as('look'), wrong: as('wrong'), notAsked: as('not-asked') };
}

/** What others have said may be several lines, and ends in a point of its own or in a question. */
function toSentence(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, ' ');
  return /[.?!]$/.test(line) ? line : `${line}.`;
}

const WORDS: Readonly<Record<Verdict, { readonly word: string; readonly colour: Colour }>> = {
  wrong: { word: 'wrong', colour: 'red' },
  look: { word: 'to look at', colour: 'yellow' },
  'not-asked': { word: 'not asked', colour: 'dim' },
  ok: { word: 'ok', colour: 'green' },
};
const FROM_WORST = Object.keys(WORDS) as readonly Verdict[];
const WIDTH = Math.max(...Object.values(WORDS).map(({ word }) => word.length));

/** One line a check, in the order of the checks, and one that adds up. */
export function describeFindings(findings: readonly Finding[], paint: Paint): string {
  const lines = findings.map(({ check, verdict, text, todo }) => {
    const { word, colour } = WORDS[verdict];
    const said = toVisible(todo === undefined ? text : `${text} ${todo}`);
    return `${paint(colour, word.padEnd(WIDTH))}  ${toVisible(check)}: ${said}`;
  });
  const sum = FROM_WORST.map(verdict => {
    const count = findings.filter(each => each.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${WORDS[verdict].word}`];
  });
  return [...lines, '', `${sum.flat().join(', ')}.`].join('\n');
}

/** The worst of all. */
export function worstOf(findings: readonly Finding[]): Verdict {
  return FROM_WORST.find(verdict => findings.some(each => each.verdict === verdict)) ?? 'ok';
}

export function exitCodeOf(findings: readonly Finding[]): number {
  const worst = worstOf(findings);
  if (worst === 'ok') return EXIT_CODES.done;
  return worst === 'wrong' ? EXIT_CODES.failed : EXIT_CODES.attention;
}

/** What was asked, or why there is no answer. */
export type Asked<T> = { readonly value: T } | { readonly why: string };

/** Never throws, and does not wait for ever: what hangs is left to itself, for the process ends soon. */
export async function ask<T>(question: () => Promise<T>, withinMs: number): Promise<Asked<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Asked<T>>(resolve => {
    timer = setTimeout(() => resolve({ why: `no answer within ${withinMs / 1_000} s` }), withinMs);
  });
  const answered = question().then(
    value => ({ value }),
    (error: unknown) => ({ why: toWhy(error) }),
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function toWhy(error: unknown): string {
  const said = toShareError(error) ?? error;
  return said instanceof Error ? said.message : String(said);
}
