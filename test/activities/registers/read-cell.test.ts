import { choicesOf } from '../../../activities/registers/choices';
import { type CellRules, type RegisterField, readCell } from '../../../activities/registers/read-cell';
import type { Cell } from '../../../activities/registers/sheet/grid';
import { cellOf } from './grid-of-texts';

const STATES = [
  { id: 's1', label: 'For construction', alternatives: ['A4'], active: true },
  { id: 's2', label: 'For review', alternatives: ['S3'], active: true },
  { id: 's3', label: 'Draft', alternatives: [], active: false },
  { id: 's4', label: 'Plan; level 1', alternatives: [], active: true },
];
const FIELDS = {
  text: { name: 'title', label: 'Title', takes: 'text' },
  number: { name: 'weight', label: 'Weight', takes: 'number' },
  date: { name: 'issued', label: 'Issued', takes: 'date' },
  one: { name: 'status', label: 'Status', takes: 'one-of', choices: choicesOf(STATES) },
  many: { name: 'zones', label: 'Zones', takes: 'many-of', choices: choicesOf(STATES) },
  free: { name: 'people', label: 'People', takes: 'many-of' },
} as const satisfies Readonly<Record<string, RegisterField>>;
const RULES: CellRules = { emptyWord: '-' };

const read = (cell: Cell | string, field: keyof typeof FIELDS, rules: Partial<CellRules> = {}) =>
  readCell(typeof cell === 'string' ? cellOf(cell) : cell, FIELDS[field], { ...RULES, ...rules });
const values = (...all: readonly string[]) => ({ kind: 'values', values: all });

test.each([
  ['text', '0042', ['0042']],
  ['text', '1-2', ['1-2']],
  ['text', ' Plan; level 1 ', ['Plan; level 1']],
  ['text', 'e\u0301', ['é']],
  ['number', '12,5', ['12.5']],
  ['number', '-3', ['-3']],
  ['number', { text: '1234.567', kind: 'number' }, ['1234.567']],
  ['date', '03.04.2026', ['2026-04-03']],
  ['date', { text: '2026-04-03T14:30:00', kind: 'date' }, ['2026-04-03T14:30:00']],
  ['one', 'a4', ['s1']],
  ['one', 'Plan; level 1', ['s4']],
  ['many', 'A4; for review ;A4;', ['s1', 's2']],
  ['many', 'Plan; level 1', ['s4']],
  ['free', 'a@example.com; B, C', ['a@example.com', 'B, C']],
] as const)('a field of %s takes %j as %j', (field, cell, expected) => {
  expect(read(cell, field)).toEqual(values(...expected));
});

test('an empty cell says nothing, and the word for it says "leave it empty"', () => {
  expect(read('', 'one')).toEqual({ kind: 'silent' });
  expect(read({ text: '  ', kind: 'text' }, 'one')).toEqual({ kind: 'silent' });
  expect(read(' - ', 'date')).toEqual({ kind: 'leave-empty' });
  expect(read('N/A', 'text', { emptyWord: 'n/a' })).toEqual({ kind: 'leave-empty' });
  expect(read('-', 'text', { emptyWord: 'n/a' })).toEqual(values('-'));
});

test.each([
  ['text', { text: '#N/A', kind: 'error' }, 'The cell shows #N/A. Correct the formula, or write the value.'],
  ['number', '1,234', '"1,234" for "Weight" could be 1234 or 1.234. Write 1234 or 1.2340.'],
  ['number', 'heavy', '"heavy" for "Weight" is no number. Write one such as 12.5.'],
  [
    'date',
    '03/04/2026',
    '"03/04/2026" for "Issued" could be 3 April 2026 or 4 March 2026. Write it as 2026-04-03 or 2026-03-04.',
  ],
  ['date', '03.04.26', '"03.04.26" for "Issued" has a year of two digits. Write the year with four.'],
  ['date', 'soon', '"soon" for "Issued" is no date. Write one such as 2026-04-03.'],
  [
    'date',
    { text: '14:30:00', kind: 'date' },
    '"14:30:00" for "Issued" is no date. Write one such as 2026-04-03.',
  ],
  [
    'date',
    { text: '46115', kind: 'number' },
    '"46115" for "Issued" is a number and no date. Format the cell as a date, or write the date as text.',
  ],
  [
    'one',
    'A5',
    '"A5" for "Status" is not a value of this project. Nearest: For construction (A4), For review (S3), Plan; level 1.',
  ],
  [
    'one',
    'draft',
    '"draft" for "Status" is no longer in use. Nearest: For construction (A4), For review (S3), Plan; level 1.',
  ],
  ['one', 'A4; S3', '"A4; S3" for "Status" is more than one value, and the field takes one.'],
  [
    'many',
    'A4; X9',
    '"X9" for "Zones" is not a value of this project. Nearest: For construction (A4), For review (S3), Plan; level 1.',
  ],
] as const)('a field of %s: what is wrong with %j is one clear sentence', (field, cell, text) => {
  expect(read(cell, field)).toEqual({ kind: 'fault', text });
});

test('the share may say which of day and month comes first', () => {
  expect(read('03/04/2026', 'date', { dates: 'day-month-year' })).toEqual(values('2026-04-03'));
  expect(read('13/04/2026', 'date', { dates: 'month-day-year' })).toEqual({
    kind: 'fault',
    text: '"13/04/2026" for "Issued" is no date in the order month, day, year, which this share takes dates in. Write one such as 2026-04-03.',
  });
});

test('a list without entries has no nearest', () => {
  expect(readCell(cellOf('x'), { ...FIELDS.one, choices: choicesOf([]) }, RULES)).toEqual({
    kind: 'fault',
    text: '"x" for "Status" is not a value of this project.',
  });
});

describe('a field that a document is known by', () => {
  const number: RegisterField = { name: 'number', label: 'Number', takes: 'text', isIdentity: true };
  const shown: Cell = { text: '200000', kind: 'number', isShownOtherwise: true };

  test.each<[Cell, string]>([
    [shown, 'the number 200000, which the sheet shows otherwise'],
    [
      { text: '1234567890123450', kind: 'number' },
      'the number 1234567890123450, of which the program keeps 15 digits',
    ],
    [{ text: '2026-02-01', kind: 'date' }, 'the date 2026-02-01 and no text'],
  ])('is not sent as a program made it: %j', (cell, is) => {
    expect(readCell(cell, number, RULES)).toEqual({
      kind: 'fault',
      text: `The cell for "Number" is ${is}. Format it as text, and write the value again.`,
    });
  });

  test('takes the same as a text, numbers as they are shown, and other fields take all of them', () => {
    expect(readCell(cellOf('2E05'), number, RULES)).toEqual(values('2E05'));
    expect(readCell(cellOf('1234567890123456'), number, RULES)).toEqual(values('1234567890123456'));
    expect(readCell({ text: 'P01', kind: 'number', plain: '1' }, number, RULES)).toEqual(values('P01'));
    expect(read(shown, 'number')).toEqual(values('200000'));
    expect(read(shown, 'text')).toEqual(values('200000'));
  });
});
