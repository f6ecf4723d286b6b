/** Steps 1 to 3: requirements, fields, values. */
import { USER_VARIANTS } from '../content/fields';
import type { NamingStandard, Project, ProjectField, UploadRequirement } from '../entities';
import { refusal } from '../http/answer';
import { DOCUMENT_PAGES, pageAnswer } from '../http/pages';
import type { Route } from '../http/route';
import { requireProject } from '../rules/access';
import { fieldNamed } from '../rules/upload-fields';

const DM = '/rest/v2.0/companies/:company/projects/:project/document_management';

export const lookupRoutes: readonly Route[] = [
  {
    key: 'requirements.list',
    origin: 'api',
    method: 'GET',
    path: `${DM}/upload_requirements`,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const project = requireProject(world, request);
      const rows = project.requirements.map(requirement => wireRequirement(project, requirement));
      return pageAnswer(rows, request, world, DOCUMENT_PAGES, data => ({ data }));
    },
  },
  {
    key: 'fields.list',
    origin: 'api',
    method: 'GET',
    path: `${DM}/fields`,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const rows = requireProject(world, request).fields.map(wireField);
      return pageAnswer(rows, request, world, DOCUMENT_PAGES, data => ({ data }));
    },
  },
  {
    key: 'field-values.list',
    origin: 'api',
    method: 'GET',
    path: `${DM}/fields/:field/values`,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const project = requireProject(world, request);
      const field = project.fields.find(
        ({ id, name }) => id === request.params.field || name === request.params.field,
      );
      if (field === undefined) throw refusal(404, 'NOT_FOUND', 'There is no such field');
      // By name, the specification says: a code finds nothing.
      const keyword = (request.query.get('keyword') ?? '').toLowerCase();
      const values = USER_VARIANTS.has(field.variant) ? [] : field.values;
      const rows = values
        .filter(({ label }) => label.toLowerCase().includes(keyword))
        .map(value => ({ ...value, tags: [] }));
      return pageAnswer(rows, request, world, DOCUMENT_PAGES, data => ({ data }));
    },
  },
];

function wireField(field: ProjectField, index: number): Record<string, unknown> {
  return {
    id: field.id,
    name: field.name,
    label: field.label,
    description: field.description,
    position: String(index + 1),
    active: field.active,
    visible: field.visible,
    readonly: field.readonly,
    can_affect_permissions: false,
    type: field.type,
    variant: field.variant,
    ...(field.customDefinitionId === undefined
      ? {}
      : { custom_field_definition_id: field.customDefinitionId }),
  };
}

function wireRequirement(project: Project, requirement: UploadRequirement): Record<string, unknown> {
  return {
    id: requirement.id,
    updated_at: requirement.updatedAt,
    ...(project.namingStandard === undefined
      ? {}
      : { naming_standard: wireStandard(project.namingStandard) }),
    additional_required_fields: requirement.additional.map(name => reference(project, name)),
    fields_required_by_project: requirement.requiredByProject.map(name => reference(project, name)),
    rule_qualifiers: requirement.qualifiers.map(({ fieldName, valueIds }) => {
      const field = fieldNamed(project, fieldName);
      return {
        type: field?.type,
        field: { id: field?.id, name: field?.name, label: field?.label },
        acceptable_values: (field?.values ?? []).filter(({ id }) => valueIds.includes(id)),
      };
    }),
    allow_duplicate_revisions: requirement.allowDuplicateRevisions,
  };
}

function wireStandard({ id, name, parts, updatedAt }: NamingStandard): Record<string, unknown> {
  return { id, name, fields: parts, updated_at: updatedAt };
}

function reference(project: Project, name: string): Record<string, unknown> {
  const field = fieldNamed(project, name);
  return { id: field?.id, name, label: field?.label, type: field?.type };
}
