import fc from 'fast-check';
import { type CutEntry, cutBatches } from '../../../../activities/share/drop/cut-batch';

const MINUTE_MS = 60_000;

const files = (folder: string, count: number, sizeBytes = 1, sinceMs = 0): CutEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    path: `${folder}${String(index).padStart(4, '0')}`,
    sizeBytes,
    sinceMs,
  }));

const limits = { maxFiles: 100, maxBytes: 1_000 };
const counts = (batches: readonly (readonly unknown[])[]) => batches.map(batch => batch.length);

describe('cutBatches', () => {
  test('keeps what does not fill a batch until it is quiet', () => {
    const { batches, rest } = cutBatches(files('', 250), limits, false);
    expect(counts(batches)).toEqual([100, 100]);
    expect(rest).toHaveLength(50);
    expect(counts(cutBatches(files('', 250), limits, true).batches)).toEqual([100, 100, 50]);
  });

  test('keeps the files of a folder together once the batch before is half full', () => {
    const { batches } = cutBatches([...files('a/', 60), ...files('b/', 60)], limits, true);
    expect(counts(batches)).toEqual([60, 60]);
  });

  test('splits a folder rather than leave a batch less than half full', () => {
    const { batches } = cutBatches([...files('a/', 20), ...files('b/', 100)], limits, true);
    expect(counts(batches)).toEqual([100, 20]);
  });

  test('cuts by bytes, and lets a file above the limit travel alone', () => {
    const { batches } = cutBatches(
      [...files('a', 1, 600), ...files('b', 1, 600), ...files('c', 1, 5_000), ...files('d', 1, 10)],
      limits,
      true,
    );
    expect(batches.map(batch => batch.map(file => file.sizeBytes))).toEqual([[600], [600], [5_000], [10]]);
  });

  const folders = (batches: readonly (readonly CutEntry[])[]) =>
    batches.map(batch =>
      [...new Set(batch.map(({ path }) => path.slice(0, path.indexOf('/') + 1)))].join(' '),
    );

  test.each<[string, CutEntry[], [string, number][], string[]]>([
    [
      'a batch of each in turn',
      [...files('a/', 300), ...files('b/', 100), ...files('z/', 100)],
      [],
      ['a/', 'b/', 'z/', 'a/', 'a/'],
    ],
    [
      'the one first that was served least recently',
      [...files('a/', 100), ...files('b/', 100), ...files('z/', 100)],
      [
        ['a', 3],
        ['b', 2],
        ['z', 1],
      ],
      ['z/', 'b/', 'a/'],
    ],
    [
      'one that was not served yet as of when its files were seen',
      [...files('a/', 100, 1, MINUTE_MS), ...files('b/', 100), ...files('z/', 100)],
      [['b', 2 * MINUTE_MS]],
      ['z/', 'a/', 'b/'],
    ],
    [
      'another top folder no sooner for having many folders in it',
      [...files('a/1/', 100), ...files('a/2/', 100), ...files('z/', 100)],
      [],
      ['a/', 'z/', 'a/'],
    ],
    ['the loose files like one folder', [...files('', 200), ...files('z/', 100)], [], ['', 'z/', '']],
  ])('serves top folders in turn: %s', (_what, entries, served, expected) => {
    expect(folders(cutBatches(entries, limits, true, new Map(served)).batches)).toEqual(expected);
  });

  test('takes the oldest of one folder first, by the minute, and in path order within one', () => {
    const entries = [
      ...files('in/b', 2, 1, MINUTE_MS + 5),
      ...files('in/a', 1, 1, MINUTE_MS + 9),
      ...files('in/z', 1, 1, MINUTE_MS - 1),
    ];
    const { batches } = cutBatches(entries, limits, true);
    expect(batches.flat().map(({ path }) => path)).toEqual(['in/z0000', 'in/a0000', 'in/b0000', 'in/b0001']);
  });

  test('serves every folder before long, however steadily files come for the others', () => {
    const top = fc.constantFrom('', 'a/', 'b/', 'new/', 'zz/');
    const arrivals = fc.array(fc.record({ top, count: fc.nat(12) }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(arrivals, { minLength: 30, maxLength: 30 }), top, (rounds, urgent) => {
        const served = new Map<string, number>();
        let waiting: CutEntry[] = [{ path: `${urgent}~urgent`, sizeBytes: 1, sinceMs: 0 }];
        let rest = 0;
        for (const [round, arrived] of rounds.entries()) {
          const nowMs = (round + 1) * MINUTE_MS;
          const others = [...arrived.filter(({ top }) => top !== urgent), { top: 'day/', count: 9 }];
          for (const { top, count } of others) {
            // Also folders that are new each time, and would always be among those never served.
            const folder = top === 'new/' ? `new${round}/` : top;
            waiting.push(...files(`${folder}${round}-${rest++}-`, count, 1, nowMs));
          }
          const [batch] = cutBatches(waiting, { maxFiles: 7, maxBytes: 1_000 }, true, served).batches;
          for (const { path } of batch ?? [])
            served.set(path.includes('/') ? path.replace(/\/.*/, '') : '', nowMs);
          waiting = waiting.filter(entry => batch?.includes(entry) !== true);
        }
        expect(waiting.map(({ path }) => path)).not.toContain(`${urgent}~urgent`);
      }),
    );
  });

  test('loses and doubles nothing, and holds the limits, whatever comes', () => {
    const entry = fc.record({
      path: fc.stringMatching(/^([a-c]\/){0,2}[a-z]{1,6}$/),
      sizeBytes: fc.nat(1_200),
      sinceMs: fc.nat(5 * MINUTE_MS),
    });
    const served = fc
      .dictionary(fc.constantFrom('', 'a', 'b'), fc.nat(5 * MINUTE_MS))
      .map(times => new Map(Object.entries(times)));
    fc.assert(
      fc.property(
        fc.uniqueArray(entry, { selector: ({ path }) => path, maxLength: 300 }),
        fc.boolean(),
        served,
        (entries, isQuiet, servedMs) => {
          const { batches, rest } = cutBatches(entries, { maxFiles: 7, maxBytes: 1_000 }, isQuiet, servedMs);
          const all = [...batches.flat(), ...rest].map(file => file.path);
          expect(new Set(all)).toEqual(new Set(entries.map(file => file.path)));
          expect(all).toHaveLength(entries.length);
          for (const batch of batches) {
            const bytes = batch.reduce((sum, file) => sum + file.sizeBytes, 0);
            expect(batch.length).toBeGreaterThan(0);
            expect(batch.length <= 7 && (bytes <= 1_000 || batch.length === 1)).toBe(true);
          }
          expect(isQuiet ? rest.length : 0).toBe(0);
        },
      ),
    );
  });
});
