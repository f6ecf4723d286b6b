import { joinWords, quote, tellFault } from '../../../activities/registers/register-fault';

test('a fault says where it is, as the spreadsheet program counts', () => {
  const text = 'It is wrong.';
  expect(tellFault({ row: 12, column: 'F', text })).toBe('Row 12, column F: It is wrong.');
  expect(tellFault({ row: null, column: 'F', text })).toBe('Column F: It is wrong.');
  expect(tellFault({ row: 12, column: null, text })).toBe('Row 12: It is wrong.');
  expect(tellFault({ row: null, column: null, text })).toBe('It is wrong.');
});

test('words are joined as people do, and quoted on one short line', () => {
  expect([[], ['B'], ['B', 'D'], ['B', 'D', 'F']].map(joinWords)).toEqual(['', 'B', 'B and D', 'B, D and F']);
  expect(quote(' two\n lines ')).toBe('"two lines"');
  expect(quote('x'.repeat(500))).toHaveLength(82);
});
