/** Carries out what the control port asks people to do to a project. */
import type { z } from 'zod';
import { DEFAULT_USERS } from '../defaults';
import type { DocumentUpload, FieldValue, Project, ProjectField } from '../entities';
import { contentId } from '../identifiers';
import { makeRevision, plantRevision } from '../rules/make-revision';
import { settleProcessing } from '../rules/processing';
import { moveEvent, setField, whyUnacceptable } from '../rules/upload-fields';
import type { World } from '../world';
import type { projectEditSchema } from './protocol';

type Edit = z.output<typeof projectEditSchema>;

/** An edit that cannot be carried out; the message says why. */
export class ImpossibleEdit extends Error {
  override readonly name = 'ImpossibleEdit';
}

/** Applies one edit; throws ImpossibleEdit and changes nothing when it names what does not exist. */
export function applyEdit(world: World, project: Project, edit: Edit): void {
  let uploadId: string | undefined;
  switch (edit.kind) {
    case 'permissions': {
      const { kind: _, ...given } = edit;
      const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      world.projects.put({ ...project, permissions: { ...project.permissions, ...changed } });
      break;
    }
    case 'configured':
      world.projects.put({ ...project, configured: edit.configured });
      break;
    case 'set-requirement':
      setRequirement(world, project, edit);
      break;
    case 'add-value':
    case 'set-value-active':
    case 'add-field':
    case 'set-field':
      editFields(project, edit);
      world.projects.put(project);
      break;
    case 'start-workflow':
    case 'end-workflow':
    case 'add-revision':
      editDocument(world, project, edit);
      break;
    case 'edit-upload':
    case 'delete-upload':
    case 'submit-upload':
      uploadId = editUpload(world, project, edit);
      break;
  }
  const { kind, ...detail } = edit;
  world.log.record({
    kind: 'effect',
    route: 'person',
    request: 0,
    what: kind,
    detail: { projectId: project.id, ...detail, ...(uploadId === undefined ? {} : { uploadId }) },
  });
}

function editFields(
  project: Project,
  edit: Extract<Edit, { kind: 'add-value' | 'set-value-active' | 'add-field' | 'set-field' }>,
): void {
  if (edit.kind === 'add-field') {
    project.fields.push({
      id: contentId(`${project.id}/added-field/${edit.name}`),
      name: edit.name,
      label: edit.label,
      type: edit.type,
      variant: edit.type === 'lov_entry' ? 'single_select' : edit.type,
      description: edit.label,
      active: true,
      visible: true,
      readonly: false,
      customDefinitionId: contentId(`${project.id}/added-definition/${edit.name}`),
      values: [],
    });
    return;
  }
  const field = requireField(project, edit.field);
  if (edit.kind === 'add-value') {
    const id = contentId(`${project.id}/added-value/${field.name}/${edit.code}`);
    field.values.push({ id, code: edit.code, label: edit.label, active: edit.active });
  } else if (edit.kind === 'set-value-active') requireValue(field, edit.code).active = edit.active;
  else {
    field.label = edit.label ?? field.label;
    field.active = edit.active ?? field.active;
    field.visible = edit.visible ?? field.visible;
    field.readonly = edit.readonly ?? field.readonly;
  }
}

function setRequirement(
  world: World,
  project: Project,
  edit: Extract<Edit, { kind: 'set-requirement' }>,
): void {
  for (const name of edit.additional) requireField(project, name);
  const qualifiers = edit.qualifiers.map(({ field: fieldName, codes }) => {
    const field = requireField(project, fieldName);
    return { fieldName, valueIds: codes.map(code => requireValue(field, code).id) };
  });
  const key = JSON.stringify(qualifiers);
  const known = project.requirements.find(requirement => JSON.stringify(requirement.qualifiers) === key);
  const requirement = {
    id: known?.id ?? contentId(`${project.id}/requirement/${key}`),
    updatedAt: new Date(world.now()).toISOString(),
    qualifiers,
    requiredByProject: ['name', 'type', 'status', 'revision'],
    additional: edit.additional,
    allowDuplicateRevisions: edit.allowDuplicateRevisions,
  };
  const others = project.requirements.filter(({ id }) => id !== requirement.id);
  world.projects.put({ ...project, requirements: [...others, requirement] });
}

function editDocument(
  world: World,
  project: Project,
  edit: Extract<Edit, { kind: 'start-workflow' | 'end-workflow' | 'add-revision' }>,
): void {
  const known = world.containerFor(project.id, `${edit.name}|${edit.mimeType}`);
  if (edit.kind === 'end-workflow') {
    if (known?.workflow === undefined) throw new ImpossibleEdit(`${edit.name} has no active workflow`);
    const { workflow: _, ...rest } = known;
    world.containers.put(rest);
    return;
  }
  const plant = () =>
    plantRevision(world, project, {
      name: edit.name,
      mimeType: edit.mimeType,
      revision: edit.revision,
      by: DEFAULT_USERS.colleague,
    });
  if (edit.kind === 'add-revision') {
    plant();
    return;
  }
  const container = known ?? plant();
  const workflow = {
    instanceId: world.newId(),
    revisionId: container.revisionIds.at(-1) ?? '',
    name: edit.workflow,
    currentStep: edit.step,
  };
  world.containers.put({ ...container, workflow });
}

/** Answers the upload it was about. */
function editUpload(
  world: World,
  project: Project,
  edit: Extract<Edit, { kind: 'edit-upload' | 'delete-upload' | 'submit-upload' }>,
): string {
  const upload = requireUpload(world, project, edit);
  settleProcessing(world, upload);
  if (edit.kind === 'delete-upload') {
    world.uploads.put({ ...upload, presence: 'deleted' });
    return upload.id;
  }
  if (edit.kind === 'submit-upload') {
    if (upload.status !== 'COMPLETED') throw new ImpossibleEdit('only a COMPLETED upload can be submitted');
    makeRevision(world, project, upload, DEFAULT_USERS.colleague);
    return upload.id;
  }
  const field = requireField(project, edit.field);
  const values = edit.values.map(value => field.values.find(({ code }) => code === value)?.id ?? value);
  const problem = whyUnacceptable(project, field, values);
  if (problem !== null) throw new ImpossibleEdit(problem);
  setField(upload, field.id, values, 'MANUAL');
  moveEvent(world, upload);
  return upload.id;
}

/** By id, or the latest one of that file name that is still there. */
function requireUpload(
  world: World,
  project: Project,
  { uploadId, fileName }: { uploadId?: string | undefined; fileName?: string | undefined },
): DocumentUpload {
  const found = [...world.uploads.values()].filter(
    ({ id, projectId, presence, ...upload }) =>
      projectId === project.id && presence === 'present' && (id === uploadId || upload.fileName === fileName),
  );
  const upload = found.at(-1);
  if (upload === undefined) throw new ImpossibleEdit('there is no such upload');
  return upload;
}

function requireField(project: Project, name: string): ProjectField {
  const field = project.fields.find(known => known.name === name);
  if (field === undefined) throw new ImpossibleEdit(`there is no field ${name}`);
  return field;
}

function requireValue(field: ProjectField, code: string): FieldValue {
  const value = field.values.find(known => known.code === code);
  if (value === undefined) throw new ImpossibleEdit(`the field ${field.name} has no value ${code}`);
  return value;
}
