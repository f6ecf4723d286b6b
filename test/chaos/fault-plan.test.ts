// Plans of the random faults: the same seed plans the same, every order can fire, every
// pair of route and kind is dealt.
import { faultSchema, whyImpossible } from '../sandbox/faults/fault';
import { routeKeys } from '../sandbox/routes';
import { ROUTES } from './fault-kinds';
import { planFaults } from './fault-plan';
import { SeededChance } from './fault-random';

const CASES = Array.from({ length: 8 }, (_, index) => planFaults(1, index + 1, 250));

test('the same seed plans the same faults, deeds and files; another one does not', () => {
  expect(planFaults(1, 3, 250)).toEqual(CASES[2]);
  expect(planFaults(2, 3, 250).orders).not.toEqual(CASES[2]!.orders);
});

test('every order is one that the stand-in can carry out', () => {
  for (const { orders } of CASES) {
    for (const order of orders) expect(whyImpossible(faultSchema.parse(order), routeKeys)).toBeNull();
  }
});

test('a case has as many documents as asked for, each under a name of its own', () => {
  for (const { files } of CASES) {
    const names = files.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
    expect(new Set(names).size).toBe(250);
  }
});

test('eight cases strike every route, end processes in every way, and are half safety, half liveness', () => {
  const struck = new Set(CASES.flatMap(({ orders }) => orders.map(({ route }) => route)));
  for (const route of Object.keys(ROUTES)) expect(struck).toContain(route);
  const deeds = new Set(CASES.flatMap(plan => plan.deeds.map(({ deed }) => deed.kind)));
  for (const kind of [
    'kill-worker',
    'restart-worker',
    'freeze-worker',
    'lose-database',
    'kill-watcher',
    'start-again',
  ]) {
    expect(deeds).toContain(kind);
  }
  expect(CASES.filter(({ mode }) => mode === 'safety')).toHaveLength(4);
});

test('documents with a fault of their own are not called healthy, and most are healthy', () => {
  for (const { files, orders, deeds } of CASES) {
    const healthy = new Set(files.filter(file => file.healthy).map(({ path }) => path));
    const own = new Set(orders.map(({ match }) => match?.fileName));
    for (const path of healthy) expect(own.has(path.slice(path.lastIndexOf('/') + 1))).toBe(false);
    for (const { deed } of deeds) if (deed.kind === 'rewrite') expect(healthy.has(deed.path)).toBe(false);
    expect(healthy.size).toBeGreaterThan(170);
  }
});

test('chance with a seed repeats itself and stays in its bounds', () => {
  const [one, other] = [new SeededChance(7), new SeededChance(7)];
  const drawn = Array.from({ length: 200 }, () => one.between(3, 9));
  expect(Array.from({ length: 200 }, () => other.between(3, 9))).toEqual(drawn);
  expect(new Set(drawn)).toEqual(new Set([3, 4, 5, 6, 7, 8, 9]));
  expect(one.shuffle([1, 2, 3, 4]).sort()).toEqual([1, 2, 3, 4]);
});
