import { type ColumnWords, indexWords, nameColumns } from '../../../activities/registers/name-columns';
import { tellFault } from '../../../activities/registers/register-fault';

const WORDS: ColumnWords = {
  isComplete: true,
  fields: [
    { name: 'number', label: 'Document Number' },
    { name: 'revision', label: 'Revision' },
    { name: 'status', label: 'State' },
    { name: 'phase', label: 'State' },
    { name: 'title', label: 'Title' },
  ],
  synonyms: { 'Doc No': 'Number', Plan: 'FILE', Zone: 'Area', Drawing: 'document number' },
};

const name = (headers: readonly string[], words: Partial<ColumnWords> = {}, used = (_: number) => true) => {
  const { columns, faults, notices } = nameColumns(headers, used, indexWords({ ...WORDS, ...words }));
  return {
    meanings: columns.map(({ meaning }) => (meaning.kind === 'field' ? meaning.field : `<${meaning.kind}>`)),
    letters: columns.map(({ letter }) => letter),
    faults: faults.map(tellFault),
    notices: notices.map(tellFault),
  };
};

test('columns are named by field, label, synonym and the usual words for a file', () => {
  const named = name(['doc no *', 'REVISION', 'Own remarks', 'Document File', 'title']);
  expect(named.meanings).toEqual(['number', 'revision', '<other>', '<file>', 'title']);
  expect(named.letters).toEqual(['A', 'B', 'C', 'D', 'E']);
  expect([...named.faults, ...named.notices]).toEqual([]);
});

test('a synonym may stand for the file, and lead to a field by its label', () => {
  expect(name(['Plan', 'Drawing']).meanings).toEqual(['<file>', 'number']);
});

test('columns that give the same field are told with their letters, however they are called', () => {
  expect(name(['File', 'Title', 'Doc No', 'Number', 'title']).faults).toEqual([
    'Column B: Columns B and E ("Title" and "title") both give "title". Keep one of them, or give the others another header.',
    'Column C: Columns C and D ("Doc No" and "Number") both give "number". Keep one of them, or give the others another header.',
  ]);
  expect(name(['File', 'Datei', 'Filename']).faults[0]).toMatch(/Columns A, B and C .* all give the file/);
});

test('a header that two fields share is told with their names', () => {
  expect(name(['File', 'State']).faults).toEqual([
    'Column B: The header "State" fits several fields of the project: "status" and "phase". Write one of these names.',
  ]);
});

test('a synonym of the configuration that leads to no field is told', () => {
  expect(name(['File', 'Zone']).faults).toEqual([
    expect.stringMatching(
      /^Column B: "Zone" stands for the field "Area" by this share's configuration, .* Nearest: /,
    ),
  ]);
});

test('where the fields of the project are not known, the configuration is believed', () => {
  const named = name(['File', 'Zone', 'Revison'], { isComplete: false, fields: [] });
  expect(named.meanings).toEqual(['<file>', 'Area', '<other>']);
  expect([...named.faults, ...named.notices]).toEqual([]);
});

test('a blank header above values, a header that comes twice and a slip are worth a look', () => {
  const headers = ['File', '', 'Remarks', 'remarks', 'Revison', '', 'Titel'];
  const named = name(headers, {}, column => column !== 5);
  expect(named.faults).toEqual([]);
  expect(named.notices).toEqual([
    'Column B: The column has values but no header, so they say nothing. Give it a header if they should count.',
    'Column C: Columns C and D have the same header "Remarks".',
    'Column E: "Revison" is no field of the project and is not read. Nearest: Revision.',
    'Column G: "Titel" is no field of the project and is not read. Nearest: Title.',
  ]);
});

test.each(['constructor', '__proto__', 'toString'])('the header %s is nothing special', header => {
  expect(name(['File', header]).meanings).toEqual(['<file>', '<other>']);
});

test('a usual word stands for the field that the project has', () => {
  const named = name(['File', 'Doc. No.', 'Rev.', 'Document Title', 'Document Type'], { synonyms: {} });
  expect(named.meanings).toEqual(['<file>', 'number', 'revision', 'title', '<other>']);
  expect([...named.faults, ...named.notices]).toEqual([]);
});

test('the name or label of a field goes before the usual word, and the other column is told', () => {
  const named = name(['File', 'Rev', 'Revision']);
  expect(named.meanings).toEqual(['<file>', '<other>', 'revision']);
  expect(named.faults).toEqual([]);
  expect(named.notices).toEqual(['Column B: "Rev" is not read, for column C gives "revision".']);
  const own = name(['Rev', 'Revision'], { fields: [...WORDS.fields, { name: 'own', label: 'Rev' }] });
  expect(own.meanings).toEqual(['own', 'revision']);
});

test('two usual words for one field contradict each other', () => {
  expect(name(['File', 'Drawing No', 'Document Nr'], { synonyms: {} }).faults).toEqual([
    'Column B: Columns B and C ("Drawing No" and "Document Nr") both give "number". Keep one of them, or give the others another header.',
  ]);
});

test('a usual word for a field that the project lacks is a column of its own', () => {
  expect(name(['File', 'Suitability'], { fields: [{ name: 'number', label: 'Number' }] })).toMatchObject({
    meanings: ['<file>', '<other>'],
    faults: [],
    notices: [],
  });
});
