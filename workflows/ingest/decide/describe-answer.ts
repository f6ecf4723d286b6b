// What the receipt says of a person's answer: who, when and what.
import type { HeldAnswer } from '../answer-contract';

/** A note stands in one cell of the receipt, beside others. */
const MOST_CHARACTERS = 400;

const WORDS = {
  terminate: 'end the workflows that run',
  retry: 'try again',
  'set-apart': 'set it apart',
} as const;

/** For example "Answered by M. Keller on 2026-02-03 at 14:05 UTC: Type = Drawing; try again." */
export function describeAnswer(
  { values = {}, decision, reason, status }: HeldAnswer,
  as: string,
  atMs: number,
): string {
  const given = Object.entries(values).map(([field, value]) => `${field} = ${[value].flat().join('; ')}`);
  const decided = decision === undefined ? [] : [WORDS[decision]];
  const ended = decision === 'terminate' ? [`status ${status}`, `reason: ${reason}`] : [];
  const at = new Date(atMs).toISOString();
  const what = [...given, ...decided, ...ended].join(', ');
  const text = `Answered by ${as} on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC: ${what}`;
  return text.length < MOST_CHARACTERS ? `${text}.` : `${text.slice(0, MOST_CHARACTERS - 3)}...`;
}
