// Which findings are looked at again: lateness, and a moment that chance has not brought about. Nothing
// else: what is lost, doubled, overwritten or told counts the first time, and so does a case that
// never ends. It is watched for twice the time it is given before it is called that (waiting.ts), so
// that no machine is too slow for it, and no hang too rare: one that strikes one run in ten would pass
// a second look nine times in ten.
import { HEARD_AT_ONCE } from './judge-rules-impatience';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';

/** A case that ended, but late. */
export const LATE = 'ends in time';

/** Findings of a case that is then run by itself, without the others beside it. */
const OF_A_CASE: readonly string[] = [LATE, HEARD_AT_ONCE];

/** Lateness and chance. */
const OF_TIMING = [
  ...OF_A_CASE,
  'takes at most',
  'the outage meets ten batches',
  'the machine keeps up with the fast clock',
];

/** So often is a late case run by itself; late once more, it counts. */
const LOOKS_AT_LATENESS = 3;

/** Whether all of it may be a matter of time. */
export function isWorthASecondLook(violations: readonly Violation[]): boolean {
  return violations.every(({ invariant }) => OF_TIMING.some(each => invariant.startsWith(each)));
}

type Run = (part: ChaosPart, options: PartOptions) => Promise<PartResult>;

/** Runs the part, and again what is worth it. */
export async function runAndLookAgain(part: ChaosPart, options: PartOptions, run: Run): Promise<PartResult> {
  return await lookAgain(await run(part, options), part, options, run);
}

/**
 * Runs again what is worth it of what was found first; what is found then counts, and what was found first is
 * told beside. Nothing else may run by then: a busy machine is late as often as it is looked at.
 */
export async function lookAgain(
  first: PartResult,
  part: ChaosPart,
  options: PartOptions,
  run: Run,
): Promise<PartResult> {
  const [one] = first.violations;
  if (one === undefined || !isWorthASecondLook(first.violations)) return first;
  options.say(`${part.name}: found once, tried again: ${one.invariant} [${one.case}]: ${one.what}`);
  const told = first.violations.map(found => `${found.invariant} [${found.case}]`).join('; ');
  const figures = (of: PartResult) => ({ ...of.figures, 'found at the first try': told });
  if (first.violations.some(({ invariant }) => !OF_A_CASE.includes(invariant))) {
    const second = await run(part, options);
    return { ...second, figures: figures(second) };
  }
  const found: Violation[] = [];
  for (const name of new Set(first.violations.map(each => each.case))) {
    for (let look = 0; look < LOOKS_AT_LATENESS && found.length === 0; look++)
      found.push(...(await run(part, { ...options, only: name })).violations);
  }
  return { ...first, violations: found, figures: figures(first) };
}
