// What the receipt says of a person's answer: who, when and what.
import type { Reason } from '../../contract';
import type { HeldAnswer, KeptAnswer } from '../answer-contract';

/** A note stands in one cell of the receipt, beside others. */
const MOST_CHARACTERS = 400;

const WORDS = {
  terminate: 'end the workflows that run',
  retry: 'try again',
  'set-apart': 'set it apart',
} as const;

/** For example "Answered by M. Keller on 2026-02-03 at 14:05 UTC: Type = Drawing; try again." */
export function describeAnswer(answer: HeldAnswer, as: string, atMs: number): string {
  const text = `${beginOfAnswer(as, atMs)} ${listSaid(answer)}`;
  return text.length < MOST_CHARACTERS ? `${text}.` : cut(text);
}

/** What the text begins with, whatever was answered. */
export function beginOfAnswer(as: string, atMs: number): string {
  const at = new Date(atMs).toISOString();
  return `Answered by ${as} on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC:`;
}

/**
 * Of a document that was answered and has not ended. Undefined: the answer is being checked, and who gave it
 * is not told before it is taken.
 */
export function explainAnswered(answer: KeptAnswer | undefined): Reason {
  if (answer === undefined)
    return { code: ANSWERED, text: 'An answer has come and is being checked.', fix: '' };
  const { by = 'somebody who gave no name', atMs, said } = answer;
  const told = `${beginOfAnswer(by, atMs)} ${said}${said.endsWith('...') ? '' : '.'}`;
  return { code: ANSWERED, text: `${told} It is on its way; nobody need answer it again.`, fix: '' };
}

/** Code of why a document is on its way that was held before. */
export const ANSWERED = 'answered';

/** Only what was answered, without who and when; cut to the same length. */
export function sayAnswer(answer: HeldAnswer): string {
  const text = listSaid(answer);
  return text.length <= MOST_CHARACTERS ? text : cut(text);
}

function listSaid({ values = {}, decision, reason, status }: HeldAnswer): string {
  const given = Object.entries(values).map(([field, value]) => {
    if (value === '') return `${field} not given`;
    return value.length === 0 ? `${field} left empty` : `${field} = ${[value].flat().join('; ')}`;
  });
  const decided = decision === undefined ? [] : [WORDS[decision]];
  const ended = decision === 'terminate' ? [`status ${status}`, `reason: ${reason}`] : [];
  return [...given, ...decided, ...ended].join(', ');
}

function cut(text: string): string {
  return `${text.slice(0, MOST_CHARACTERS - 3)}...`;
}
