import { cutInTurn, type ReadyJob } from '../../../client/watch/cut-jobs';

interface Entry {
  readonly path: string;
  readonly sizeBytes: number;
}

const limits = { maxFiles: 100, maxBytes: 1_000 };

const files = (top: string, count: number, sizeBytes = 1): Entry[] =>
  Array.from({ length: count }, (_, index) => ({ path: `${top}/${index}`, sizeBytes }));

const job = (top: string, count: number, sinceMs = 0): ReadyJob<Entry> => ({
  top,
  entries: files(top, count),
  sinceMs,
});

describe('cutInTurn', () => {
  test.each<[string, ReadyJob<Entry>[], [string, number][], string[]]>([
    ['a batch of each in turn', [job('a', 300), job('b', 100), job('z', 20)], [], ['a', 'b', 'z', 'a', 'a']],
    [
      'the one first that was served least recently',
      [job('a', 10), job('b', 10), job('z', 10)],
      [
        ['a', 3],
        ['b', 2],
        ['z', 1],
      ],
      ['z', 'b', 'a'],
    ],
    [
      'one that was not served yet as of when its files were seen',
      [job('a', 10, 60_000), job('b', 10), job('z', 10)],
      [['b', 120_000]],
      ['z', 'a', 'b'],
    ],
    ['the loose files like one folder', [job('', 200), job('z', 100)], [], ['', 'z', '']],
  ])('serves %s', (_what, jobs, served, expected) => {
    expect(cutInTurn(jobs, limits, new Map(served)).map(({ top }) => top)).toEqual(expected);
  });

  test('lets the register of a job go with the first of its files, without a place of its own', () => {
    const register = { path: 'a/register.csv', sizeBytes: 5_000 };
    const cut = (count: number) => {
      const entries = [register, ...files('a', count)];
      const batches = cutInTurn([{ top: 'a', entries, sinceMs: 0, register: register.path }], limits);
      return batches.map(batch => [batch.entries[0] === register, batch.entries.length]);
    };
    expect([0, 100, 101].map(cut)).toEqual([
      [[true, 1]],
      [[true, 101]],
      [
        [true, 101],
        [false, 1],
      ],
    ]);
  });

  test('puts files of two jobs into one batch never', () => {
    for (const { top, entries } of cutInTurn([job('a', 20), job('b', 100), job('', 3)], limits)) {
      expect(entries.every(({ path }) => path.startsWith(`${top}/`))).toBe(true);
    }
  });
});
