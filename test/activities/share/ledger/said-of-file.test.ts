// What is said of a file by its name, its folder and its row.
import { DocumentWords } from '../../../../activities/share/drop/document-words';
import { saidOfFile } from '../../../../activities/share/ledger/said-of-file';

const register = (headers: readonly string[]) => ({
  registers: [
    { path: 'Register.xlsx', sizeBytes: 1, sha256: '', headers: [...headers], notThere: [], notices: [] },
  ],
});
const row = (...cells: string[]) => ({ register: 0, row: { number: 2, cells } });

test.each([
  ['by its name', {}, {}, { Number: 'A-1', revision: 'P01' }, undefined, { number: 'A-1', revision: 'P01' }],
  [
    'by its row, which goes before the name',
    register(['File', 'Document No:', ' REV ', 'Action']),
    {},
    { number: 'A-1' },
    row('a.pdf', ' 0042 ', 'P02', 'Send'),
    { number: '0042', revision: 'P02', action: 'Send' },
  ],
  [
    'by columns that the share has words for',
    register(['Plannummer', 'Index']),
    { plannummer: 'Number', Index: 'Revision' },
    {},
    row('A-1', 'b'),
    { number: 'A-1', revision: 'b' },
  ],
  [
    'a Name by its row, which goes before the name',
    register(['File', 'Name']),
    {},
    { Name: 'scan1' },
    row('scan1.pdf', ' A-101 '),
    { name: 'A-101', number: null, revision: null },
  ],
  [
    'a Name by its folder or its name',
    {},
    {},
    { name: 'A-101' },
    undefined,
    { name: 'A-101', number: null, revision: null },
  ],
  [
    'nothing, where the row says that it stays empty, whatever its name says',
    register(['Number', 'Rev']),
    {},
    { number: 'A-1', revision: 'P01' },
    row('none', ' None '),
    { number: null, revision: null },
  ],
  [
    'nothing, where cells are empty or the row ends early',
    register(['Rev', 'Number']),
    {},
    {},
    row('  '),
    { number: null, revision: null },
  ],
  ['nothing, without a row', register(['Rev']), {}, {}, { register: 0 }, { number: null, revision: null }],
])('%s', (_, manifest, synonyms, values, entry, said) => {
  const wording = { synonyms: synonyms as Record<string, string>, emptyWord: 'None' };
  expect(saidOfFile(manifest, { values, entry }, new DocumentWords(wording))).toEqual(said);
});

const FIELDS = [
  { name: 'name', label: 'Document Name' },
  { name: 'number', label: 'Number' },
  { name: 'revision', label: 'Index' },
  { name: 'rev', label: 'Structural revision' },
];

test.each([
  [
    'by its row, under the labels',
    ['File', 'Document name:', 'INDEX'],
    ['a.pdf', 'Form A', 'b'],
    {},
    'Form A',
    'b',
  ],
  ['by its row, under the names', ['name', 'revision'], ['Form A', 'b'], {}, 'Form A', 'b'],
  ['by groups of a pattern', [], [], { Document_Name: 'Form A', index: 'b' }, 'Form A', 'b'],
  ['by the last of two groups', [], [], { Index: 'a', revision: 'b' }, undefined, 'b'],
  ['by its row before its name', ['Document Name'], ['Form B'], { Document_Name: 'Form A' }, 'Form B', null],
  ['nothing under a usual word that is another field', ['Rev'], ['7'], { Rev: '8' }, undefined, null],
  ['by a word of the share for a label', ['Plan', 'Ausgabe'], ['Form A', 'b'], {}, 'Form A', 'b'],
  ['nothing where the row leaves it empty', ['Index'], [' none '], { Index: 'b' }, undefined, null],
])('in a project with labels of its own: %s', (_, headers, cells, values, name, revision) => {
  const synonyms = { Plan: 'Document Name', Ausgabe: 'index' };
  const words = new DocumentWords({ synonyms, emptyWord: 'None', fields: FIELDS });
  const said = saidOfFile(register(headers), { values, entry: row(...cells) }, words);
  expect(said).toEqual({ number: null, revision, ...(name === undefined ? {} : { name }) });
});

test('a header that two fields are labelled by means neither, and one that the share has another word for that', () => {
  const two = [...FIELDS, { name: 'zone', label: 'index' }];
  const saidBy = (words: DocumentWords) =>
    saidOfFile(register(['Index']), { values: {}, entry: row('b') }, words);
  expect(saidBy(new DocumentWords({ fields: two })).revision).toBeNull();
  const worded = new DocumentWords({ fields: FIELDS, synonyms: { Index: 'Number' } });
  expect(saidBy(worded)).toMatchObject({ number: 'b', revision: null });
});

test('what the project has no such field for is said by its usual name', () => {
  const words = new DocumentWords({ fields: [{ name: 'zone', label: 'Zone' }] });
  const said = saidOfFile(register(['Name', 'Rev']), { values: {}, entry: row('Form A', 'b') }, words);
  expect(said).toEqual({ name: 'Form A', number: null, revision: 'b' });
});
