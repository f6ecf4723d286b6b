// Why a value that people gave cannot be written to a field, and what they can write instead. Pure.
import type { Reason } from '../../../workflows/contract';
import { listNearest, type NotShown, type Resolution } from '../../host/resolve-value';
import { findByName } from '../../registers/column-words';
import { type ProjectField, type ProjectRules, WORKFLOW_FIELD_NAMES } from './project-rules';

/** Why a value cannot be written. Receipts carry the codes; set-apart-safety.ts sorts them. */
export interface ValueProblem extends Reason {
  readonly code:
    | 'ambiguous-value'
    | 'inactive-value'
    | 'list-not-shown'
    | 'malformed-value'
    | 'too-many-values'
    | 'unknown-field'
    | 'unknown-value';
}

/** Why no value can be written under this name; nothing when it is a field that may be set. */
export function explainUnlessField(rules: ProjectRules, given: string): readonly ValueProblem[] {
  const field = findByName(rules.fields, given);
  if (field !== undefined && !WORKFLOW_FIELD_NAMES.has(field.name)) return [];
  const { code, text } = explainUnknownField(given, rules.fields);
  const fields = rules.fields.filter(({ name }) => !WORKFLOW_FIELD_NAMES.has(name));
  const candidates = fields.map(({ id, label, name }) => ({ id, label, alternatives: [name], active: true }));
  return [{ code, text, fix: `The nearest are: ${listNearest(given, candidates).join(', ')}.` }];
}

export function explainUnknownField(given: string, fields: readonly ProjectField[]): ValueProblem {
  const labels = fields.filter(field => !WORKFLOW_FIELD_NAMES.has(field.name)).map(field => field.label);
  return {
    code: 'unknown-field',
    text: `The project has no field "${given}" that can be set.`,
    fix: `Use one of: ${labels.slice(0, 30).join(', ')}.`,
  };
}

export function explainValue(
  field: ProjectField,
  text: string,
  resolution: Exclude<Resolution, { kind: 'resolved' }> | NotShown,
): ValueProblem {
  const given = `"${text}" for "${field.label}"`;
  switch (resolution.kind) {
    case 'unknown':
      return {
        code: 'unknown-value',
        text: `${given} is not in the list of the project.`,
        fix: suggest(resolution.nearest),
      };
    case 'inactive':
      return {
        code: 'inactive-value',
        text: `${given} is in the list of the project, but no longer active.`,
        fix: suggest(resolution.nearest),
      };
    case 'ambiguous':
      return {
        code: 'ambiguous-value',
        text: `${given} fits several entries of the list.`,
        fix: `Write exactly one of: ${resolution.nearest.join(', ')}.`,
      };
    case 'malformed':
      return {
        code: 'malformed-value',
        text: `${given} cannot be read.`,
        fix: `Give ${resolution.expected}.`,
      };
    case 'not-shown':
      return {
        code: 'list-not-shown',
        text: `${given} could not be looked up: ${resolution.why}.`,
        fix: resolution.fix,
      };
  }
}

/** The service refuses to show the list of a field, with this status. */
export function toNotShown(field: ProjectField, status: number | undefined): NotShown {
  const said = status === undefined ? '' : ` (status ${status})`;
  const [what, remedy] = field.isUserReference
    ? ['the people of the project', 'Have the Directory tool switched on in the project, open to our account']
    : [`the values of "${field.label}"`, 'Have our account given access to them in the project'];
  return {
    kind: 'not-shown',
    why: `the service does not show ${what}${said}`,
    fix: `${remedy}, or leave "${field.label}" out.`,
  };
}

function suggest(nearest: readonly string[]): string {
  return nearest.length === 0
    ? 'The list has no active entries; ask the project’s administrator.'
    : `Nearest: ${nearest.join(', ')}.`;
}
