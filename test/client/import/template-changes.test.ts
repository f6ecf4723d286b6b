import { readTemplateChanges, templateChangeWorkflowId } from '../../../client/import/template-changes';

test('columns go by their heading, in any order, with commas or semicolons', () => {
  const text =
    '\uFEFFPermission template;User;Previous template\n Standard ; Ada Ashby ;\n303;"Ito, Hana";302\n';
  expect(readTemplateChanges(text)).toEqual({
    changes: [
      { line: 2, user: 'Ada Ashby', template: 'Standard' },
      { line: 3, user: 'Ito, Hana', template: '303', previousTemplate: '302' },
    ],
  });
});

test('all faults of a file are told at once, with their lines', () => {
  const read = readTemplateChanges('user,template\nada@example.com,\n,302\nADA@example.com,302\n');
  expect(read).toEqual({
    faults: ['line 2: no template', 'line 3: no user', 'line 4: "ADA@example.com" stands in line 2 too'],
  });
});

test.each([
  ['no heading', 'ada@example.com,302\n'],
  ['an empty file', ''],
  ['a quote that does not end', 'user,template\n"ada,302\n'],
])('%s is a fault', (_, text) => {
  expect(readTemplateChanges(text)).toMatchObject({ faults: [expect.any(String)] });
});

test('a run is known by its user, without showing the name', () => {
  const id = templateChangeWorkflowId('7001', 'Ada Ashby');
  expect(templateChangeWorkflowId('7001', ' ada ashby ')).toBe(id);
  expect(id).toMatch(/^permission-template\/7001\/[0-9a-f]{16}$/);
});
