import fc from 'fast-check';
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
  [1, '000;-000', '001'],
  [-1, '000;-000', '-001'],
  [1, '00;[Red]-00', '01'],
  [1, '0000;@', '0001'],
  [1, '0000_ ;-0000\\ ', '0001'],
  [1, '0000_)', '0001'],
  [1, '*x0000', '0001'],
  [1, '"P"00;;;@', 'P01'],
  [1, '"a;b"00', 'a;b01'],
  [1, '"#0"00', '#001'],
  [0, '00;-00;"P"00', 'P00'],
  [1, '#00', '01'],
  [123, '#00', '123'],
  [1, '?0', '1'],
  [1, '[Color10]00', '01'],
  [1, '"P"#', 'P1'],
  [12, '"P"##', 'P12'],
  [1, '"P"General', 'P1'],
  [-1, '"P"General;-"M"General', '-M1'],
  [1.5, 'General"x"', '1.5x'],
])('%p under the format %s is shown as %s', (value, format, shown) => {
  expect(showNumber(value, format)).toBe(shown);
});

test.each([
  ['it would round', 42.7, '0', '42.7'],
  ['it groups thousands, which reads as a decimal elsewhere', 1234.5, '#,##0.00', '1234.5'],
  ['it multiplies', 0.5, '0%', '0.5'],
  ['it has a condition', 7, '[>5]000;0', '7'],
  ['its section for the number shows nothing', 0, '00;-00;', '0'],
  ['its section loses the sign', -1, '00;[Red]00', '-1'],
  ['a place before the zeros is not always shown', 1234, '##-00', '1234'],
  ['it is scientific', 100_000, '0.00E+00', '100000'],
  ['it is of text', 42, '@', '42'],
  ['the number has more digits than are kept', 1e20, '000', '100000000000000000000'],
  ['its text stands beside nothing', 0, '"P"#', '0'],
  ['it may show an exponent', 123_456_789_012, '"P"General', '123456789012'],
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

test.each([
  [12, '0 "Blatt"', '12 Blatt', '12'],
  [12, '0"."00', '0.12', '12'],
  [1, '"P"00', 'P01', '1'],
])('the number behind %p under the format %s, shown as %s, is kept', (value, format, text, plain) => {
  expect(toShownCell({ kind: 'number', value, format })).toEqual({ text, kind: 'number', plain });
});

test.each(['000', '0.00', ''])('a number that is shown as itself is kept once (%s)', format => {
  expect(toShownCell({ kind: 'number', value: 7, format })).not.toHaveProperty('plain');
});

test.each([
  [200_000, '0.00E+00'],
  [2e-7, '0.00E+00'],
  [0.5, '0%'],
  [1, '[=1]"P01"'],
  [1, '[=1]"P01";General'],
  [7, '[>5]000;0'],
  [0, '"P"#'],
  [1.5, '# ?/?'],
  [1234, '"Blatt "#,##0'],
  [-1, '00;[Red]00'],
])('that the sheet shows %p otherwise under the format %s is told with the number', (value, format) => {
  const shown = toShownCell({ kind: 'number', value, format });
  expect(shown).toMatchObject({ kind: 'number', isShownOtherwise: true });
  expect(Number(shown.text)).toBe(value);
});

test.each([
  [42, 'General'],
  [42, ''],
  [42, '@'],
  [1234.5, '#,##0.00'],
  [42.7, '0'],
  [1234, '#,##0_);[Red]-#,##0'],
  [1234, '_-* #,##0_-;-* #,##0_-;_-* "-"??_-;_-@_-'],
  [1, '"P"00'],
  [7, '[>5]0;General'],
])('a number that is only grouped or rounded is no other one (%p under %s)', (value, format) => {
  expect(toShownCell({ kind: 'number', value, format })).not.toHaveProperty('isShownOtherwise');
});

test('a section for negative numbers changes nothing for the others, and its minus is shown', () => {
  const part = fc.constantFrom('0', '00', '"P"', '\\.', ' ', '-', '"0;"');
  const format = fc.array(part, { maxLength: 4 }).map(parts => `${parts.join('')}0`);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999 }), format, (value, written) => {
      const shown = showNumber(value, written);
      expect(showNumber(value, `${written}_);-${written};@`)).toBe(shown);
      expect(showNumber(-value, `${written}_);-${written};@`)).toBe(`-${shown}`);
    }),
  );
});
