import { findField, foldHeader, isFileHeader } from '../../../activities/registers/column-words';
import { startCpuTimer } from '../../setup/cpu-time';
import { FIELDS, field, NUMBER, TYPE } from '../ingest/decide/fixtures';

test.each(['Document No', ' document_no. ', 'DOCUMENT  NO *', '*Document\nNo:', 'Ｄocument No'])(
  'the header %j is "document no"',
  header => {
    expect(foldHeader(header)).toBe('document no');
  },
);

test.each([
  ['File', true],
  ['FILE_NAME *', true],
  ['Dateiname', true],
  ['Nom du fichier', true],
  ['Title', false],
  ['Profile', false],
  ['', false],
])('the header %j names a file: %p', (header, isFile) => {
  expect(isFileHeader(header)).toBe(isFile);
});

test('headers that go on without an end are folded in a moment', () => {
  const header = `${'.'.repeat(32_000)}x`;
  const cpuMs = startCpuTimer();
  for (let times = 0; times < 20; times += 1) expect(foldHeader(header)).toBe(header);
  expect(cpuMs()).toBeLessThan(2_000);
});

describe('findField', () => {
  const authored = field('date_authored', 'timestamp', { label: 'Authored on' });
  const fields = [...FIELDS, authored];

  test.each([
    ['type', TYPE],
    ['TYPE', TYPE],
    ['  Type ', TYPE],
    ['date_authored', authored],
    ['Date Authored', authored],
    ['authored  ON', authored],
    ['Authored\u00a0on', authored],
    ['nothing', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ])('%j', (given, expected) => {
    expect(findField(fields, given)).toEqual(expected);
  });

  test('a name goes before a label', () => {
    const impostor = field('kind', 'string', { label: 'Number' });
    expect(findField([impostor, ...fields], 'number')).toBe(NUMBER);
    expect(findField([impostor, ...fields], 'kind')).toBe(impostor);
  });

  test('a label that two fields have names neither; their names still do', () => {
    const one = field('zone_1', 'string', { label: 'Zone' });
    const two = field('zone_2', 'string', { label: 'zone' });
    expect(findField([one, two], 'Zone')).toBeUndefined();
    expect(findField([one, two], 'zone 2')).toBe(two);
  });
});

test('a usual word means its field, unless a field of the project is called so', () => {
  const revision = { id: '1', name: 'revision', label: 'Revision' };
  expect(findField([revision], 'Rev.')).toBe(revision);
  const own = { id: '2', name: 'own', label: 'Rev.' };
  expect(findField([revision, own], 'Rev.')).toBe(own);
  expect(findField([revision, own, { ...own, id: '3' }], 'Rev.')).toBeUndefined();
});
