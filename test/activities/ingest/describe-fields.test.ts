import type { FieldType, ProjectField, ProjectRules } from '../../../activities/ingest/decide/project-rules';
import { describeFields } from '../../../activities/ingest/describe-fields';

const PROJECT = { companyId: '1', projectId: '2' };

const field = (name: string, type: FieldType = 'string', more: Partial<ProjectField> = {}): ProjectField => ({
  id: `id-${name}`,
  name,
  label: name.charAt(0).toUpperCase() + name.slice(1),
  type,
  isUserReference: false,
  ...more,
});

async function describeWith(fields: readonly ProjectField[], given = {}) {
  const asked: string[] = [];
  const rules: ProjectRules = {
    fields,
    requirements: [
      {
        id: '1',
        qualifiers: [],
        required: fields,
        scrapedFieldIds: null,
        allowDuplicateRevisions: true,
      },
    ],
  };
  const lookups = {
    values: async (_: unknown, { name }: ProjectField) => {
      asked.push(name);
      return [
        { id: '1', label: 'Old', alternatives: [], active: false },
        { id: '2', label: 'New', alternatives: ['N'], active: true },
      ];
    },
  };
  const described = await describeFields(lookups, PROJECT, rules, { defaults: {}, forced: {}, ...given });
  return { asked, described };
}

test('lists are asked for, but those of people; fields of the workflow engine are left out', async () => {
  const { asked, described } = await describeWith([
    field('type', 'lov_entry'),
    field('location', 'reference'),
    field('author', 'reference', { isUserReference: true }),
    field('workflow_manager', 'reference', { isUserReference: true }),
    field('title'),
  ]);
  expect(asked.sort()).toEqual(['location', 'type']);
  expect(described.map(({ name }) => name)).toEqual(['type', 'location', 'author', 'title']);
  expect(described[0]?.values).toEqual([
    { label: 'Old', code: '', active: false },
    { label: 'New', code: 'N', active: true },
  ]);
});

test('what the share gives is told, and the name that every file gives', async () => {
  const { described } = await describeWith(
    [field('name'), field('status'), field('trades'), field('title')],
    {
      defaults: { Status: 'A4', Trades: 'x' },
      forced: { trades: ['a', 'b'] },
    },
  );
  expect(described.map(({ given }) => given)).toEqual([
    { text: 'the name of the file', isForced: false },
    { text: 'A4', isForced: false },
    { text: 'a; b', isForced: true },
    undefined,
  ]);
});

test('a label that would be read as another column gives way to the name', async () => {
  const { described } = await describeWith([
    field('a', 'string', { label: 'File name' }),
    field('b', 'string', { label: 'Twice' }),
    field('c', 'string', { label: 'Twice' }),
  ]);
  expect(described.map(({ label }) => label)).toEqual(['a', 'b', 'c']);
});
