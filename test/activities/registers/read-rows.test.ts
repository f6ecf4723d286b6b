import { choicesOf } from '../../../activities/registers/choices';
import { findRegister, type Register } from '../../../activities/registers/find-register';
import type { RegisterField } from '../../../activities/registers/read-cell';
import { listFileRows, readRows } from '../../../activities/registers/read-rows';
import { tellFault } from '../../../activities/registers/register-fault';
import { gridOf } from './grid-of-texts';

const FIELDS: readonly RegisterField[] = [
  { name: 'number', label: 'Number', takes: 'text' },
  { name: 'issued', label: 'Issued', takes: 'date' },
  {
    name: 'status',
    label: 'Status',
    takes: 'one-of',
    choices: choicesOf([{ id: 's1', label: 'For construction', alternatives: ['A4'], active: true }]),
  },
];

function registerOf(rows: readonly (readonly string[])[]): Register {
  const words = { fields: FIELDS, isComplete: true, synonyms: {} };
  const finding = findRegister({ format: 'csv', grids: [gridOf(rows)] }, true, words);
  if (finding.kind !== 'register') throw new Error(finding.kind);
  return finding.register;
}

const REGISTER = registerOf([
  ['File', 'Number', 'Issued', 'Status', 'Note', 'Note', ''],
  ['a.pdf', '0042', '03.04.2026', 'A4', 'x', 'y', 'z'],
  [],
  ['b.pdf', '', '03/04/2026', 'IFC', ''],
  ['', 'A-3', '-'],
]);

test('every row says its values, and all faults of all rows are told at once, with row and column', () => {
  const rows = readRows(REGISTER, FIELDS, { emptyWord: '-' });
  expect(rows.map(({ row, values }) => [row, Object.fromEntries(values)])).toEqual([
    [2, { number: ['0042'], issued: ['2026-04-03'], status: ['s1'] }],
    [4, {}],
    [5, { number: ['A-3'], issued: [] }],
  ]);
  expect(rows.flatMap(({ faults }) => faults).map(tellFault)).toEqual([
    'Row 4, column C: "03/04/2026" for "Issued" could be 3 April 2026 or 4 March 2026. Write it as 2026-04-03 or 2026-03-04.',
    'Row 4, column D: "IFC" for "Status" is not a value of this project. Nearest: For construction (A4).',
  ]);
});

test('what rows say of their files', () => {
  expect(listFileRows(REGISTER)).toEqual([
    { number: 2, file: 'a.pdf' },
    { number: 4, file: 'b.pdf' },
    { number: 5, file: '' },
  ]);
});
