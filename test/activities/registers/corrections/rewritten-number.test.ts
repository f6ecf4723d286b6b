import fc from 'fast-check';
import { isRewritten, toCommonNumber } from '../../../../activities/registers/corrections/rewritten-number';

const text = (from: string) => ({ text: from, kind: 'text' as const });

test.each([
  ['0042', '42'],
  ['000', '0'],
  ['1.10', '1.1'],
  ['1,10', '1,1'],
  ['01.00', '1'],
  ['+5', '5'],
  ['-007', '-7'],
  ['.5', '0.5'],
  ['2E05', '2.00E+05'],
  ['2E05', '2,00E+05'],
  ['2e5', '200000'],
  ['12345E8', '1.23E+12'],
  ['123456789012', '1.23457E+11'],
  ['1000000000000', '1E+12'],
  ['1234567890123456', '1.23457E+15'],
  ['1234567890123456', '1234567890123450'],
  ['1234567890123456', '1234567890123460'],
  ['3.14159265358979', '3.141592654'],
  ['1,234,567.50', '1234567.5'],
  ['1.234.567', '1234567'],
])('%s is written as %s by a program', (before, now) => {
  expect(isRewritten(text(before), now)).toBe(true);
});

test.each([
  ['0042', '43'],
  ['42', '0042'],
  ['1.1', '1.10'],
  ['0042', '042'],
  ['1.10', '1,1'],
  // Of these people are asked which one they mean.
  ['1,234', '1234'],
  ['1,234', '1.234'],
  ['1234', '1,234'],
  ['1234567', '1.234.567'],
  ['123456', '1.24E+05'],
  ['1400000000000', '1E+12'],
  ['3.14159', '3.14'],
  ['0042', ''],
  ['', '0'],
  ['P01', '1'],
  ['1e999', '2E+999'],
  ['2026-01-02', '2026'],
])('%s was not made %s by a program', (before, now) => {
  expect(isRewritten(text(before), now)).toBe(false);
});

test.each([
  ['1234', '1,234'],
  ['1234', '1.234'],
  ['1234.5', '1,234.50'],
  ['1234567', '1.234.567'],
  ['1234567', '1\u202f234\u202f567'],
])('the number %s of a workbook may be saved as %s', (before, now) => {
  expect(isRewritten({ text: before, kind: 'number' }, now)).toBe(true);
  expect(isRewritten({ text: before, kind: 'number' }, now.replace('2', '3'))).toBe(false);
});

test('whatever zeros stand around a number, a program writes one form of it', () => {
  const zeros = fc.integer({ min: 0, max: 4 }).map(count => '0'.repeat(count));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999 }), zeros, zeros, (value, front, behind) => {
      const before = `${front}${value}.5${behind}`;
      expect(isRewritten(text(before), `${value}.5`)).toBe(true);
      expect(toCommonNumber(before)).toBe(toCommonNumber(`${value}.5`));
    }),
  );
});
