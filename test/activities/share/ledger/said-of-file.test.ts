// What is said of a file by its name, its folder and its row.
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
  expect(saidOfFile(manifest, { values, entry }, wording)).toEqual(said);
});
