import { findField } from '../../../../activities/ingest/decide/project-rules';
import { FIELDS, field, NUMBER, TYPE } from './fixtures';

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
