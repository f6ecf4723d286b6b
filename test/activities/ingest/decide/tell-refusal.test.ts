import { tellConflict, tellField } from '../../../../activities/ingest/decide/tell-refusal';
import { toRefusal } from '../../../../activities/ingest/documents';
import { parseReasons } from '../../../../activities/service/reasons';
import { explainRefusal } from '../../../../workflows/ingest/decide/judge-refusal';

const revision = (given: object) => ({
  id: '1',
  name: 'a.pdf',
  revision: 'P01',
  workflow_instance_id: '2',
  assigned_workflow: 'Structural review 14',
  workflow_current_step: 'Check',
  status: 'In review',
  ...given,
});

function explain(revisions: readonly object[], uploads: readonly object[] = []) {
  const detail = {
    reason_code: 'WORKFLOW_CONFLICT',
    message: 'Wire words',
    source: '7',
    existing_revisions_with_workflows: revisions,
    conflicting_uploads_with_workflow: uploads,
  };
  const [reason] = parseReasons({ error: { code: 'VALIDATION_ERROR', details: [detail] } });
  return explainRefusal(toRefusal(reason)).text;
}
const BEFORE = 'Earlier revisions of this document have a workflow that is still running.';

test.each([
  [
    'names review, step and status',
    {},
    'Revision "P01" is in "Structural review 14", at the step "Check", with the status "In review".',
  ],
  [
    'says no more than it was told',
    { workflow_current_step: '', status: null },
    'Revision "P01" is in "Structural review 14".',
  ],
  [
    'a revision without a name',
    { revision: '', assigned_workflow: '', workflow_current_step: '', status: '' },
    '"a.pdf" is in a workflow.',
  ],
])('%s', (_, given, told) => {
  expect(explain([revision(given)])).toBe(`${BEFORE} ${told}`);
});

test('where the service names none, nothing is added', () => {
  expect(explain([])).toBe(BEFORE);
  expect(
    tellConflict({ documentContainerId: null, existingRevisions: [], conflictingUploads: [] }),
  ).toBeUndefined();
});

test('many are counted, and long names do not fill a receipt', () => {
  const many = Array.from({ length: 20 }, () => revision({ assigned_workflow: 'x\n'.repeat(5_000) }));
  const text = explain(many, [{ id: '3', name: 'b.pdf', revision: 'P02' }]);
  expect(text).toContain('17 more are as well. "b.pdf", revision "P02" is in one before it is submitted.');
  expect(text.length).toBeLessThan(2_000);
  expect(text).not.toContain('\n');
});

describe('the field that a refusal is about', () => {
  const fields = [
    { id: '01REV', name: 'revision', label: 'Revision' },
    { id: '01TYPE', name: 'type', label: 'Kind of document' },
    { id: '01BARE', name: 'remarks', label: '' },
  ];
  const sent = [
    { fields: [{ fieldId: '01REV' }] },
    { fields: [{ fieldId: '01REV' }, { fieldId: '01TYPE' }, { fieldId: '01GONE' }] },
    {},
  ];

  test.each([
    ['its place in what was sent', 'update_params[1].fields[1].values', 'Kind of document'],
    ['a place in it', 'update_params[0].fields[0].values[0]', 'Revision'],
    ['a place with dots', 'update_params.1.fields.1', 'Kind of document'],
    ['a place with slashes', '/update_params/1/fields/1/values', 'Kind of document'],
    ['a place in the one document of it', 'fields[0].values', 'Revision'],
    ['its id', '01TYPE', 'Kind of document'],
    ['its name', 'type', 'Kind of document'],
    ['its label', 'kind of document', 'Kind of document'],
    ['a field without a label', '01BARE', 'remarks'],
    ['what the project does not know', 'latest_event_id', 'latest_event_id'],
    ['a part of one document that is no field', 'uploads[3].mime_type', 'mime_type'],
    ['a field that the project has no more', 'update_params[1].fields[2].id', undefined],
    ['a document that was not sent', 'update_params[9].fields[0].values', undefined],
    ['a document without fields', 'update_params[2].fields[0].values', undefined],
  ])('is told, named by %s', (_, property, told) => {
    expect(tellField(property, sent, fields)).toBe(told);
  });
});
