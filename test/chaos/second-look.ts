// Which findings are looked at twice: lateness, and a case that chance has not brought about. They count when the same
// seed brings them about again. All else counts the first time: what is lost, doubled, overwritten or told, a bad document's
// neighbour that did not become a revision, a run or a process that failed, a case that could not be run.
import type { Violation } from './part';

/** Lateness and chance. */
const OF_TIMING = [
  '15 everything ends',
  'every decisive cell is hit',
  'takes at most',
  'the case ends',
  'the outage meets ten batches',
];

/** What else is found of a case that has simply not ended yet. */
const OF_LATENESS = [
  '3 files lie where the receipt says',
  '4 no success is unrecorded',
  '11 every document is accounted for once',
  '12 nothing unfinished is left behind',
];

/** Whether all of it may be a matter of time. */
export function isWorthASecondLook(violations: readonly Violation[]): boolean {
  const late = new Set(
    violations.flatMap(({ invariant, case: name }) => (invariant === '15 everything ends' ? [name] : [])),
  );
  return violations.every(({ invariant, case: name }) => {
    const told = late.has(name) ? [...OF_TIMING, ...OF_LATENESS] : OF_TIMING;
    return told.some(each => invariant.startsWith(each));
  });
}
