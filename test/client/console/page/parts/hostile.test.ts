import { dotEnds, splitEnd, toPieces } from '../../../../../client/console/page/parts/hostile';

const tell = (name: string) =>
  toPieces(name)
    .map(piece => ('sign' in piece ? `[${piece.sign}]` : piece.text))
    .join('');

test.each([
  ['<img src=x>', '<img src=x>'],
  ['invoice\u202efdp.exe', 'invoice[RLO]fdp.exe'],
  ['a\u0000\u0001b', 'a[U+0000][U+0001]b'],
  ['tab\tline\n', 'tab[TAB]line[LF]'],
  ['\u2066isolated\u2069', '[LRI]isolated[PDI]'],
  ['zero\u200bwidth\ufeff', 'zero[ZWSP]width[BOM]'],
  ['👨‍👩‍👧 نمی‌خواهم', '👨‍👩‍👧 نمی‌خواهم'],
  ['مخطط', 'مخطط'],
])('%j is shown as %j', (name, told) => {
  expect(tell(name)).toBe(told);
});

test('spaces at the ends are seen, those between words stay', () => {
  expect(dotEnds('  a b ')).toBe('··a b·');
});

test('the ending of a long name stays whole, and no sign is torn', () => {
  const [front, end] = splitEnd(`${'👨‍👩‍👧'.repeat(40)}-0042_P02.pdf`);
  expect(end).toBe('👨‍👩‍👧-0042_P02.pdf');
  expect(front).toBe('👨‍👩‍👧'.repeat(39));
  expect(splitEnd('short.pdf')).toEqual(['short.pdf', '']);
});
