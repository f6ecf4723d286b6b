import type { ProjectRules } from '../../../../activities/ingest/decide/project-rules';
import { tellRequirement } from '../../../../activities/ingest/decide/tell-requirement';

const field = (name: string, label: string) =>
  ({ id: `f-${name}`, name, label, type: 'lov_entry', isUserReference: false }) as const;
const type = field('type', 'Type');
const discipline = field('discipline', 'Discipline');
const hidden = { id: 'f-hidden', name: 'hidden', label: 'Hidden' };
const requirement = (id: string, qualifiers: ProjectRules['requirements'][number]['qualifiers']) => ({
  id,
  qualifiers,
  required: [type, discipline, hidden],
  scrapedFieldIds: null,
  allowDuplicateRevisions: true,
});
const ofType = (...values: string[]) => [
  { fieldId: type.id, acceptableValueIds: values, acceptableLabels: values.map(value => `The ${value}`) },
];

test.each([
  [
    'a value decides',
    [requirement('a', []), requirement('b', ofType('v1', 'v2'))],
    'Type is "The v1" or "The v2"',
  ],
  ['no value decides', [requirement('a', []), requirement('b', ofType('v9'))], 'the default of the project'],
  [
    'two tie',
    [requirement('b', ofType('v1')), requirement('c', ofType('v1', 'v2'))],
    'Type is "The v1"; Type is "The v1" or "The v2"',
  ],
])('where %s, it says so, and what can be given of what is asked for', (_, requirements, when) => {
  const rules: ProjectRules = { fields: [type, discipline], requirements };
  expect(tellRequirement(rules, new Map([[type.id, ['v1']]]))).toEqual({
    when,
    asks: ['Type', 'Discipline'],
  });
});

test('where nothing applies, nothing is asked for; what is long is cut', () => {
  const rules: ProjectRules = { fields: [type], requirements: [requirement('b', ofType('v9'))] };
  expect(tellRequirement(rules, new Map())).toEqual({
    when: 'no requirement of the project applies',
    asks: [],
  });
  const long: ProjectRules = { fields: [type], requirements: [requirement('b', ofType('v'.repeat(2_000)))] };
  expect(tellRequirement(long, new Map([[type.id, ['v'.repeat(2_000)]]])).when).toHaveLength(500);
});
