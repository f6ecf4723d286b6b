// What is held, set apart, answered or in line in a job, one group a reason: 280 files that lack the same
// value are one thing to do. Pure.
import type { StatusCase } from './status-facts';

export interface CaseGroup {
  /** Its outcome, reason and cure are those of all. */
  readonly first: StatusCase;
  readonly cases: readonly StatusCase[];
}

/**
 * Held before set apart, for they wait; what goes on by itself last, for nothing is to be done; within an
 * outcome the largest group first. Within a group the order that was given, which is the register's.
 */
export function groupCases(cases: readonly StatusCase[]): readonly CaseGroup[] {
  const groups = new Map<string, StatusCase[]>();
  for (const one of cases) {
    const key = JSON.stringify([one.outcome, one.reason, one.whatToDo]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  const sorted = [...groups.values()].sort((one, other) => other.length - one.length);
  return (['held', 'set-apart', 'on-the-way'] as const).flatMap(outcome =>
    sorted.flatMap(group => {
      const [first] = group;
      return first?.outcome === outcome ? [{ first, cases: group }] : [];
    }),
  );
}
