import fc from 'fast-check';
import { cutJob } from '../../../../activities/share/jobs/cut-job';

const limits = { maxFiles: 100, maxBytes: 1_000 };

const files = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `${index}`, sizeBytes: 1 }));

describe('cutJob', () => {
  test('cuts from the beginning on, each batch as full as can be', () => {
    const batches = cutJob(files(250), limits);
    expect(batches.map(batch => batch.length)).toEqual([100, 100, 50]);
    expect(batches.flat()).toEqual(files(250));
  });

  test('cuts by bytes, and lets a file above the limit travel alone', () => {
    const sizes = [600, 400, 600, 5_000, 10];
    const batches = cutJob(
      sizes.map(sizeBytes => ({ sizeBytes })),
      limits,
    );
    expect(batches.map(batch => batch.map(({ sizeBytes }) => sizeBytes))).toEqual([
      [600, 400],
      [600],
      [5_000],
      [10],
    ]);
  });

  test('loses, doubles and reorders nothing, and holds the limits, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ sizeBytes: fc.nat(1_200) }), { maxLength: 300 }), entries => {
        const batches = cutJob(entries, { maxFiles: 7, maxBytes: 1_000 });
        expect(batches.flat()).toEqual(entries);
        for (const batch of batches) {
          const bytes = batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
          expect(batch.length > 0 && batch.length <= 7).toBe(true);
          expect(bytes <= 1_000 || batch.length === 1).toBe(true);
        }
      }),
    );
  });
});
