/** An upload becomes a permanent revision: it is consumed, and a container gets its next version. */
import type {
  ContainerWorkflow,
  DocumentContainer,
  DocumentRevision,
  DocumentUpload,
  Project,
} from '../entities';
import type { World } from '../world';
import { matchCriteria, textOf } from './upload-fields';

/** The end of the container's workflow, asked for by the submission. */
export interface Termination {
  reason: string;
  statusId: string;
}

/** The container this upload would go to, if there is one already. */
export function containerOf(
  world: World,
  project: Project,
  upload: DocumentUpload,
): DocumentContainer | undefined {
  return world.containerFor(project.id, matchCriteria(project, upload));
}

/** Makes the revision; everything was checked before. `by` is the user who submits. */
export function makeRevision(
  world: World,
  project: Project,
  upload: DocumentUpload,
  by: number,
  termination?: Termination,
): DocumentRevision {
  const criteria = matchCriteria(project, upload);
  const container = world.containerFor(project.id, criteria) ?? world.createContainer(project.id, criteria);
  const workflow = container.workflow;
  if (workflow !== undefined && termination !== undefined) endWorkflow(world, project, workflow, termination);
  const file = world.files.get(upload.fileUploadId ?? '');
  const named = project.fields
    .filter(field => (upload.fields[field.id]?.values.length ?? 0) > 0)
    .map(field => [field.name, upload.fields[field.id]?.values ?? []] as const);
  const revision: DocumentRevision = {
    id: world.newId(),
    projectId: project.id,
    containerId: container.id,
    uploadId: upload.id,
    fileName: upload.fileName,
    name: textOf(project, upload, 'name'),
    revision: textOf(project, upload, 'revision'),
    version: container.revisionIds.length + 1,
    sha256: file?.receivedSha256 ?? '',
    sizeBytes: file?.sizeBytes ?? 0,
    submittedBy: by,
    createdAt: world.now(),
    fields: Object.fromEntries(named),
    status: textOf(project, upload, 'status'),
  };
  world.revisions.put(revision);
  world.revisionNames.add(revision);
  const rest: DocumentContainer = { ...container, revisionIds: [...container.revisionIds, revision.id] };
  if (termination !== undefined) delete rest.workflow;
  world.containers.put(rest);
  world.uploads.put({ ...upload, presence: 'consumed', revisionId: revision.id });
  return revision;
}

/** A person's earlier revision, so that a container can have a history and an active workflow. */
export function plantRevision(
  world: World,
  project: Project,
  input: { name: string; mimeType: string; revision: string; by: number },
): DocumentContainer {
  const criteria = `${input.name}|${input.mimeType}`;
  const container = world.containerFor(project.id, criteria) ?? world.createContainer(project.id, criteria);
  const revision = world.revisions.put({
    id: world.newId(),
    projectId: project.id,
    containerId: container.id,
    uploadId: null,
    fileName: input.name,
    name: input.name,
    revision: input.revision,
    version: container.revisionIds.length + 1,
    sha256: '',
    sizeBytes: 0,
    submittedBy: input.by,
    createdAt: world.now(),
    fields: {},
    status: '',
  });
  return world.containers.put({ ...container, revisionIds: [...container.revisionIds, revision.id] });
}

/** Whether the container holds this revision value. */
export function holdsRevision(world: World, container: DocumentContainer, revision: string): boolean {
  return container.revisionIds.some(id => world.revisions.get(id)?.revision === revision);
}

function endWorkflow(
  world: World,
  project: Project,
  workflow: ContainerWorkflow,
  termination: Termination,
): void {
  const revision = world.revisions.get(workflow.revisionId);
  if (revision === undefined) return;
  const statuses = project.fields.find(({ name }) => name === 'status')?.values ?? [];
  const status = statuses.find(({ id }) => id === termination.statusId)?.label ?? '';
  world.revisions.put({ ...revision, status, terminationReason: termination.reason });
}
