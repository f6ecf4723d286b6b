// The oracle of values: which of several counts, and how they are told by people.
import { compareValues, foretell, readRows, type ShareValues } from './foretold-values';

const DEFAULTS = { Type: 'Document', Status: 'Work in progress', Revision: 'A' };
const SHARE: ShareValues = { defaults: DEFAULTS, documentName: 'stem' };
const FOUND = { analysis: 'completed', fileName: 'plan dwg 1.pdf' };
const GIVEN = { type: 'Document', status: 'Work in Progress', revision: 'A' };

test('defaults alone, with the labels of the project in place of what is configured', () => {
  expect(foretell('a/plan.txt', SHARE, undefined)).toEqual({ ...GIVEN, name: 'plan' });
});

test.each(['in_progress', 'error', 'not_applicable'])('an analysis that is %s gives nothing', analysis => {
  expect(foretell('plan.pdf', SHARE, { ...FOUND, analysis })).toEqual({ ...GIVEN, name: 'plan' });
});

test('what the service finds goes before defaults, the file’s name before that, its row before all', () => {
  const found = {
    ...GIVEN,
    type: 'Drawing',
    name: 'N-1_SPC_B',
    number: 'plan dwg 1',
    description: 'About plan dwg 1',
    date_authored: '2025-01-15T00:00:00Z',
  };
  expect(foretell('N-1_SPC_B.pdf', SHARE, FOUND)).toEqual(found);
  const named = {
    ...SHARE,
    fileNamePattern: '^(?<Number>[^_]+)_(?<Type>[^_]+)_(?<Revision>[^.]+)(?<Description>-[^.]+)?',
  };
  const ofName = { ...found, number: 'N-1', type: 'Specification', revision: 'B' };
  expect(foretell('N-1_SPC_B.pdf', named, FOUND)).toEqual(ofName);
  expect(foretell('other.pdf', named, FOUND)).toEqual({ ...found, name: 'other' });
  const rows = new Map([['N-1_SPC_B.pdf', { TYPE: 'report', Description: '', Name: 'As the row has it' }]]);
  expect(foretell('N-1_SPC_B.pdf', { ...named, rows }, FOUND)).toEqual({
    ...ofName,
    type: 'Report',
    name: 'As the row has it',
  });
});

test.each([
  ['W-001.pdf', 'W-001', 'W-001.pdf'],
  ['..double..dots...pdf', '..double..dots..', '..double..dots...pdf'],
  ['Report v1.2', 'Report v1.2', 'Report v1.2'],
  ['no ending', 'no ending', 'no ending'],
  [' blank .pdf', ' blank ', ' blank .pdf'],
  ['u\u0308ber.pdf', 'über', 'über.pdf'],
  [`${'n'.repeat(244)}.pdf`, 'n'.repeat(244), `${'n'.repeat(244)}.pdf`],
])('%j is called %j, or by its whole name', (path, stem, whole) => {
  expect(foretell(path, SHARE, undefined).name).toBe(stem);
  expect(foretell(`Package/${path}`, { ...SHARE, documentName: 'file' }, undefined).name).toBe(whole);
});

test('a register speaks of the files of its folder', () => {
  const rows = readRows({ 'Package A/register.csv': Buffer.from('File,Number\na.txt,N-1\nb.txt,\n') });
  expect([...rows]).toEqual([
    ['Package A/a.txt', { Number: 'N-1' }],
    ['Package A/b.txt', { Number: '' }],
  ]);
});

test('a value that is wrong, that lacks, and that nobody gave; what people wrote is let be', () => {
  const fields = { name: ['b'], number: ['7'], remarks: ['mine'] };
  expect(
    compareValues(fields, { name: 'a', status: 'Shared', remarks: 'ours' }, new Set(['remarks'])),
  ).toEqual([
    '"b" as its name, where "a" is right',
    'nothing as its status, where "Shared" is right',
    '"7" as its number, where nothing is right',
  ]);
});
