import { compilePattern } from '../../../../activities/share/drop/pattern';
import { startCpuTimer } from '../../../setup/cpu-time';

const NAMES = [
  'S-101_B_Ground floor.pdf',
  'A-1_P01.1.dwg',
  'W-001.pdf',
  'photo.jpg',
  '_x_.y_z',
  'Größe é 😀_B.pdf',
  'narrow\u00a0space.pdf',
  'two\nlines_B.pdf',
  'plain',
  '',
];

test.each([
  '^(?<number>[A-Z]+-\\d+)_(?<revision>[^_.]+)(_(?<name>[^.]+))?\\.',
  '^(?<number>[^_]+)_(?<revision>[^_.]+)',
  '^(?<number>.+?)(\\.[^.]{1,10})?$',
  '^(?<Name>[A-Z]-\\d+)_(?<Revision>[^._]+)',
  '^(?<Name>N-\\d)_(?<Revision>[A-Z])|^(?<Number>A-\\d)_',
  '^(?<discipline>[^/]+)/(?<revision>[^/]+)$',
  '(?<constructor>.+)',
  '(?<__proto__>[a-z]+)',
  '(?<Größe>\\p{Lu}\\p{L}+)',
  '(?<a>\\w+)\\s(?<b>\\S+)',
  '(?<a>[\\s\\-_]+)',
  '(?<a>\\u00e9|\\u{1F600}_)',
  '(?<a>[^\\x00-\\x7f]+)_',
  '(?<a>[\\]\\[(?<=]|\\(|[(])|(?<b>\\bB\\b)',
  '(?<a>\\\\1)|(?<b>\\/|B)',
  '(?<a>(?:[a-z]{2,3}?)+)(?<b>x*)',
])('reads with %s what JavaScript reads', source => {
  const pattern = compilePattern(source);
  for (const name of NAMES) {
    const groups = Object.entries(new RegExp(source, 'u').exec(name)?.groups ?? {});
    expect([name, Object.entries(pattern.groupsOf(name))]).toEqual([
      name,
      groups.filter(([, value]) => value !== undefined),
    ]);
  }
});

test.each([
  '^(?<number>(x+x+)+)y',
  '^(?<number>(a|a|x)*)$',
  '^(?<number>(.*)*)_(?<revision>(.*)*)\\.pdf$',
  '(?<a>(?:|){40})y',
])('ends in a moment with %s, whatever the name: going back and forth would take years', source => {
  const cpuMs = startCpuTimer();
  const pattern = compilePattern(source);
  for (const length of [60, 4_000]) expect(pattern.groupsOf(`${'x'.repeat(length)}!`)).toEqual({});
  expect(cpuMs()).toBeLessThan(10_000);
});

test.each([
  ['(', /Unterminated group/],
  ['(?<a>x)\\', /\\ at end/],
  ['^[a-z]+$', /no named group/],
  ['\\(?<a>x', /no named group|Invalid/],
  ['[(?<a>x]', /no named group/],
  ['(?<=x)(?<a>b)', /looks behind/],
  ['(?<!x)(?<a>b)', /looks behind/],
  ['(?=x)(?<a>.)', /looks ahead/],
  ['(?!x)(?<a>.)', /looks ahead/],
  ['(?<a>x)\\1', /refers back/],
  ['(?<a>x)\\k<a>', /refers back/],
  ['(?<a>\\p{Script=Greek})', /cannot do everything .*\\p\{Script=Greek\}/],
  ['(?<a>x{2000})', /cannot do everything .*\{2000\}/],
  ['(?<\\u0061>x)', /without escapes/],
])('refuses %s in plain words', (source, message) => {
  expect(() => compilePattern(source)).toThrow(message);
});
