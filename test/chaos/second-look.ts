// Which findings are looked at twice. What is lost, doubled, overwritten or told counts the first time; what may be only the
// machine's slowness, or a case that came about by chance, counts when the same seed brings it about again.
import type { Violation } from './part';

/** Lateness and chance. */
const OF_TIMING = [
  '10 a bad document never changes the fate of the others',
  '15 everything ends',
  '15 no run ends but by finishing',
  'every decisive cell is hit',
  'takes at most',
  'the case ends',
  'the case runs',
  'the drill runs',
  'the outage meets ten batches',
  'the part runs',
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
