import { USUAL_FIELDS } from '../../../activities/registers/column-words';
import { findHeader, isHeaderAgain } from '../../../activities/registers/find-header';
import { indexWords } from '../../../activities/registers/name-columns';
import { gridOf } from './grid-of-texts';

const WORDS = indexWords({ fields: USUAL_FIELDS, isComplete: true, synonyms: { Plan: 'File' } });

test('the row with a column for the file counts before one with more fields', () => {
  const grid = gridOf([
    ['Title', 'Revision', 'Status'],
    ['Doc No', 'File'],
    ['A-1', 'a.pdf'],
  ]);
  expect(findHeader(grid, WORDS)).toEqual({
    row: 1,
    headers: ['Doc No', 'File', ''],
    fileColumn: 1,
    fields: 1,
  });
});

test('of equal rows the first one counts; without anything known there is none', () => {
  expect(findHeader(gridOf([['x'], ['Rev', 'Plan'], ['Revision', 'Datei']]), WORDS)?.row).toBe(1);
  expect(findHeader(gridOf([['x'], ['y']]), WORDS)).toBeUndefined();
  expect(findHeader(gridOf([]), WORDS)).toBeUndefined();
});

test('what comes after 50 rows is no header', () => {
  const above = Array.from({ length: 50 }, () => ['x']);
  expect(findHeader(gridOf([...above, ['Rev', 'File']]), WORDS)).toBeUndefined();
  expect(findHeader(gridOf([...above.slice(1), ['Rev', 'File']]), WORDS)?.row).toBe(49);
});

test.each([
  ['the same texts', ['Rev', 'Remarks', 'File'], true],
  ['some of the same texts', ['', '', 'File'], true],
  ['another language', ['Revision', '', 'Datei'], true],
  ['a document', ['P01', 'x', 'a.pdf'], false],
  ['a document whose file is called like a header', ['P01', 'x', 'Datei'], false],
])('a row with %s says the header again: %p', (_, texts, isAgain) => {
  const header = { row: 0, headers: ['Rev', 'Remarks', 'File'], fileColumn: 2, fields: 1 };
  expect(isHeaderAgain(texts, header, WORDS)).toBe(isAgain);
});
