// The fields of a project as the template for registers shows them: when each is needed, what may stand in
// it.
import type { ProjectRef, ValuesByField } from '../../workflows/contract';
import { forEachLimited } from '../host/concurrency';
import type { Candidate } from '../host/resolve-value';
import { choicesOf } from '../registers/choices';
import { findField, isFileHeader } from '../registers/column-words';
import type { TemplateField, TemplateValue } from '../registers/template/template-fields';
import { type FieldNeeds, listNeeds } from './decide/field-needs';
import { type ProjectField, type ProjectRules, WORKFLOW_FIELD_NAMES } from './decide/project-rules';
import { takesIds } from './decide/resolve-text';
import type { ProjectLookups } from './project-lookups';

/** The type of a document decides what else it needs. */
export const TYPE_FIELD = 'type';
/** Every document gets a name, if only that of its file. */
const NAME_FIELD = 'name';

/** Lists under way at once; each may take several requests. */
const PARALLEL = 4;

/** What a share says of a field by itself. */
export interface GivenByShare {
  readonly defaults: ValuesByField;
  readonly forced: ValuesByField;
}

/** A value as the template shows it, and which one of the list it is. */
interface ShownValue extends TemplateValue {
  readonly id: string;
}

/** All fields that a register may give, in the project's order, with their lists and the project's people. */
export async function describeFields(
  lookups: Pick<ProjectLookups, 'values' | 'people'>,
  project: ProjectRef,
  rules: ProjectRules,
  given: GivenByShare,
): Promise<readonly TemplateField[]> {
  const fields = rules.fields.filter(({ name }) => !WORKFLOW_FIELD_NAMES.has(name));
  const lists = new Map<string, readonly ShownValue[]>();
  await forEachLimited(fields.filter(takesIds), PARALLEL, async field => {
    const list = field.isUserReference
      ? showPeople(await lookups.people(project))
      : showValues(await lookups.values(project, field));
    lists.set(field.id, list);
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
    isPeople: field.isUserReference,
    ...toNeed(needs.get(field.id), typeLabels),
    ...tellGiven(rules, field, given),
    values: (lists.get(field.id) ?? []).map(({ id: _, ...value }) => value),
  }));
}

function showValues(list: readonly Candidate[]): readonly ShownValue[] {
  return showList(list, ({ alternatives }) => alternatives[0] ?? '');
}

/** By name, and with the e-mail address, which tells two of one name apart. */
function showPeople(list: readonly Candidate[]): readonly ShownValue[] {
  const people = showList(list, ({ alternatives }) => alternatives.find(text => text.includes('@')) ?? '');
  return people.toSorted((a, b) => a.label.localeCompare(b.label, 'en') || a.id.localeCompare(b.id));
}

/** Shows each value that may be given by a text that is read as that value again, and as no other. */
function showList(
  list: readonly Candidate[],
  codeOf: (candidate: Candidate) => string,
): readonly ShownValue[] {
  const choices = choicesOf(list);
  return list.map(candidate => {
    const { id, label, alternatives, active } = candidate;
    const code = codeOf(candidate);
    if (!active) return { id, label, code, active };
    const isReadAsIt = (text: string) => {
      if (text.trim() === '') return false;
      const resolution = choices.resolve(text);
      return resolution.kind === 'resolved' && resolution.value === id;
    };
    const shown = [label, code, ...alternatives, `${label} (${id})`].find(isReadAsIt) ?? label;
    return { id, label: shown, code: code !== shown && isReadAsIt(code) ? code : '', active };
  });
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
