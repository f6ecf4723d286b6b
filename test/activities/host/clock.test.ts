import { hostClock, systemClock } from '../../../activities/host/clock';

test.each([
  ['the system', systemClock],
  ['the host', hostClock],
])("%s's durations never go back, and its dates are the machine's", (_, clock) => {
  const first = clock.monotonicMs();
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(first);
  expect(Math.abs(clock.wallMs() - Date.now())).toBeLessThan(60_000);
});

test('who sleeps is woken with the reason of whoever aborts', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  const asleep = systemClock.sleep(600_000, abort.signal);
  abort.abort(reason);
  await expect(asleep).rejects.toBe(reason);
  await expect(systemClock.sleep(0, abort.signal)).rejects.toBe(reason);
});

test('a sleep of less than nothing ends', async () => {
  await expect(systemClock.sleep(-5, new AbortController().signal)).resolves.toBeUndefined();
});
