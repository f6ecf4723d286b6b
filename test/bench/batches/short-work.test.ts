// The short form of `npm run bench -- short-work`: files that are sent for hours hold no place that short
// work needs.
import { measureShortWork } from './short-work';

/** Just long enough to be sent apart from ordinary files. */
const LARGE_BYTES = 101 * 1_024 ** 2;

test('small jobs come to their receipts while four large files of their share are being sent', async () => {
  const jobs = 3;
  const { tookMs, largeSent } = await measureShortWork({ largeBytes: LARGE_BYTES, jobs });
  expect(largeSent).toBe(0);
  // Each batch is opened, noted and settled at least once.
  expect(tookMs.length).toBeGreaterThanOrEqual(3 * jobs);
});
