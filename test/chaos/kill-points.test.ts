// Which boundaries are tried: all that differ, one of each kind, or some of them spread over the run.
import { chooseKillPoints, chooseOneOfEachKind, createChance, shuffle, spread } from './kill-points';
import { planFew } from './kill-worker';

test('of what only asks two are enough; of effects each counts', () => {
  const points = chooseKillPoints([
    'http GET /a sent #1',
    'http GET /a sent #2',
    'http GET /a sent #3',
    'http POST /b sent #1',
    'http POST /b sent #2',
    'http POST /b sent #3',
    'write state/rate/<id>/<n>.json after #3',
    'rename batch.json after #3',
    'rename batch.json after #3',
  ]);
  expect(points).toEqual([
    'http GET /a sent #1',
    'http GET /a sent #2',
    'http POST /b sent #1',
    'http POST /b sent #2',
    'http POST /b sent #3',
    'rename batch.json after #3',
  ]);
});

test('one of each kind, in the order of the run', () => {
  const points = ['a before #1', 'b before #1', 'a before #2', 'b after #1'];
  expect(chooseOneOfEachKind(points, () => 0.99)).toEqual(['a before #2', 'b before #1', 'b after #1']);
});

test('what is spread has its parts from everywhere, none twice', () => {
  const points = Array.from({ length: 100 }, (_, index) => `a #${index}`);
  const chosen = spread(points, 10, createChance(7));
  expect(new Set(chosen).size).toBe(10);
  expect(chosen.map(each => Math.floor(Number(each.slice(3)) / 10))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(spread(points, 200, createChance(7))).toEqual(points);
});

test('a shuffled list has every item once', () => {
  const points = Array.from({ length: 50 }, (_, index) => `a #${index}`);
  const mixed = shuffle(points, createChance(7));
  expect(mixed).not.toEqual(points);
  expect([...mixed].sort()).toEqual([...points].sort());
});

test('the same seed draws the same', () => {
  const draw = (seed: number) => Array.from({ length: 5 }, createChance(seed));
  expect(draw(3)).toEqual(draw(3));
  expect(draw(3)).not.toEqual(draw(4));
});

test('the short form kills at as many kinds as it has kills, each once, and a pair in the order of the run', () => {
  const points = Array.from({ length: 60 }, (_, index) => `fs.kind-${index} before #1`);
  for (const seed of [1, 2, 3]) {
    const plans = planFew(points, createChance(seed));
    expect(plans).toHaveLength(20);
    const kills = plans.flatMap(plan => plan.kills);
    expect(new Set(kills).size).toBe(24);
    for (const { kills: pair } of plans) {
      const order = pair.map(point => points.indexOf(point));
      expect(order).toEqual([...order].sort((one, other) => one - other));
    }
  }
});
