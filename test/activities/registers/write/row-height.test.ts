import { heightFor } from '../../../../activities/registers/write/row-height';

test.each<[string, string, number | undefined]>([
  ['no text', '', undefined],
  ['one line', 'x'.repeat(40), undefined],
  ['two lines', 'x'.repeat(41), 30],
  ['lines that were broken', 'a\nb\nc', 45],
  ['more than a screen holds', 'x'.repeat(4_000), 120],
])('%s', (_, text, expected) => {
  expect(
    heightFor([
      { text: 'short', width: 40 },
      { text, width: 40 },
    ]),
  ).toBe(expected);
});
