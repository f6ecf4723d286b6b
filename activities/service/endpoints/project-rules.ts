// Steps 1 to 3: upload requirements, project fields and the values they may have (specification, Endpoints,
// document management). Reads; they may be repeated at will.
import { z } from 'zod';
import { type Endpoint, type PageQuery, READ } from '../endpoint';
import { inData, pageValues, wireFlag, wireId, wireKind, wireList, wireText, wireTextOrEmpty } from './wire';

export interface ProjectParams {
  readonly companyId: string;
  readonly projectId: string;
}

/** Field types of the specification and the service's public documentation; what is new reads as `other`. */
export const FIELD_TYPES = [
  'lov_entry',
  'lov_entries',
  'reference',
  'string',
  'rich_text',
  'numeric',
  'timestamp',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number] | 'other';

/** Labels go into reasons and histories, a hundred times a batch. */
const MOST_LABEL_CHARS = 200;

const fieldType = wireKind(FIELD_TYPES).transform((kind): FieldType => kind ?? 'other');

const fieldRef = z
  .object({ id: wireId, name: wireTextOrEmpty, label: wireTextOrEmpty, type: fieldType })
  .transform(ref => ({ ...ref, label: toShownLabel(ref.label || ref.name) }));

const listedValue = z
  .object({ id: wireId, code: wireText, label: wireText, active: wireFlag(true) })
  .transform(value => ({ ...value, label: value.label ?? value.code ?? value.id }));
/** An entry of a value list. Only active ones are accepted by the service. */
export type ListedValue = z.output<typeof listedValue>;

const ruleQualifier = z
  .object({
    type: wireText,
    field: z.object({ id: wireId, name: wireTextOrEmpty, label: wireTextOrEmpty }),
    acceptable_values: wireList(listedValue),
  })
  .transform(({ type, field, acceptable_values }) => ({ type, field, acceptableValues: acceptable_values }));

const uploadRequirement = z
  .object({
    id: wireId,
    updated_at: wireText,
    naming_standard: z
      .object({ id: wireId, name: wireTextOrEmpty, fields: wireList(fieldRef), updated_at: wireText })
      .nullish()
      .transform(standard =>
        standard
          ? { id: standard.id, name: standard.name, fields: standard.fields, updatedAt: standard.updated_at }
          : null,
      ),
    additional_required_fields: wireList(fieldRef),
    fields_required_by_project: wireList(fieldRef),
    rule_qualifiers: wireList(ruleQualifier),
    // Absent is taken for allowed: if the service forbids a second revision of the same value, it says so
    // itself.
    allow_duplicate_revisions: wireFlag(true),
  })
  .transform(requirement => ({
    id: requirement.id,
    updatedAt: requirement.updated_at,
    namingStandard: requirement.naming_standard,
    additionalRequiredFields: requirement.additional_required_fields,
    fieldsRequiredByProject: requirement.fields_required_by_project,
    ruleQualifiers: requirement.rule_qualifiers,
    allowDuplicateRevisions: requirement.allow_duplicate_revisions,
  }));
/** Step 1. An empty `ruleQualifiers` marks the default requirement. */
export type UploadRequirement = z.output<typeof uploadRequirement>;

const projectField = z
  .object({
    id: wireId,
    name: wireTextOrEmpty,
    label: wireTextOrEmpty,
    description: wireText,
    position: wireText,
    active: wireFlag(true),
    visible: wireFlag(true),
    readonly: wireFlag(false),
    type: fieldType,
    variant: wireText,
  })
  .transform(({ readonly, ...field }) => ({
    ...field,
    label: toShownLabel(field.label || field.name),
    isReadonly: readonly,
  }));
/** Step 2. */
export type ProjectField = z.output<typeof projectField>;

const REQUIREMENTS =
  '/rest/v2.0/companies/{companyId}/projects/{projectId}/document_management/upload_requirements';
const FIELDS = '/rest/v2.0/companies/{companyId}/projects/{projectId}/document_management/fields';
const VALUES = `${FIELDS}/{field}/values`;

/** Step 1: all requirements of the project. */
export const listRequirements: Endpoint<ProjectParams, PageQuery, undefined, readonly UploadRequirement[]> = {
  name: 'requirements.list',
  ...READ,
  path: REQUIREMENTS,
  query: pageValues,
  response: inData(z.array(uploadRequirement)),
};

/** Step 2: the fields a user may set; inactive, invisible and readonly ones among them. */
export const listFields: Endpoint<ProjectParams, PageQuery, undefined, readonly ProjectField[]> = {
  name: 'fields.list',
  ...READ,
  path: FIELDS,
  query: pageValues,
  response: inData(z.array(projectField)),
};

export interface FieldParams extends ProjectParams {
  /** The field's ULID or its name. */
  readonly field: string;
}

/** Step 3: values of one field, `keyword` filtering by name. Empty for fields whose values are users. */
export const listFieldValues: Endpoint<
  FieldParams,
  PageQuery & { readonly keyword?: string | undefined },
  undefined,
  readonly ListedValue[]
> = {
  name: 'field-values.list',
  ...READ,
  path: VALUES,
  query: query => ({ ...pageValues(query), keyword: query.keyword }),
  response: inData(z.array(listedValue)),
};

/** A label as it is shown and kept. */
export function toShownLabel(label: string): string {
  return label.slice(0, MOST_LABEL_CHARS);
}
