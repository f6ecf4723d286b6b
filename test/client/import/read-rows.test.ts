// Rows of CSV files and JSON lists, with the places that people count by.
import { type RowForm, readRows, toRowsError } from '../../../client/import/read-rows';

const form: RowForm<string> = {
  columns: { costcode: 'code' },
  delimiterOf: heading => (heading.includes('\t') ? '\t' : ','),
  toCell: (column, cell) => `${column}=${cell}`,
  isEntry: value => typeof value === 'string',
  example: '["..."]',
};

test('columns go by their heading however it is written; empty cells and lines are left out', () => {
  expect(readRows('a.csv', '\uFEFFCost-Code,colour,\r\n\r\n 7 ,,x\r\n"a\r\nb",red,\r\n', form)).toEqual([
    { place: 'line 3', value: { code: 'code=7', '': '=x' } },
    { place: 'line 5', value: { code: 'code=a\nb', colour: 'colour=red' } },
  ]);
});

test('the delimiter is chosen by the first line alone', () => {
  expect(readRows('a.csv', 'cost code\tcolour\n1,5\tred\n', form)).toEqual([
    { place: 'line 2', value: { code: 'code=1,5', colour: 'colour=red' } },
  ]);
});

test('a JSON list is known by the name of its file, and its entries are left as they are', () => {
  expect(readRows('A.JSON', '\uFEFF["x", "y"]', form)).toEqual([
    { place: 'item 1', value: 'x' },
    { place: 'item 2', value: 'y' },
  ]);
});

test.each([
  ['an entry that cannot be a row', 'a.json', '["x", 7]', 'The rows are no JSON list: ["..."]'],
  ['a text that is no JSON', 'a.json', 'x', 'The rows are no JSON list: ["..."]'],
  ['a quote that does not end', 'a.csv', 'code\n"7\n', 'The rows are no CSV: Quote Not Closed'],
])('%s is refused, with what was expected', (_, name, text, words) => {
  expect(() => readRows(name, text, form)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(words) }),
  );
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'a column called %s is a column like any other',
  name => {
    const [row] = readRows('a.csv', `${name},cost code\nx,7\n`, form);
    expect(Object.entries(row?.value ?? {})).toEqual([
      [name, `${name}=x`],
      ['code', 'code=7'],
    ]);
  },
);

test('an error names no more faults than can be read', () => {
  const { message } = toRowsError(
    'a.csv',
    Array.from({ length: 500 }, (_, n) => `line ${n}: ${'x'.repeat(1_000)}`),
  );
  expect(message).toMatch(/and 450 more$/);
  expect(message.length).toBeLessThan(20_000);
});
