// What a refusal is about, in people's words, as far as the service says it: which reviews stand against a
// document, and which field a refused value was for. Whose the reviews are it does not say. Pure.

import { findByName } from '../../registers/column-words';
import { quote } from '../../registers/register-fault';
import type { WorkflowConflict } from '../../service/reasons';
import type { FieldLabel } from './project-rules';

/** Most that are named of each kind; a receipt is no place for all revisions of a document. */
const MOST_NAMED = 3;

/**
 * The reviews that stand in the way: of which revision, under which name, and at which step. Undefined where
 * the conflict names none.
 */
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

/** What was written to one document, in the order of the request. */
export interface SentFields {
  readonly fields?: readonly { readonly fieldId: string }[] | undefined;
}

/** `update_params[2].fields[1].values`, or the same with dots or slashes. */
const PLACE = /^\W*(?:\w+\W+(\d+)\W+)?fields\W+(\d+)/;
/** `uploads[3].` says where in a request, which nobody has seen. */
const OF_AN_ITEM = /^\W*\w+(?:\[\d+\]|[./]\d+)[./]/;

/**
 * The label of the field that the service names, else the service's own word for it; undefined for a place
 * where nothing stands that people know. The specification (Errors) does not say how "details name the
 * field": by its place in what was sent, by its id, or by a name.
 */
export function tellField(
  property: string,
  sent: readonly SentFields[],
  fields: readonly FieldLabel[],
): string | undefined {
  const [place, item = '0', position] = PLACE.exec(property) ?? [];
  const wanted = place === undefined ? property : sent[Number(item)]?.fields?.[Number(position)]?.fieldId;
  if (wanted === undefined) return undefined;
  const known = fields.find(({ id }) => id === wanted) ?? findByName(fields, wanted);
  if (known !== undefined) return known.label || known.name;
  return place === undefined ? property.replace(OF_AN_ITEM, '') : undefined;
}
