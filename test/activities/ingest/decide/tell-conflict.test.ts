import { tellConflict } from '../../../../activities/ingest/decide/tell-conflict';
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
