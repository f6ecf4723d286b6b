import { compileRegisterNames } from '../../../activities/registers/register-name';

test.each([
  ['Register.xlsx', true],
  ['TR-0142/TRANSMITTAL 0142.CSV', true],
  ['Document_List.xlsx', true],
  ['documentlist.csv', true],
  ['register/A-1.pdf', false],
  ['register.pdf', false],
  ['register.docx', false],
  ['Register.XLSM', true],
  ['register.xls', true],
  ['register.xlsb', true],
  ['register.ods', true],
  ['register.tsv', true],
  ['Drawings.xls', false],
  ['register/Drawings.xlsx', false],
])('%s is named as a register: %p', (path, isNamed) => {
  expect(compileRegisterNames()(path)).toBe(isNamed);
});

test('the configuration may have another pattern, in any case and any Unicode form', () => {
  const isRegister = compileRegisterNames('^Planliste|prüfliste');
  expect(isRegister('PLANLISTE 3.xlsx')).toBe(true);
  expect(isRegister('Pru\u0308fliste.csv')).toBe(true);
  expect(isRegister('Alte Planliste.xlsx')).toBe(false);
});

test.each([
  ['(', /Unterminated group/],
  ['(?=x)', /cannot do everything/],
])('the pattern %s is refused in plain words', (pattern, says) => {
  expect(() => compileRegisterNames(pattern)).toThrow(says);
});
