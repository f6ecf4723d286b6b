import fc from 'fast-check';
import { shiftReferences } from '../../../../activities/registers/write/shifted-references';

const by = (count: number) => (column: number) => column + count;
const shift = (formula: string, at: string | undefined = 'Data') =>
  shiftReferences(formula, at, 'Data', by(4));

describe('shiftReferences', () => {
  test.each([
    ['A1', 'E1'],
    ['$E5="A4"', '$I5="A4"'],
    ['AND($A3<>"",TRIM(D3)="")', 'AND($E3<>"",TRIM(H3)="")'],
    ['SUM(A1:$B$9)', 'SUM(E1:$F$9)'],
    ['A:C', 'E:G'],
    ['Z1', 'AD1'],
    ['LOG10(A1)', 'LOG10(E1)'],
    ['"A1 ""B2"" C3"', '"A1 ""B2"" C3"'],
    ['Lists!$A$1:$A$9', 'Lists!$A$1:$A$9'],
    ["'My lists'!A1+A1", "'My lists'!A1+E1"],
    ['Data!A1', 'Data!E1'],
    ["'Data'!A1", "'Data'!E1"],
    ['data!A1', 'data!E1'],
    ['List_4_Status', 'List_4_Status'],
    ['Rev1A', 'Rev1A'],
    ['A1B', 'A1B'],
    ['_A1', '_A1'],
  ])('%s becomes %s', (formula, expected) => {
    expect(shift(formula)).toBe(expected);
  });

  test('on another sheet only what names the moved one is moved', () => {
    expect(shift('A1+Data!A1', 'Other')).toBe('A1+Data!E1');
    expect(shiftReferences('Data!$A$1:$B$2', undefined, 'Data', by(4))).toBe('Data!$E$1:$F$2');
  });

  test('a sheet whose name has quotes is known', () => {
    expect(shiftReferences("'O''Neil'!A1", undefined, "O'Neil", by(1))).toBe("'O''Neil'!B1");
  });

  test('what points at a column that is gone says so', () => {
    const move = (column: number) => (column === 1 ? undefined : column);
    expect(shiftReferences('A1+B1', 'Data', 'Data', move)).toBe('A1+#REF!');
    expect(shiftReferences('XFD1', 'Data', 'Data', by(1))).toBe('#REF!');
  });

  test('there and back is what it was', () => {
    const letters = fc.constantFrom('E', 'Z', 'AA', 'AZ', 'ZZ', 'AAA');
    const reference = fc
      .tuple(fc.constantFrom('', '$'), letters, fc.constantFrom('', '$'), fc.integer({ min: 1, max: 99_999 }))
      .map(parts => parts.join(''));
    fc.assert(
      fc.property(fc.array(reference, { minLength: 1 }), references => {
        const formula = `SUM(${references.join(',')})`;
        expect(shiftReferences(shift(formula), 'Data', 'Data', by(-4))).toBe(formula);
      }),
    );
  });
});
