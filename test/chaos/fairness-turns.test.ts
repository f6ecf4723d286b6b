// The judge of turns notices who has to wait for others, and nothing else.
import { judgeTurns, type Turn } from './fairness-turns';

const FAIR: readonly Turn[] = Array.from({ length: 40 }, (_, at) => ({
  path: `aaa/${at}.pdf`,
  droppedAt: Math.floor(at / 4),
  claimedAt: Math.floor(at / 4) + 1,
}));
const SHAPE = { busy: ['aaa'], quiet: ['zzz/urgent.pdf'], filesABatch: 4 };
const urgent = (claimedAt: number): Turn => ({ path: 'zzz/urgent.pdf', droppedAt: 1, claimedAt });

test('a quiet one whose turn comes within a round is well served', () => {
  expect(judgeTurns({ ...SHAPE, turns: [...FAIR, urgent(4)] })).toEqual({ violations: [], mostBefore: 4 });
});

test.each<[string, readonly Turn[]]>([
  ['one who waits for ever', FAIR],
  ['one who waits for eight batches', [...FAIR, urgent(9)]],
])('notices %s', (_, turns) => {
  expect(judgeTurns({ ...SHAPE, turns }).violations.map(([told]) => told)).toContain(
    'a quiet dropper has his turn',
  );
});

test('notices younger ones that go before', () => {
  const younger = FAIR.map(turn => ({ ...turn, droppedAt: 2, claimedAt: 2 }));
  const { violations } = judgeTurns({ ...SHAPE, turns: [...younger, urgent(3)] });
  expect(violations.map(([told]) => told)).toEqual(['the older goes before the younger']);
});
