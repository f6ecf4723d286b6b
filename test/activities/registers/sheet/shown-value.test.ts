import { showNumber, toShownCell } from '../../../../activities/registers/sheet/shown-value';

test.each([
  [42, '0000', '0042'],
  [42, '', '42'],
  [42, 'General', '42'],
  [1, '"P"00', 'P01'],
  [3, 'P00', 'P03'],
  [12, '\\R0', 'R12'],
  [1234, '00-00', '12-34'],
  [5, '00"-"00', '00-05'],
  [123456, '00-00', '1234-56'],
  [7, '0 "x"', '7 x'],
  [-3, '000', '-003'],
  [0, '000', '000'],
  [1.5, '0.00', '1.50'],
  [0.1 + 0.2, '0.0', '0.3'],
  [5, '[$-407]000', '005'],
])('%p under the format %s is shown as %s', (value, format, shown) => {
  expect(showNumber(value, format)).toBe(shown);
});

test.each([
  ['it would round', 42.7, '0', '42.7'],
  ['it groups thousands, which reads as a decimal elsewhere', 1234.5, '#,##0.00', '1234.5'],
  ['it multiplies', 0.5, '0%', '0.5'],
  ['it has a condition', 7, '[>5]000;0', '7'],
  ['it has sections', 7, '000;-000', '7'],
  ['it is scientific', 100_000, '0.00E+00', '100000'],
  ['it is of text', 42, '@', '42'],
  ['the number has more digits than are kept', 1e20, '000', '100000000000000000000'],
  ['there is none', 0.1 + 0.2, '', '0.3'],
  ['there is none', 1e-7, '', '0.0000001'],
])('the plain number is told where a format is not simple: %s', (_, value, format, told) => {
  expect(showNumber(value, format)).toBe(told);
});

const at = (text: string) => Date.parse(`${text}Z`);

test.each([
  ['2026-04-03T00:00:00', 'dd.mm.yyyy', '2026-04-03'],
  ['2026-04-03T14:30:00', 'dd.mm.yyyy hh:mm', '2026-04-03T14:30:00'],
  ['2026-04-03T14:30:00', '[$-409]mmmm d, yyyy', '2026-04-03'],
  ['2026-04-03T14:29:59.9997', 'yyyy-mm-dd hh:mm', '2026-04-03T14:30:00'],
  ['1899-12-31T14:30:00', 'h:mm AM/PM', '14:30:00'],
  ['2026-04-03T14:30:00', 'yyyy-mm-dd "shift"', '2026-04-03'],
])('the date %s under the format %s is %s', (stored, format, text) => {
  expect(toShownCell({ kind: 'date', value: at(stored), format })).toEqual({ text, kind: 'date' });
});

test.each([Number.NaN, at('1700-01-01T00:00:00'), 1e15])(
  'a date that the calendar of sheets does not have is an error (%p)',
  value => {
    expect(toShownCell({ kind: 'date', value, format: 'yyyy' })).toEqual({ text: '########', kind: 'error' });
  },
);
