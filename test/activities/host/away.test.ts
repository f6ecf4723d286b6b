// Who asks for what is away, when, and when the others may begin.
import { Away } from '../../../activities/host/away';
import { withResolvers } from '../../../activities/host/with-resolvers';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let away: Away<'open' | 'put'>;

beforeEach(() => {
  away = new Away();
});

const fileAt = (path: string) => ({ file: { path } });

test('a call is away until a request gets through that began after the last that failed', () => {
  const error = new Error('502');
  away.failed('open', 10, error);
  away.failed('put', 5, new Error('reset'));
  away.passed('open', 9);
  expect(away.calls).toEqual(['open', 'put']);
  expect(away.error).toBe(error);
  away.passed('open', 11);
  expect(away.calls).toEqual(['put']);
});

test('another file asks at each time, and each of them comes to it', async () => {
  const files = ['a', 'b', 'c'].map(fileAt);
  away.failed('open', 0, new Error('502'));
  const asked: string[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const path = away.choose(files)?.file.path ?? '';
    asked.push(path);
    await away.ask(path, Promise.resolve(), turn);
  }
  expect(asked).toEqual(['a', 'b', 'c', 'a', 'b']);
});

test('the others may begin as soon as it is back, while the one that asked still sends', async () => {
  away.failed('put', 0, new Error('reset'));
  const { promise: sending } = withResolvers();
  const asking = away.ask('big.bin', sending, 1);
  expect(away.asking).toBeDefined();
  away.passed('put', 2);
  await asking;
  expect(away.asking).toBeUndefined();
});

test('what ends the one that asks is not told to those that wait for it', async () => {
  away.failed('open', 0, new Error('502'));
  const stopped = new Error('stopped');
  const { promise: sending, reject } = withResolvers();
  const asking = away.ask('a', sending, 1);
  const waiting = away.asking;
  reject(stopped);
  await expect(asking).rejects.toBe(stopped);
  await expect(waiting).resolves.toBeUndefined();
});

test('in the first minute nobody waits for a turn; after hours there are 36 an hour, however many come', async () => {
  away.failed('open', 0, new Error('502'));
  const askedMs: number[] = [];
  for (let atMs = 0; atMs < 5 * HOUR_MS; atMs += 1_000) {
    if (away.isTooSoon(atMs)) continue;
    askedMs.push(atMs);
    away.failed('open', atMs, new Error('502'));
    await away.ask('a', Promise.resolve(), atMs);
  }
  expect(askedMs.filter(ms => ms <= MINUTE_MS)).toHaveLength(61);
  const inHour = askedMs.filter(ms => ms >= 3 * HOUR_MS && ms < 4 * HOUR_MS);
  expect(inHour.length).toBeGreaterThanOrEqual(35);
  expect(inHour.length).toBeLessThanOrEqual(36);
});
