// Beside each other runs what may, and everything runs once.

import type { ChaosPart } from './part';
import { runInTurns } from './part-turns';

function part(name: string, needs?: ChaosPart['needs']): ChaosPart {
  return { name, about: '', run: () => Promise.reject(new Error('not asked')), ...(needs && { needs }) };
}

const PARTS = [
  part('a'),
  part('big', 'much memory'),
  part('clock', 'the machine for itself'),
  part('b'),
  part('bigger', 'much memory'),
  part('c'),
];

/** What ran beside what, each taking as many turns as it is told. */
async function watch(turnsOf: (name: string) => number) {
  const running = new Set<string>();
  const beside: string[][] = [];
  const results = await runInTurns(PARTS, async ({ name }) => {
    running.add(name);
    beside.push([...running].sort());
    for (let turn = 0; turn < turnsOf(name); turn++) await Promise.resolve();
    running.delete(name);
    return name;
  });
  return { beside, results };
}

test.each([
  ['all alike', () => 5],
  ['the big ones long', (name: string) => (name.startsWith('big') ? 100 : 3)],
  ['the small ones long', (name: string) => (name.startsWith('big') ? 3 : 100)],
])('%s: every part runs once, no two big ones at a time, and the clock alone', async (_, turnsOf) => {
  const { beside, results } = await watch(turnsOf);
  expect(results).toEqual(['a', 'big', 'clock', 'b', 'bigger', 'c']);
  expect(beside).toHaveLength(PARTS.length);
  expect(beside.filter(names => names.includes('big') && names.includes('bigger'))).toEqual([]);
  expect(beside.filter(names => names.includes('clock'))).toEqual([['clock']]);
  expect(beside.some(names => names.length === 2)).toBe(true);
});

test('what takes much memory begins at once, with something beside it', async () => {
  const { beside } = await watch(() => 5);
  expect(beside.slice(0, 2)).toEqual([['big'], ['a', 'big']]);
});

test('one part alone is run', async () => {
  const results = await runInTurns([part('big', 'much memory')], async ({ name }) => name);
  expect(results).toEqual(['big']);
});
