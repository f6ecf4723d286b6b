// Whether a hook has the wanted headers, however the service masks Authorization down to its last five
// characters.
import { compareHeaders } from '../../../activities/webhooks/compare-headers';

const WANTED = { Authorization: 'Bearer abcdefghij-XyZ42' };

test.each<[string, Record<string, string>, 'same' | 'different']>([
  ['shown whole', WANTED, 'same'],
  ['the last five characters alone', { Authorization: 'XyZ42' }, 'same'],
  ['stars before them', { authorization: '******************XyZ42' }, 'same'],
  ['three dots', { Authorization: '...XyZ42' }, 'same'],
  ['letters x', { Authorization: 'xxxxXyZ42' }, 'same'],
  ['the scheme, and stars', { Authorization: 'Bearer ****XyZ42' }, 'same'],
  ['the scheme alone before them', { Authorization: 'Bearer XyZ42' }, 'same'],
  ['another end', { Authorization: '****XyZ43' }, 'different'],
  ['another value with the same end, whole', { Authorization: 'Bearer klmnopqrst-XyZ42' }, 'different'],
  ['fewer than five', { Authorization: 'yZ42' }, 'different'],
  ['no header', {}, 'different'],
  ['one more', { ...WANTED, 'X-Other': '1' }, 'different'],
])('%s', (_, shown, outcome) => {
  expect(compareHeaders(WANTED, shown)).toBe(outcome);
});

test('a value without a scheme has none before its mask', () => {
  const wanted = { 'X-Secret': 'abcdefghijkl-XyZ42' };
  expect(compareHeaders(wanted, { 'x-secret': 'XyZ42' })).toBe('same');
  expect(compareHeaders(wanted, { 'x-secret': 'Bearer ****XyZ42' })).toBe('different');
});
