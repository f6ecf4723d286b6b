import type { Resolver } from '../../../../activities/ingest/decide/plan-document';
import {
  explainFaults,
  explainHeader,
  explainNoRow,
  listCellTexts,
  NO_ROW,
  readCellValues,
  readEntry,
  readHeaders,
} from '../../../../activities/ingest/decide/read-entry';
import { resolveText, takesIds } from '../../../../activities/ingest/decide/resolve-text';
import type { RegisterRules, RegisterTexts } from '../../../../workflows/ingest/ingest-contract';
import { FIELDS, field, requirement, rulesOf } from './fixtures';

const RULES = rulesOf(
  [requirement('usual')],
  [...FIELDS, field('issued', 'timestamp'), field('sheets', 'numeric')],
);
const CELLS: RegisterRules = { synonyms: { 'Doc No': 'Number' }, emptyWord: '-', unlisted: 'hold' };

/** Every entry of a list is known but "bad" ones; ids are the texts in lower case. */
const resolve: Resolver = (of, text) => {
  if (!takesIds(of)) return resolveText(text, of);
  if (/bad|;/.test(text)) return { kind: 'unknown', nearest: ['Good (G)'] };
  return { kind: 'resolved', value: text.toLowerCase() };
};

const HEADERS = ['File', 'Doc No', 'STATUS', 'Tags', 'Issued', 'Sheets', 'Colour'];

function headerOf(headers: readonly string[], cells: readonly string[] = []) {
  const entry = { register: 0, row: { number: 2, cells } };
  const [header] = readHeaders(
    RULES,
    { register: { rules: CELLS, registers: [{ path: 'Job/register.xlsx', headers }] } },
    [entry],
  );
  return header!;
}

function read(cells: readonly string[], more: Partial<RegisterTexts> = {}) {
  return readEntry(RULES, headerOf(HEADERS, cells), { number: 7, cells, ...more }, CELLS, resolve);
}

test('cells become writes of the fields that their headers name, as the service takes them', () => {
  const cells = ['a.pdf', '0042', 'Issued', 'Red; Blue', '03.04.2026', '12,5', 'green'];
  expect(read(cells)).toEqual({
    writes: [
      { fieldId: 'id-status', column: 'C', values: ['issued'] },
      { fieldId: 'id-number', column: 'B', values: ['0042'] },
      { fieldId: 'id-tags', column: 'D', values: ['red', 'blue'] },
      { fieldId: 'id-issued', column: 'E', values: ['2026-04-03T00:00:00Z'] },
      { fieldId: 'id-sheets', column: 'F', values: ['12.5'] },
    ],
    leftEmpty: [],
    faults: [],
  });
});

test('an empty cell says nothing, and the word for it leaves a field empty', () => {
  expect(read(['a.pdf', '', '-'])).toEqual({ writes: [], leftEmpty: ['id-status'], faults: [] });
});

test('all cells that are wrong are told at once, with row, column and the nearest', () => {
  const { faults } = read(['a.pdf', '1', 'bad', '', '03/04/2026', '#DIV/0!'], { errors: [5] });
  expect(explainFaults('Job/register.xlsx', faults)).toEqual({
    code: 'register-row',
    text: 'In "register.xlsx": Row 7, column C: "bad" for "Status" is not a value of this project. Nearest: Good (G). Row 7, column E: "03/04/2026" for "Issued" could be 3 April 2026 or 4 March 2026. Write it as 2026-04-03 or 2026-03-04. Row 7, column F: The cell shows #DIV/0!. Correct the formula, or write the value.',
    fix: 'Correct its row in the sheet that lies in attention/ for this folder, and save that; while it is held, you can answer it as well.',
  });
  expect(explainFaults('register.xlsx', [])).toBeUndefined();
});

test('a number is one that the sheet has as such, and no date', () => {
  const { writes, faults } = read(['a.pdf', '', '', '', '46000', '1.234'], { numbers: [4, 5] });
  expect(writes).toEqual([{ fieldId: 'id-sheets', column: 'F', values: ['1.234'] }]);
  expect(faults).toMatchObject([{ column: 'E', text: expect.stringMatching(/is a number and no date/) }]);
});

describe('cells that people have corrected', () => {
  const readCorrected = (values: Record<string, string | string[]>, numbers?: string[]) =>
    readCellValues(RULES.fields, { values, numbers }, CELLS);

  test('are read as those of a register, and stay what they are where a list or nobody knows them', () => {
    const values = {
      Number: ' 0042 ',
      issued: '03.04.2026',
      Sheets: '12,5',
      Status: 'Plan; A',
      Tags: ['a'],
      Colour: '1.234',
    };
    expect(readCorrected(values)).toEqual({
      kind: 'values',
      values: { ...values, Number: '0042', issued: '2026-04-03', Sheets: '12.5' },
    });
    expect(readCorrected({ Sheets: '', Issued: [] })).toEqual({
      kind: 'values',
      values: { Sheets: '', Issued: [] },
    });
  });

  test('are numbers where the sheet shows them with a unit', () => {
    expect(readCorrected({ Sheets: '13 Blatt' }, ['Sheets'])).toEqual({
      kind: 'values',
      values: { Sheets: '13' },
    });
    expect(readCorrected({ Sheets: '13 Blatt' })).toMatchObject({ kind: 'faults' });
  });

  test('are asked about where two columns stand for one field: nothing says which of them counts', () => {
    expect(readCorrected({ Rev: '2', Revision: 'B', Status: 'A' })).toEqual({
      kind: 'faults',
      text: '"Rev" and "Revision" stand for one field. Change one of them alone.',
    });
    expect(readCorrected({ Rev: '2', Status: 'A' })).toMatchObject({ kind: 'values' });
  });

  test('are asked about where they can be read two ways, but a number of the sheet is one', () => {
    expect(readCorrected({ Sheets: '2.500', Issued: '03/04/2026' })).toEqual({
      kind: 'faults',
      text: '"2.500" for "Sheets" could be 2500 or 2.500. Write 2500 or 2.5000. "03/04/2026" for "Issued" could be 3 April 2026 or 4 March 2026. Write it as 2026-04-03 or 2026-03-04.',
    });
    expect(readCorrected({ Sheets: '2.500' }, ['Sheets'])).toEqual({
      kind: 'values',
      values: { Sheets: '2.500' },
    });
  });

  test('are dates and truth values where the sheet has them: none of those is a number or a name', () => {
    const values = { Number: '2026-02-01', Issued: '2026-02-01' };
    const what = 'The cell for "Number" is the';
    const how = 'and no text. Format it as text, and write the value again.';
    const readKinds = (row: Parameters<typeof readCellValues>[1]) => readCellValues(RULES.fields, row, CELLS);
    expect(readKinds({ values, dates: ['Number', 'Issued'] })).toEqual({
      kind: 'faults',
      text: `${what} date 2026-02-01 ${how}`,
    });
    expect(readKinds({ values: { Number: 'TRUE' }, booleans: ['Number'] })).toEqual({
      kind: 'faults',
      text: `${what} truth value TRUE ${how}`,
    });
    expect(readKinds({ values, dates: ['Issued'] })).toEqual({ kind: 'values', values });
    const made = { Number: '200000', Sheets: '12' };
    expect(readKinds({ values: made, otherwise: ['Number', 'Sheets'] })).toEqual({
      kind: 'faults',
      text: `${what} number 200000, which the sheet shows otherwise. Format it as text, and write the value again.`,
    });
    expect(readKinds({ values: made, numbers: ['Number'], otherwise: ['Sheets'] })).toEqual({
      kind: 'values',
      values: made,
    });
  });
});

test('texts of lists are looked up, each part of several as well, and what stays empty is not', () => {
  const cells = ['a.pdf', '0042', '-', 'Red; Blue'];
  const texts = listCellTexts(RULES, headerOf(HEADERS, cells), { number: 2, cells }, CELLS);
  expect(texts.map(({ field: { name }, text }) => `${name} ${text}`)).toEqual([
    'tags Red; Blue',
    'tags Red',
    'tags Blue',
  ]);
});

test('a header that contradicts itself keeps all rows from being read, and one that is almost a field is told', () => {
  const header = headerOf(['File', 'Number', 'Doc No', 'Statsu']);
  expect(explainHeader(header)?.text).toBe(
    'The header of "register.xlsx" cannot be used: Column B: Columns B and C ("Number" and "Doc No") both give "number". Keep one of them, or give the others another header.',
  );
  expect(header.notices).toEqual([
    '"register.xlsx": Column D: "Statsu" is no field of the project and is not read. Nearest: Status.',
  ]);
  expect(explainHeader(headerOf(HEADERS))).toBeUndefined();
});

test('without a row nothing is said, and a person sees it first where the share says so', () => {
  expect(readEntry(RULES, headerOf(HEADERS), undefined, CELLS, resolve)).toBe(NO_ROW);
  expect(explainNoRow('register.xlsx', { register: 0 }, CELLS)?.code).toBe('not-listed');
  expect(explainNoRow('register.xlsx', { register: 0 }, { ...CELLS, unlisted: 'process' })).toBeUndefined();
  const twice = { register: 0, faults: ['Rows 2 and 3 are both about this file.'] };
  expect(explainNoRow('register.xlsx', twice, { ...CELLS, unlisted: 'process' })?.code).toBe('register-row');
  expect(
    explainNoRow('register.xlsx', { register: 0, row: { number: 2, cells: [] } }, CELLS),
  ).toBeUndefined();
});

test('without registers there is nothing to read', () => {
  expect(readHeaders(RULES, {}, [])).toEqual([]);
});

test('the usual headings of registers are read', () => {
  const header = headerOf(['File', 'Document No', 'Rev', 'Document Type', 'Suitability']);
  const cells = ['a.pdf', 'N-A2', 'P07', 'Drawing', 'Shared'];
  const { writes } = readEntry(RULES, header, { number: 2, cells }, CELLS, resolve);
  expect(Object.fromEntries(writes.map(({ fieldId, values }) => [fieldId, values[0]]))).toEqual({
    'id-number': 'N-A2',
    'id-revision': 'P07',
    'id-type': 'drawing',
    'id-status': 'shared',
  });
});

test('a spreadsheet program that made a date of a revision, or a truth value of a number, is told of', () => {
  const header = headerOf(['File', 'Revision', 'Number', 'Description']);
  const row = {
    number: 2,
    cells: ['a.pdf', '2026-02-01', 'TRUE', '2026-05-04'],
    dates: [1, 3],
    booleans: [2],
  };
  const { writes, faults } = readEntry(RULES, header, row, CELLS, resolve);
  expect(faults).toMatchObject([
    {
      column: 'B',
      text: 'The cell for "Revision" is the date 2026-02-01 and no text. Format it as text, and write the value again.',
    },
    {
      column: 'C',
      text: 'The cell for "Number" is the truth value TRUE and no text. Format it as text, and write the value again.',
    },
  ]);
  expect(writes).toEqual([{ fieldId: 'id-description', column: 'D', values: ['2026-05-04'] }]);
});

test('a number that the sheet shows otherwise is no Number of a document, but any other number', () => {
  const { writes, faults } = read(['a.pdf', '200000', '', '', '', '200000'], { otherwise: [1, 5] });
  expect(faults).toMatchObject([
    {
      column: 'B',
      text: 'The cell for "Number" is the number 200000, which the sheet shows otherwise. Format it as text, and write the value again.',
    },
  ]);
  expect(writes).toEqual([{ fieldId: 'id-sheets', column: 'F', values: ['200000'] }]);
});

test('a number counts as it is where its format shows something else', () => {
  const { writes, faults } = read(['a.pdf', 'P01', '', '', '', '12 Blatt'], {
    numbers: [1, 5],
    plain: { 1: '1', 5: '12' },
  });
  expect(faults).toEqual([]);
  expect(writes).toEqual([
    { fieldId: 'id-number', column: 'B', values: ['P01'] },
    { fieldId: 'id-sheets', column: 'F', values: ['12'] },
  ]);
  // Manifests of before do not have it.
  expect(read(['a.pdf', '', '', '', '', '12 Blatt'], { numbers: [5] }).faults).toMatchObject([
    { column: 'F', text: expect.stringMatching(/is no number/) },
  ]);
});
