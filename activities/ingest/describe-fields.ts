// The fields of a project as the template for registers shows them: when each is needed, what may stand in
// it.
import type { ProjectRef, ValuesByField } from '../../workflows/contract';
import { forEachLimited } from '../host/concurrency';
import type { Candidate } from '../host/resolve-value';
import { isFileHeader } from '../registers/column-words';
import type { TemplateField } from '../registers/template/template-fields';
import { type FieldNeeds, listNeeds } from './decide/field-needs';
import {
  findField,
  type ProjectField,
  type ProjectRules,
  WORKFLOW_FIELD_NAMES,
} from './decide/project-rules';
import { takesIds } from './decide/resolve-text';
import type { ProjectLookups } from './project-lookups';

/** The type of a document decides what else it needs. */
export const TYPE_FIELD = 'type';
/** Every document gets one, if only that of its file. */
const NAME_FIELD = 'name';

/** Lists under way at once; each may take several requests. */
const PARALLEL = 4;

/** What a share says of a field by itself. */
export interface GivenByShare {
  readonly defaults: ValuesByField;
  readonly forced: ValuesByField;
}

/**
 * All fields that a register may give, in the project's order. Lists of people are not
 * shown: they are long.
 */
export async function describeFields(
  lookups: Pick<ProjectLookups, 'values'>,
  project: ProjectRef,
  rules: ProjectRules,
  given: GivenByShare,
): Promise<readonly TemplateField[]> {
  const fields = rules.fields.filter(({ name }) => !WORKFLOW_FIELD_NAMES.has(name));
  const lists = new Map<string, readonly Candidate[]>();
  await forEachLimited(fields.filter(hasList), PARALLEL, async field => {
    lists.set(field.id, await lookups.values(project, field));
  });
  const typeField = fields.find(({ name }) => name === TYPE_FIELD);
  const types = lists.get(typeField?.id ?? '') ?? [];
  const active = types.filter(type => type.active);
  const needs = listNeeds(
    rules,
    typeField,
    active.map(({ id }) => id),
  );
  const typeLabels = new Map(active.map(({ id, label }) => [id, label]));
  return fields.map(field => ({
    name: field.name,
    label: headerOf(field, fields),
    type: field.type,
    ...toNeed(needs.get(field.id), typeLabels),
    ...tellGiven(rules, field, given),
    values: (lists.get(field.id) ?? []).map(toValue),
  }));
}

function hasList(field: ProjectField): boolean {
  return takesIds(field) && !field.isUserReference;
}

/** Its label, where a register's reader takes that for this field and no other. */
function headerOf(field: ProjectField, fields: readonly ProjectField[]): string {
  const isKnown = findField(fields, field.label)?.id === field.id && !isFileHeader(field.label);
  return isKnown ? field.label : field.name;
}

function toNeed(
  needs: FieldNeeds | undefined,
  typeLabels: ReadonlyMap<string, string>,
): Pick<TemplateField, 'required' | 'requiredByType' | 'requiredByFields'> {
  const { always = false, types = [], byFields = [] } = needs ?? {};
  return {
    required: always,
    requiredByType: types.flatMap(id => typeLabels.get(id) ?? []),
    requiredByFields: byFields.map(({ label }) => label),
  };
}

function tellGiven(
  { fields }: ProjectRules,
  { id, name }: ProjectField,
  { defaults, forced }: GivenByShare,
): Pick<TemplateField, 'given'> {
  const isOf = (key: string) => findField(fields, key)?.id === id;
  const byForce = Object.entries(forced).findLast(([key]) => isOf(key));
  if (byForce !== undefined) return { given: { text: tellValue(byForce[1]), isForced: true } };
  const byDefault = Object.entries(defaults).findLast(([key]) => isOf(key));
  // A document is never named by a default.
  if (name === NAME_FIELD) return { given: { text: 'the name of the file', isForced: false } };
  return byDefault === undefined ? {} : { given: { text: tellValue(byDefault[1]), isForced: false } };
}

function tellValue(value: ValuesByField[string]): string {
  return typeof value === 'string' ? value : value.join('; ');
}

function toValue({ label, alternatives, active }: Candidate): TemplateField['values'][number] {
  return { label, code: alternatives[0] ?? '', active };
}
