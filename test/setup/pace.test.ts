// How many test processes run beside each other on a machine that is full, and on one that is not.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Pace } from './pace.cjs';

/** Answers how many have begun, and lets the next look see what it is told. */
function watch(always: number, begins: number) {
  const looks: ((hasRoom: boolean) => void)[] = [];
  const pace = new Pace(always, () => new Promise(resolve => looks.push(resolve)));
  let begun = 0;
  for (let each = 0; each < begins; each++) void pace.begin().then(() => begun++);
  return {
    pace,
    looksUnderWay: () => looks.length,
    async countBegun() {
      await nextTurn();
      return begun;
    },
    async see(hasRoom: boolean) {
      looks.shift()?.(hasRoom);
      await nextTurn();
      return begun;
    },
  };
}

test('so many always begin; one more each time there is room', async () => {
  const { countBegun, see } = watch(2, 5);
  expect(await countBegun()).toBe(2);
  expect(await see(false)).toBe(2);
  expect(await see(true)).toBe(3);
  expect(await see(true)).toBe(4);
});

test('no two take the same room', async () => {
  const { countBegun, looksUnderWay } = watch(1, 4);
  await countBegun();
  expect(looksUnderWay()).toBe(1);
});

test('on a full machine one begins at once for each that ends, and nobody waits when all have ended', async () => {
  const { pace, countBegun, see } = watch(2, 5);
  await countBegun();
  expect(await see(false)).toBe(2);
  pace.end();
  expect(await countBegun()).toBe(3);
  pace.end();
  pace.end();
  expect(await countBegun()).toBe(5);
});

test('by itself it looks at this machine: with nothing running, one begins on any', async () => {
  const pace = new Pace(1);
  await pace.begin();
  let hasBegun = false;
  const second = pace.begin().then(() => {
    hasBegun = true;
  });
  await nextTurn();
  expect(hasBegun).toBe(false);
  pace.end();
  await second;
});
