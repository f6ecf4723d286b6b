// How long a share that refuses is left alone.
import type { WatchEvent } from '../../../client/watch/watch-events';
import { ShareHealth } from '../../../client/watch/watch-health';
import { fsError } from '../../activities/share/faulty-fs';

function begun() {
  const events: WatchEvent[] = [];
  const clock = { nowMs: 0 };
  const health = new ShareHealth(
    event => events.push(event),
    () => clock.nowMs,
  );
  return { health, events, clock };
}

/** When a claim may be tried next, found out by asking. */
function nextClaimMs({ health, clock }: ReturnType<typeof begun>): number {
  while (!health.mayClaim()) clock.nowMs += 250;
  return clock.nowMs;
}

test('trouble that comes with every step does not put off the next try, and is told once', () => {
  const share = begun();
  for (; share.clock.nowMs < 1_900; share.clock.nowMs += 250) share.health.failed(fsError('EBUSY'));
  expect(nextClaimMs(share)).toBe(2_000);
  expect(share.events).toEqual([{ event: 'share-refuses', why: 'EBUSY' }]);
});

test('each try that fails doubles the wait, up to a minute; one that succeeds ends it', () => {
  const share = begun();
  const waits = Array.from({ length: 7 }, () => {
    const atMs = share.clock.nowMs;
    share.health.refuses('The share has hardly any room left.');
    return nextClaimMs(share) - atMs;
  });
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  share.health.worked();
  share.health.refuses('The share has hardly any room left.');
  share.health.worked();
  expect(share.health.mayClaim()).toBe(true);
  expect(share.events.map(({ event }) => event)).toEqual([
    'share-refuses',
    'share-accepts',
    'share-refuses',
    'share-accepts',
  ]);
});

test('a bug is told by its message and its place', () => {
  const share = begun();
  share.health.failed(new TypeError('entries is undefined'));
  const why = expect.stringMatching(/^TypeError: entries is undefined at .*watch-health\.test\.ts:\d+:\d+/);
  expect(share.events).toEqual([{ event: 'share-refuses', why, error: expect.any(TypeError) }]);
});
