import {
  planColumns,
  type TemplateField,
  tellHowToFill,
} from '../../../../activities/registers/template/template-fields';

const field = (overrides: Partial<TemplateField>): TemplateField => ({
  name: 'x',
  label: 'X',
  type: 'string',
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
  ['reference', 'A person by name or e-mail address, a location by its path.'],
  ['lov_entry', 'The project has no active value for it now: ask its administrator.'],
  ['string', 'Text, as it is to be stored. Zeros in front are kept.'],
  ['something new', 'Text, as it is to be stored. Zeros in front are kept.'],
])('says how a field of type %s is filled', (type, expected) => {
  const [, column] = planColumns([field({ type })]);
  expect(column && tellHowToFill(column)).toBe(expected);
});
