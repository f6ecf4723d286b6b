/** Reading and writing the field values of one upload. */
import { USER_VARIANTS } from '../content/fields';
import type { DocumentUpload, LabelSource, Project, ProjectField } from '../entities';
import type { World } from '../world';

/** The field of that name; the default content has all that the rules speak of. */
export function fieldNamed(project: Project, name: string): ProjectField | undefined {
  return project.fields.find(field => field.name === name);
}

/** Values of a field by name; empty when it has none. */
export function valuesOf(project: Project, upload: DocumentUpload, name: string): readonly string[] {
  const field = fieldNamed(project, name);
  return field === undefined ? [] : (upload.fields[field.id]?.values ?? []);
}

/** The value as people read it: the label of a list value, the text otherwise; '' when empty. */
export function textOf(project: Project, upload: DocumentUpload, name: string): string {
  const field = fieldNamed(project, name);
  const value = field === undefined ? undefined : upload.fields[field.id]?.values[0];
  if (field === undefined || value === undefined) return '';
  return field.values.find(({ id }) => id === value)?.label ?? value;
}

/** Sets a field; the caller puts the upload back and moves its event id. */
export function setField(
  upload: DocumentUpload,
  fieldId: string,
  values: readonly string[],
  source: LabelSource,
  confidence?: number,
): void {
  upload.fields[fieldId] = {
    values: [...values],
    source: values.length === 0 ? 'NONE' : source,
    ...(confidence === undefined ? {} : { confidence }),
  };
}

/**
 * Every write gives the upload another event id.
 * @param isOwn the service has written by itself, which nobody is told of
 */
export function moveEvent(world: World, upload: DocumentUpload, isOwn = false): void {
  const { latestEventId, shownEventIds = [], overtakenUnseen } = upload;
  const known = overtakenUnseen ?? (shownEventIds.at(-1) === latestEventId ? latestEventId : undefined);
  if (isOwn && known !== undefined) upload.overtakenUnseen = known;
  else delete upload.overtakenUnseen;
  upload.latestEventId = world.newId();
  world.uploads.put(upload);
}

/** By this the service puts documents into containers. */
export function matchCriteria(project: Project, upload: DocumentUpload): string {
  return `${textOf(project, upload, 'name')}|${upload.mimeType}`;
}

/** Why these values cannot be stored in the field, or null. */
export function whyUnacceptable(
  project: Project,
  field: ProjectField,
  values: readonly string[],
): string | null {
  if (field.readonly) return `${field.name} is readonly`;
  if (!field.active) return `${field.name} is not active`;
  if (field.type !== 'lov_entries' && field.type !== 'reference' && values.length > 1)
    return 'one value at most';
  if (field.variant === 'procore_user' && values.length > 1) return 'one value at most';
  for (const value of values) {
    const problem = whyWrong(project, field, value);
    if (problem !== null) return problem;
  }
  return null;
}

function whyWrong(project: Project, field: ProjectField, value: string): string | null {
  switch (field.type) {
    case 'numeric':
      return /^-?\d+(\.\d+)?$/.test(value) ? null : 'not a number';
    case 'timestamp':
      return isTimestamp(value) ? null : 'not an ISO 8601 timestamp';
    case 'string':
    case 'rich_text':
      return value === '' ? 'an empty text; send no value instead' : null;
    case 'reference':
      if (USER_VARIANTS.has(field.variant)) {
        return project.users.some(user => String(user.id) === value) ? null : 'not a user of this project';
      }
      return whyNotListed(field, value);
    case 'lov_entry':
    case 'lov_entries':
      return whyNotListed(field, value);
  }
}

function whyNotListed(field: ProjectField, value: string): string | null {
  const entry = field.values.find(({ id }) => id === value);
  if (entry === undefined) return `not a value id of ${field.name}`;
  return entry.active ? null : `the value ${value} of ${field.name} is not active`;
}

function isTimestamp(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  );
}
