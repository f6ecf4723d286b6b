import {
  planColumns,
  type TemplateField,
  tellHowToFill,
} from '../../../../activities/registers/template/template-fields';

const field = (overrides: Partial<TemplateField>): TemplateField => ({
  name: 'x',
  label: 'X',
  type: 'string',
  isPeople: false,
  required: false,
  requiredByType: [],
  requiredByFields: [],
  values: [],
  ...overrides,
});

describe('planColumns', () => {
  test('offers each active value once', () => {
    const values = ['A', 'A', ' ', 'B'].map(label => ({ label, code: '', active: true }));
    const [, column] = planColumns([field({ values: [...values, { label: 'C', code: '', active: false }] })]);
    expect(column?.offered.map(({ label }) => label)).toEqual(['A', 'B']);
  });

  test('a heading names few types, of many their number', () => {
    const types = ['a', 'b', 'c', 'd', 'e'];
    const [, few, many] = planColumns([
      field({ requiredByType: types.slice(0, 2) }),
      field({ requiredByType: types }),
    ]);
    expect([few?.needWords, many?.needWords]).toEqual(['required for a, b', 'required for 5 types']);
  });

  test('what another type requires is optional where all rows have one type', () => {
    const [, column] = planColumns([field({ requiredByType: ['Model'] })], 'Drawing');
    expect(column?.needWords).toBe('optional');
  });
});

test.each([
  ['timestamp', 'A date, year first: 2026-04-03.'],
  ['numeric', 'A number.'],
  ['reference', 'A location by its path.'],
  ['lov_entry', 'The project has no active value for it now: ask its administrator.'],
  ['string', 'Text, as it is to be stored. Zeros in front are kept.'],
  ['something new', 'Text, as it is to be stored. Zeros in front are kept.'],
])('says how a field of type %s is filled', (type, expected) => {
  const [, column] = planColumns([field({ type })]);
  expect(column && tellHowToFill(column)).toBe(expected);
});

test('says how people are given, with a list and without one', () => {
  const listed = field({ isPeople: true, values: [{ label: 'Ada', code: 'a@x.example', active: true }] });
  const told = [listed, field({ isPeople: true })].map(each => tellHowToFill(planColumns([each])[1]!));
  const how = 'the name or the e-mail address. Several are separated by a semicolon.';
  expect(told).toEqual([`Pick a person from the list, or give ${how}`, `A person of the project: ${how}`]);
});
