import { USUAL_FIELDS } from '../../../activities/registers/column-words';
import {
  findRegister,
  type Register,
  type RegisterFinding,
} from '../../../activities/registers/find-register';
import type { ColumnWords } from '../../../activities/registers/name-columns';
import { tellFault } from '../../../activities/registers/register-fault';
import type { Grid } from '../../../activities/registers/sheet/grid';
import { startCpuTimer } from '../../setup/cpu-time';
import { gridOf } from './grid-of-texts';

const WORDS: ColumnWords = { fields: USUAL_FIELDS, isComplete: true, synonyms: {} };
const HEADER = ['Doc No', 'Rev', 'File'];
const ROWS = [
  ['A-1', 'P01', 'a.pdf'],
  ['A-2', 'P02', 'b.pdf'],
];

const find = (grids: readonly Grid[], isNamed = false): RegisterFinding =>
  findRegister({ format: 'xlsx', grids }, isNamed, WORDS);
const read = (grid: Grid): Register => {
  const finding = find([grid]);
  if (finding.kind !== 'register') throw new Error(finding.kind);
  return finding.register;
};
const seen = ({ headerRow, rows }: Register) => ({
  headerRow,
  rows: rows.map(({ number, cells }) => [number, cells[2]?.text]),
});

test('the header is found below titles and a letterhead, rows keep their numbers', () => {
  const title = [['ACME Ltd'], [], ['Transmittal', 'TR-0142'], ['Date', '03.04.2026'], []];
  expect(seen(read(gridOf([...title, HEADER, ...ROWS])))).toEqual({
    headerRow: 6,
    rows: [
      [7, 'a.pdf'],
      [8, 'b.pdf'],
    ],
  });
});

test('blank rows and headers that come again are passed over', () => {
  const german = ['Dokumentnummer', 'Revision', 'Datei'];
  const rows = [HEADER, german, ROWS[0] ?? [], [], ['', '', ''], HEADER, ROWS[1] ?? []];
  expect(seen(read(gridOf(rows))).rows).toEqual([
    [3, 'a.pdf'],
    [7, 'b.pdf'],
  ]);
});

test('a drawing of a file is no header that comes again', () => {
  expect(seen(read(gridOf([HEADER, ['A-1', '', 'File']]))).rows).toEqual([[2, 'File']]);
});

test('of two rows of headers the one with the columns counts, with what is merged into it from above', () => {
  const grid = gridOf([['Document', '', 'File'], ['No', 'Rev', ''], ...ROWS], {
    merges: [
      { fromRow: 0, fromColumn: 0, toRow: 0, toColumn: 1 },
      { fromRow: 0, fromColumn: 2, toRow: 1, toColumn: 2 },
    ],
  });
  const register = read(grid);
  expect(register.headerRow).toBe(2);
  expect(register.columns.map(({ header }) => header)).toEqual(['No', 'Rev', 'File']);
});

test('a value that is merged over several rows counts for each of them', () => {
  const grid = gridOf([HEADER, ['A-1', 'P01', 'a.pdf'], ['A-2', '', 'b.pdf'], ['A-3', '', 'c.pdf']], {
    merges: [{ fromRow: 1, fromColumn: 1, toRow: 2, toColumn: 1 }],
  });
  expect(read(grid).rows.map(({ cells }) => cells[1]?.text)).toEqual(['P01', 'P01', '']);
});

test('a sheet that nobody called a register needs a column for the file and one for a field', () => {
  expect(find([gridOf([HEADER, ...ROWS])]).kind).toBe('register');
  expect(
    find([
      gridOf([
        ['File', 'Pages'],
        ['a.pdf', '3'],
      ]),
    ]),
  ).toEqual({
    kind: 'document',
    looks: expect.stringMatching(/lists files, but no column/),
  });
  expect(
    find([
      gridOf([
        ['Doc No', 'Rev', 'Price'],
        ['A-1', 'P01', '3'],
      ]),
    ]),
  ).toEqual({
    kind: 'document',
    looks: expect.stringMatching(/none for the file/),
  });
  expect(
    find([
      gridOf([
        ['Cost', 'Amount'],
        ['x', '3'],
      ]),
    ]),
  ).toEqual({ kind: 'document', looks: null });
});

test('one that is called a register needs the file alone, and is told what it lacks', () => {
  expect(
    find(
      [
        gridOf([
          ['File', 'Pages'],
          ['a.pdf', '3'],
        ]),
      ],
      true,
    ).kind,
  ).toBe('register');
  const faults = (grids: readonly Grid[]) => {
    const finding = find(grids, true);
    return finding.kind === 'unusable' ? finding.faults.map(tellFault) : [];
  };
  expect(
    faults([
      gridOf([
        ['Doc No', 'Rev'],
        ['A-1', 'P01'],
      ]),
    ]),
  ).toEqual([
    'Row 1: The register has no column that says which file a row is about. Add one with the header "File".',
  ]);
  expect(faults([gridOf([])])).toEqual(['The register is empty: no cell in it has a value.']);
  expect(faults([gridOf([['x']])])).toHaveLength(1);
});

test('a header without rows is told', () => {
  expect(read(gridOf([HEADER])).faults.map(tellFault)).toEqual(['The register has a header but no rows.']);
});

test('of several sheets the first one that fits is read, hidden ones last, and the others are named', () => {
  const data = gridOf([HEADER, ...ROWS], { name: 'Data' });
  const old = gridOf([HEADER, ...ROWS], { name: 'Old', hidden: true });
  const more = gridOf([HEADER, ...ROWS], { name: 'More' });
  const finding = find([gridOf([['Lists']], { name: 'Reference' }), old, data, more]);
  expect(finding).toMatchObject({ kind: 'register', register: { sheet: 'Data' } });
  expect(finding.kind === 'register' && finding.register.notices.map(tellFault)).toEqual([
    'Only the sheet "Data" is read; "More" could be a register as well.',
  ]);
  expect(find([old])).toMatchObject({ kind: 'register', register: { sheet: 'Old' } });
});

test('a sheet that only mentions a file is neither read in place of the register nor named beside it', () => {
  const data = gridOf([HEADER, ...ROWS], { name: 'Data' });
  const instructions = gridOf([['For 7001'], ['File', 'The file of this row.'], ['Type', 'Pick one.']], {
    name: 'Instructions',
  });
  for (const grids of [
    [data, instructions],
    [instructions, data],
  ]) {
    expect(find(grids, true)).toMatchObject({ kind: 'register', register: { sheet: 'Data', notices: [] } });
  }
  expect(find([instructions], true)).toMatchObject({ kind: 'register', register: { sheet: 'Instructions' } });
});

test('300 columns and 5,000 rows are read in a moment, whatever is merged', () => {
  const wide = [...HEADER, ...Array.from({ length: 297 }, (_, at) => `Own ${at}`)];
  const rows = Array.from({ length: 5_000 }, (_, at) => [`A-${at}`, 'P01', `${at}.pdf`]);
  const merges = Array.from({ length: 50_000 }, () => ({
    fromRow: 0,
    fromColumn: 0,
    toRow: 1_000_000,
    toColumn: 0,
  }));
  const cpuMs = startCpuTimer();
  expect(read(gridOf([wide, ...rows], { merges })).rows).toHaveLength(5_000);
  expect(cpuMs()).toBeLessThan(10_000);
});
