import { listNeeds } from '../../../../activities/ingest/decide/field-needs';
import type { ProjectRules, Requirement } from '../../../../activities/ingest/decide/project-rules';

const field = (id: string) => ({ id, name: id, label: id.toUpperCase() });
const TYPE = field('type');

const requirement = (required: readonly string[], ...qualifiers: [string, ...string[]][]): Requirement => ({
  id: required.join(),
  qualifiers: qualifiers.map(([fieldId, ...acceptableValueIds]) => ({ fieldId, acceptableValueIds })),
  required: required.map(field),
  scrapedFieldIds: null,
  allowDuplicateRevisions: true,
});

const rules = (...requirements: Requirement[]): ProjectRules => ({
  requirements,
  fields: ['type', 'status', 'number', 'trade'].map(id => ({
    ...field(id),
    type: 'string',
    isUserReference: false,
  })),
});

test('what all types require is always needed, what some require by those; the default counts for the rest', () => {
  const needs = listNeeds(
    rules(requirement(['number', 'trade']), requirement(['number', 'status'], ['type', 'drawing'])),
    TYPE,
    ['drawing', 'model'],
  );
  expect(needs.get('number')).toEqual({ always: true, types: [], byFields: [] });
  expect(needs.get('status')).toMatchObject({ always: false, types: ['drawing'] });
  expect(needs.get('trade')).toMatchObject({ always: false, types: ['model'] });
});

test('what depends on another field as well names that one, and is asked of no type', () => {
  const byTrade = requirement(['status'], ['type', 'drawing'], ['trade', 'steel']);
  const needs = listNeeds(rules(requirement([]), byTrade), TYPE, ['drawing', 'model']);
  expect(needs.get('status')).toMatchObject({ always: false, types: [], byFields: [{ label: 'TRADE' }] });
});

test('a project without types needs what its default requirement wants', () => {
  const needs = listNeeds(rules(requirement(['number'])), undefined, []);
  expect([needs.get('number')?.always, needs.get('status')?.always]).toEqual([true, false]);
});
