import fc from 'fast-check';
import { type CutEntry, cutBatches } from '../../../activities/share/cut-batch';

const files = (folder: string, count: number, sizeBytes = 1): CutEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    path: `${folder}${String(index).padStart(4, '0')}`,
    sizeBytes,
  }));

const limits = { maxFiles: 100, maxBytes: 1_000 };
const counts = (batches: readonly (readonly unknown[])[]) => batches.map(batch => batch.length);

describe('cutBatches', () => {
  it('keeps what does not fill a batch until it is quiet', () => {
    const { batches, rest } = cutBatches(files('', 250), limits, false);
    expect(counts(batches)).toEqual([100, 100]);
    expect(rest).toHaveLength(50);
    expect(counts(cutBatches(files('', 250), limits, true).batches)).toEqual([100, 100, 50]);
  });

  it('keeps the files of a folder together once the batch before is half full', () => {
    const { batches } = cutBatches([...files('a/', 60), ...files('b/', 60)], limits, true);
    expect(counts(batches)).toEqual([60, 60]);
  });

  it('splits a folder rather than leave a batch less than half full', () => {
    const { batches } = cutBatches([...files('a/', 20), ...files('b/', 100)], limits, true);
    expect(counts(batches)).toEqual([100, 20]);
  });

  it('cuts by bytes, and lets a file above the limit travel alone', () => {
    const { batches } = cutBatches(
      [...files('a', 1, 600), ...files('b', 1, 600), ...files('c', 1, 5_000), ...files('d', 1, 10)],
      limits,
      true,
    );
    expect(batches.map(batch => batch.map(file => file.sizeBytes))).toEqual([[600], [600], [5_000], [10]]);
  });

  it('loses and doubles nothing, and holds the limits, whatever comes', () => {
    const entry = fc.record({
      path: fc.stringMatching(/^([a-c]\/){0,2}[a-z]{1,6}$/),
      sizeBytes: fc.nat(1_200),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(entry, { selector: ({ path }) => path, maxLength: 300 }),
        fc.boolean(),
        (entries, isQuiet) => {
          const { batches, rest } = cutBatches(entries, { maxFiles: 7, maxBytes: 1_000 }, isQuiet);
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
