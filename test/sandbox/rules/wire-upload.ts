/** Uploads as the service shows them (specification, Step 7, and the bulk read). */
import { USER_VARIANTS } from '../content/fields';
import type { DocumentUpload, Processing, Project, ProjectField, StoredField } from '../entities';
import type { World } from '../world';
import { matchCriteria } from './upload-fields';

/** Keys that Step 7 and the bulk read have in common. */
export function wireUpload(world: World, project: Project, upload: DocumentUpload): Record<string, unknown> {
  return {
    id: upload.id,
    file_locked: upload.fileLocked,
    upload_status: upload.status,
    fields: project.fields.map(field => wireField(project, field, upload.fields[field.id])),
    integration_statuses: {
      ml: wireProcessing(world, upload.analysis),
      filename_scraping: wireProcessing(world, upload.scraping),
    },
    latest_event_id: show(world, upload),
  };
}

/** Event ids that a reading has told; the newest are enough to know one by. */
const SHOWN_EVENT_IDS = 50;

function show(world: World, upload: DocumentUpload): string {
  const { latestEventId, shownEventIds = [] } = upload;
  if (shownEventIds.includes(latestEventId)) return latestEventId;
  upload.shownEventIds = [...shownEventIds, latestEventId].slice(-SHOWN_EVENT_IDS);
  delete upload.overtakenUnseen;
  world.uploads.put(upload);
  return latestEventId;
}

/** An element of the bulk read and of the list. */
export function wireListedUpload(
  world: World,
  project: Project,
  upload: DocumentUpload,
): Record<string, unknown> {
  const criteria = matchCriteria(project, upload);
  return {
    ...wireUpload(world, project, upload),
    match_criteria: criteria,
    document_container_id: world.containerFor(project.id, criteria)?.id ?? null,
    upload_completed_at: upload.completedAt === undefined ? null : new Date(upload.completedAt).toISOString(),
  };
}

function wireField(
  project: Project,
  field: ProjectField,
  stored: StoredField | undefined,
): Record<string, unknown> {
  return {
    id: field.id,
    name: field.name,
    type: field.type,
    values: (stored?.values ?? []).map(value => wireValue(project, field, value)),
    label_source: stored?.source ?? 'NONE',
    label: field.label,
    description: field.description,
    ...(stored?.confidence === undefined ? {} : { confidence_score: stored.confidence }),
  };
}

function wireValue(project: Project, field: ProjectField, value: string): Record<string, unknown> {
  if (field.type === 'lov_entry' || field.type === 'lov_entries') {
    const entry = field.values.find(({ id }) => id === value);
    return {
      id: value,
      code: entry?.code ?? '',
      label: entry?.label ?? '',
      active: entry?.active ?? false,
      tags: [],
    };
  }
  if (field.type !== 'reference') return { label: value };
  if (USER_VARIANTS.has(field.variant)) {
    const user = project.users.find(({ id }) => String(id) === value);
    return { id: value, code: '', label: user === undefined ? '' : `${user.firstName} ${user.lastName}` };
  }
  const entry = field.values.find(({ id }) => id === value);
  return { id: value, code: entry?.code ?? '', label: entry?.label ?? '' };
}

/** Before completion nothing has begun, which the service calls not applicable. */
function wireProcessing(world: World, { status }: Processing): unknown {
  const word = status === 'not_started' ? 'not_applicable' : status;
  return world.settings.statusShape === 'word' ? word : { status: word };
}
