// How late it is by Temporal's clock, which says of each attempt when it was put into its queue alone.
import { TemporalTime } from '../../../activities/scope/temporal-time';

const MINUTE_MS = 60_000;
/** What Temporal's clock shows when the monotonic one begins. */
const BEGIN_MS = 1_800_000_000_000;

test('an attempt that lay long in its queue does not make it earlier than one before told', () => {
  const time = new TemporalTime();
  time.note(1_000, BEGIN_MS + 990);
  time.note(2 * MINUTE_MS, BEGIN_MS + MINUTE_MS);
  expect(time.at(2 * MINUTE_MS)).toBe(BEGIN_MS + 2 * MINUTE_MS - 10);
});

test('nor does a first one, once another lay shorter', () => {
  const time = new TemporalTime();
  time.note(2 * MINUTE_MS, BEGIN_MS + MINUTE_MS);
  expect(time.at(2 * MINUTE_MS)).toBe(BEGIN_MS + MINUTE_MS);
  time.note(3 * MINUTE_MS, BEGIN_MS + 3 * MINUTE_MS - 5);
  expect(time.at(4 * MINUTE_MS + 0.7)).toBe(BEGIN_MS + 4 * MINUTE_MS - 5);
});

test('where a clock was set back, it is followed within an hour', () => {
  const time = new TemporalTime();
  time.note(0, BEGIN_MS);
  const setBackMs = 10 * MINUTE_MS;
  for (let ms = MINUTE_MS; ms <= 61 * MINUTE_MS; ms += MINUTE_MS) time.note(ms, BEGIN_MS + ms - setBackMs);
  expect(time.at(61 * MINUTE_MS)).toBe(BEGIN_MS + 51 * MINUTE_MS);
});
