// The end of a log alone must tell what failed.
import type { Violation } from './part';
import { tellAgain } from './violations-again';

const found = (name: string, what = 'something'): Violation => ({
  invariant: '2 one revision a document',
  case: name,
  what,
});

test('nothing is told where nothing was found', () => {
  expect(tellAgain([{ part: 'kills', violations: [] }])).toEqual([]);
});

test('each violation is told in one line with its part, its case and its invariant', () => {
  const lines = tellAgain([
    { part: 'tokens', violations: [] },
    { part: 'kills', violations: [found('kill fs.rename before #4')] },
    { part: 'random-faults', violations: [found('seed 3', 'first line\n    at a stack'), found('seed 4')] },
  ]);
  expect(lines).toEqual([
    'What was found, 3 in all:',
    '  kills [kill fs.rename before #4] 2 one revision a document: something',
    '  random-faults [seed 3] 2 one revision a document: first line',
    '  random-faults [seed 4] 2 one revision a document: something',
  ]);
});

test('of very many, twenty are told and how many there were; none is longer than a line', () => {
  const lines = tellAgain([
    {
      part: 'bad-input',
      violations: Array.from({ length: 25 }, (_, n) => found(`case ${n}`, 'x'.repeat(5_000))),
    },
  ]);
  expect(lines).toHaveLength(22);
  expect(lines[0]).toBe('What was found, 25 in all:');
  expect(lines.at(-1)).toBe('  and 5 more');
  expect(Math.max(...lines.map(line => line.length))).toBeLessThan(310);
});
