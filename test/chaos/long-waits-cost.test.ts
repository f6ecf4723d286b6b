// The cost of a waiting is its fullest day and hour, wherever they begin, by the worker's clock.
import { beyond, costOf, mostWithin } from './long-waits-cost';

test('a window holds what is less than its length apart', () => {
  expect(mostWithin([], 10)).toBe(0);
  expect(mostWithin([0, 10, 20], 10)).toBe(1);
  expect(mostWithin([30, 9, 0, 12, 18], 10)).toBe(3);
});

test('what was before or after the waiting does not count, and times are scaled', () => {
  const cost = costOf(
    { events: [999, 1_000, 1_001, 2_500], requests: [1_000, 1_000.5, 1_001, 1_024, 1_025, 2_000] },
    { fromMs: 1_000, toMs: 2_000, scale: 3_600_000 },
  );
  expect(cost).toEqual({ events: 2, eventsADay: 2, requestsADay: 3, requestsAnHour: 2, requests: 5 });
});

test('what is at its bound is beyond it', () => {
  const cost = { events: 500, eventsADay: 42, requestsADay: 110, requestsAnHour: 9, requests: 500 };
  expect(beyond(cost, { eventsADay: 43, requestsADay: 111, requestsAnHour: 10 })).toEqual([]);
  expect(beyond(cost, { eventsADay: 42, requestsADay: 110, requestsAnHour: 9 })).toEqual([
    '42 events in 24 h',
    '110 requests in 24 h',
    '9 requests in an hour',
  ]);
});
