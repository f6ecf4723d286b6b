// Texts of registers are keys of it: however many there are, it keeps few of them.
import { FreshCache } from '../../../activities/scope/fresh-cache';

const FRESH_MS = 60_000;

let nowMs = 1_000;
beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  jest.restoreAllMocks();
});

function counting() {
  const cache = new FreshCache(FRESH_MS);
  const asked: string[] = [];
  const once = async (key: string) =>
    await cache.once(key, async () => {
      asked.push(key);
      return key;
    });
  return { cache, once, asked: () => asked.splice(0) };
}

test('what is fresh is not asked for again, what is not is', async () => {
  const { once, asked } = counting();
  await Promise.all([once('a'), once('a')]);
  nowMs += FRESH_MS - 1;
  await once('a');
  expect(asked()).toEqual(['a']);
  nowMs += 1;
  await once('a');
  expect(asked()).toEqual(['a']);
});

test('what is not fresh any more is let go, whatever is asked for next', async () => {
  const { cache, once } = counting();
  await once('a');
  await once('b');
  nowMs += FRESH_MS / 2;
  await once('c');
  nowMs += FRESH_MS / 2;
  await once('d');
  expect(cache.size).toBe(2);
});

test('of very many the oldest is let go, and one asked for anew is not old', async () => {
  const { cache, once, asked } = counting();
  await once('first');
  await once('second');
  nowMs += FRESH_MS;
  await once('second');
  await once('first');
  for (let at = 0; at < 999; at++) await once(`text ${at}`);
  expect(cache.size).toBe(1_000);
  asked();
  await once('first');
  expect(asked()).toEqual([]);
  await once('second');
  expect(asked()).toEqual(['second']);
});
