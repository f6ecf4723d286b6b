// Which reviews stand against a document, as far as the service says it: of which revision, under which name,
// and at which step. Whose they are it does not say. Pure.
import { quote } from '../../registers/register-fault';
import type { WorkflowConflict } from '../../service/reasons';

/** Most that are named of each kind; a receipt is no place for all revisions of a document. */
const MOST_NAMED = 3;

/** Undefined where the conflict names none. */
export function tellConflict({
  existingRevisions,
  conflictingUploads,
}: WorkflowConflict): string | undefined {
  const revisions = existingRevisions.map(
    ({ revision, name, assignedWorkflow, workflowCurrentStep, status }) => {
      const step = workflowCurrentStep === '' ? '' : `, at the step ${quote(workflowCurrentStep)}`;
      const state = status === '' ? '' : `, with the status ${quote(status)}`;
      const what = revision === '' ? quote(name) : `Revision ${quote(revision)}`;
      const where = assignedWorkflow === '' ? 'in a workflow' : `in ${quote(assignedWorkflow)}`;
      return `${what} is ${where}${step}${state}.`;
    },
  );
  const uploads = conflictingUploads.map(
    ({ revision, name }) =>
      `${quote(name)}${revision === '' ? '' : `, revision ${quote(revision)}`} is in one before it is submitted.`,
  );
  const told = [revisions, uploads].flatMap(all => [
    ...all.slice(0, MOST_NAMED),
    ...(all.length > MOST_NAMED ? [`${all.length - MOST_NAMED} more are as well.`] : []),
  ]);
  return told.length === 0 ? undefined : told.join(' ');
}
