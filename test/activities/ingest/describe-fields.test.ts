import type { Candidate } from '../../../activities/host/resolve-value';
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

const person = (id: string, label: string, email = `${id}@x.example`, active = true): Candidate => ({
  id,
  label,
  alternatives: [label, label.split(' ').toReversed().join(', '), email].filter(text => text !== ''),
  active,
});

async function describeWith(
  fields: readonly ProjectField[],
  given = {},
  people: readonly Candidate[] = [],
  list: readonly Candidate[] = [
    { id: '1', label: 'Old', alternatives: [], active: false },
    { id: '2', label: 'New', alternatives: ['N'], active: true },
  ],
) {
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
      return list;
    },
    people: async () => {
      asked.push('people');
      return people;
    },
  };
  const described = await describeFields(lookups, PROJECT, rules, { defaults: {}, forced: {}, ...given });
  return { asked, described };
}

test('lists and people are asked for; fields of the workflow engine are left out', async () => {
  const { asked, described } = await describeWith([
    field('type', 'lov_entry'),
    field('location', 'reference'),
    field('author', 'reference', { isUserReference: true }),
    field('workflow_manager', 'reference', { isUserReference: true }),
    field('title'),
  ]);
  expect(asked.sort()).toEqual(['location', 'people', 'type']);
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

const AUTHOR = field('author', 'reference', { isUserReference: true });

test('people stand by name, in the order of their names, with their addresses', async () => {
  const people = [person('7', 'Zoe Ash'), person('8', 'Ada Brand'), person('9', 'Emil Gone', '', false)];
  const { described } = await describeWith([AUTHOR], {}, people);
  expect(described).toMatchObject([{ isPeople: true }]);
  expect(described[0]?.values).toEqual([
    { label: 'Ada Brand', code: '8@x.example', active: true },
    { label: 'Emil Gone', code: '', active: false },
    { label: 'Zoe Ash', code: '7@x.example', active: true },
  ]);
});

test('two people of one name stand by their addresses, and where those are not shown by their ids', async () => {
  const people = [person('1', 'Robin Same'), person('2', 'Robin Same'), person('3', 'Robin Same', '')];
  const { described } = await describeWith([AUTHOR], {}, people);
  expect(described[0]?.values.map(({ label }) => label)).toEqual([
    '1@x.example',
    '2@x.example',
    'Robin Same (3)',
  ]);
});

test('people who are too many for a list, or are not shown to us, are not listed', async () => {
  const { described } = await describeWith([AUTHOR]);
  expect(described).toMatchObject([{ isPeople: true, values: [] }]);
});

test('a value is listed by what is read as it: two of one label by their codes', async () => {
  const list = [
    { id: '1', label: 'Level 1', alternatives: ['A-1'], active: true },
    { id: '2', label: 'Level 1', alternatives: ['B-1'], active: true },
    { id: '3', label: 'Roof', alternatives: ['Level 1'], active: true },
  ];
  const { described } = await describeWith([field('location', 'reference')], {}, undefined, list);
  expect(described[0]?.values).toEqual([
    { label: 'A-1', code: '', active: true },
    { label: 'B-1', code: '', active: true },
    { label: 'Roof', code: '', active: true },
  ]);
});
