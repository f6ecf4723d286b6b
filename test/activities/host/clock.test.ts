import { hostClock, systemClock } from '../../../activities/host/clock';
import { linesWith, sourcesOf } from '../../setup/product-sources';

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

test('nobody reads the time past the clock', () => {
  // Workflows have Temporal's own time, of which a replay is told the same again; the page runs in a browser.
  const ours = sourcesOf('activities', 'workers', 'client').filter(
    ({ path }) => path !== 'activities/host/clock.ts' && !path.startsWith('client/console/page/'),
  );
  expect(ours.length).toBeGreaterThan(500);
  expect(linesWith(ours, /Date\.now|performance\.now|process\.hrtime|new Date\(\)/)).toEqual([]);
});
