import { tellSource } from '../../../../activities/share/receipt/tell-source';

test.each([
  ['row F', 12, 'register row 12, column F'],
  ['row F', undefined, 'register'],
  ['share', undefined, 'set for this share'],
  ['default', 12, 'default of this share'],
  ['constructor', undefined, 'constructor'],
])('%s (row %s) is told as %j', (from, row, told) => {
  expect(tellSource(from, row)).toBe(told);
});
