// How durations, sizes and addresses are written in the configuration.
import {
  duration,
  listenAddress,
  parseDuration,
  parseSize,
  size,
  webAddress,
} from '../../../workers/config/config-values';

test.each<[string | number, number | undefined]>([
  ['500ms', 500],
  ['5s', 5_000],
  ['3m', 180_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['1.5h', 5_400_000],
  [250, 250],
  ['5', 5],
  ['5 weeks', undefined],
  ['-5s', undefined],
  [-1, undefined],
  ['constructor', undefined],
])('the duration %p', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each<[string | number, number | undefined]>([
  ['64KiB', 65_536],
  ['1MB', 1_000_000],
  ['1MiB', 1_048_576],
  ['2 GB', 2_000_000_000],
  ['1GiB', 1_073_741_824],
  ['1TB', 1e12],
  [17, 17],
  ['1 furlong', undefined],
])('the size %p', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test('the least and the most are allowed, what is beyond is not', () => {
  const waiting = duration('1s', '1h');
  expect(['999ms', '1s', '1h', '3601s'].map(text => waiting.safeParse(text).success)).toEqual([
    false,
    true,
    true,
    false,
  ]);
  const room = size('1KiB', '1MiB');
  expect([1_023, 1_024, 1_048_576, 1_048_577].map(bytes => room.safeParse(bytes).success)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test.each<[string, boolean]>([
  ['https://api.example.com', true],
  ['http://127.0.0.1:8080/base/', true],
  ['ftp://api.example.com', false],
  ['api.example.com', false],
  ['https://ada@api.example.com', false],
  ['https://:word@api.example.com', false],
  ['https://api.example.com/?a=1', false],
  ['https://api.example.com/#a', false],
])('the address %p is taken: %p', (text, isTaken) => {
  expect(webAddress.safeParse(text).success).toBe(isTaken);
});

test.each([
  ['127.0.0.1:9464', true],
  ['[::1]:65535', true],
  ['127.0.0.1:65536', false],
  ['127.0.0.1:99999', false],
  ['127.0.0.1', false],
])('the address to listen at %p', (text, isRight) => {
  expect(listenAddress.safeParse(text).error?.issues.length ?? 0).toBe(isRight ? 0 : 1);
});
