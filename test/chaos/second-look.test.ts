// A second look is for lateness and chance, never for what is lost, doubled, told, or hangs.

import { HEARD_AT_ONCE } from './judge-rules-impatience';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';
import { isWorthASecondLook, LATE, runAndLookAgain } from './second-look';
import { judgeLateness, untilEnded } from './waiting';

const violation = (invariant: string, name = 'seed 1'): Violation => ({
  invariant,
  case: name,
  what: 'something',
});
const found = (...invariants: string[]): Violation[] => invariants.map(each => violation(each));

test.each([
  ['1 every file is in one place'],
  ['2 one revision a document'],
  ['3 a receipt that says submitted is true'],
  ['4 no success is unrecorded'],
  ['6 no other upload while a submission is in doubt'],
  ['10 a bad document never changes the fate of the others'],
  ['12 nothing is overwritten'],
  ['15 everything ends'],
  ['15 no run ends but by finishing'],
  ['16 no request while the window is spent'],
  ['16 limits are kept'],
  ['19 no secret anywhere'],
  ['the case ends'],
  ['the suite notices'],
  ['the case runs'],
  ['the drill runs'],
  ['the part runs'],
  ['every decisive cell is hit at least 20 times'],
])('%s counts the first time, alone and beside a case that is late', invariant => {
  expect(isWorthASecondLook(found(invariant))).toBe(false);
  expect(isWorthASecondLook(found(LATE, invariant))).toBe(false);
});

test.each([LATE, 'the outage meets ten batches', 'the machine keeps up with the fast clock'])(
  '%s may be a matter of time or chance',
  invariant => {
    expect(isWorthASecondLook(found(invariant))).toBe(true);
  },
);

/** A part whose runs find one after the other what is given. */
function partThatFinds(...runs: (readonly Violation[])[]) {
  const asked: (string | undefined)[] = [];
  const run = async (_: ChaosPart, { only }: PartOptions): Promise<PartResult> => {
    asked.push(only);
    return { cases: 8, violations: runs[asked.length - 1] ?? [], figures: {} };
  };
  const part: ChaosPart = { name: 'a part', about: '', run: () => Promise.reject(new Error('not asked')) };
  const options = { say: () => undefined } as unknown as PartOptions;
  return { asked, look: () => runAndLookAgain(part, options, run) };
}

test('a hang that strikes one run in ten counts in that run: nothing is run again', async () => {
  const hang = found('15 everything ends', '4 no success is unrecorded');
  const { asked, look } = partThatFinds(hang, []);
  expect((await look()).violations).toEqual(hang);
  expect(asked).toEqual([undefined]);
});

test('a late case is run three times by itself, and told', async () => {
  const { asked, look } = partThatFinds([violation(LATE, 'seed 4')]);
  const { violations, cases, figures } = await look();
  expect(violations).toEqual([]);
  expect(cases).toBe(8);
  expect(asked).toEqual([undefined, 'seed 4', 'seed 4', 'seed 4']);
  expect(figures).toEqual({ 'found at the first try': `${LATE} [seed 4]` });
});

test('a case whose answers were read late is run by itself as well, and counts if that is so again', async () => {
  const storm = [violation(HEARD_AT_ONCE, 'seed 5')];
  const once = partThatFinds(storm);
  expect((await once.look()).violations).toEqual([]);
  expect(once.asked).toEqual([undefined, 'seed 5', 'seed 5', 'seed 5']);
  const again = partThatFinds(storm, [], storm);
  expect((await again.look()).violations).toEqual(storm);
});

test('late once more, it counts, and so does whatever else is found then', async () => {
  const late = [violation(LATE, 'seed 4')];
  for (const again of [late, [violation('2 one revision a document', 'seed 4')]]) {
    const { asked, look } = partThatFinds(late, [], again);
    expect((await look()).violations).toEqual(again);
    expect(asked).toHaveLength(3);
  }
});

test('what chance has not brought about is tried again with all cases, once', async () => {
  const thin = found('the outage meets ten batches');
  const { asked, look } = partThatFinds(thin, thin);
  expect((await look()).violations).toEqual(thin);
  expect(asked).toEqual([undefined, undefined]);
});

test.each([
  ['in time', 180, { afterMs: 180, isLate: false }],
  ['late', 181, { afterMs: 181, isLate: true }],
  ['at the last moment', 360, { afterMs: 360, isLate: true }],
  ['never', 10_000, { afterMs: undefined, isLate: false }],
])('what ends %s is told so', async (how, endsAtMs, ending) => {
  let clock = 0;
  const isOver = () => clock >= endsAtMs;
  const meanwhile = () => void clock++;
  const ended = await untilEnded({ isOver, withinMs: 180, lookEveryMs: 0, meanwhile, nowMs: () => clock });
  expect(ended).toEqual(ending);
  const isTold = how === 'late' || how === 'at the last moment';
  expect(judgeLateness(ended, 180, 'c').map(({ invariant }) => invariant)).toEqual(isTold ? [LATE] : []);
});
