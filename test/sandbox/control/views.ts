/** Records as the control port shows them: complete, readable, and without a secret. */
import { USER_VARIANTS } from '../content/fields';
import type { DocumentRevision, DocumentUpload, FileUpload, Project } from '../entities';
import { fileState } from '../rules/file-state';
import { settleProcessing } from '../rules/processing';
import { isValid } from '../rules/tokens';
import type { World } from '../world';
import type { SandboxFile, SandboxRevision, SandboxTokens, SandboxUpload } from './protocol';

export function viewRevision(world: World, revision: DocumentRevision): SandboxRevision {
  const project = world.projects.get(revision.projectId);
  const { id, projectId, containerId, uploadId, fileName, name, version, sha256, sizeBytes, submittedBy } =
    revision;
  return {
    id,
    projectId,
    containerId,
    uploadId,
    fileName,
    name,
    revision: revision.revision,
    version,
    sha256,
    sizeBytes,
    submittedBy,
    status: revision.status,
    ...(revision.terminationReason === undefined ? {} : { terminationReason: revision.terminationReason }),
    fields: Object.fromEntries(
      Object.entries(revision.fields).map(([field, values]) => [field, readable(project, field, values)]),
    ),
  };
}

export function viewUpload(world: World, upload: DocumentUpload): SandboxUpload {
  settleProcessing(world, upload);
  const project = world.projects.get(upload.projectId);
  const fields = (project?.fields ?? []).flatMap(field => {
    const stored = upload.fields[field.id];
    if (stored === undefined) return [];
    return [
      [field.name, { values: readable(project, field.name, stored.values), source: stored.source }] as const,
    ];
  });
  return {
    id: upload.id,
    projectId: upload.projectId,
    fileName: upload.fileName,
    mimeType: upload.mimeType,
    status: upload.status,
    presence: upload.presence,
    fileUploadId: upload.fileUploadId ?? null,
    latestEventId: upload.latestEventId,
    revisionId: upload.revisionId ?? null,
    analysis: upload.analysis.status,
    scraping: upload.scraping.status,
    fields: Object.fromEntries(fields),
  };
}

export function viewFile(world: World, file: FileUpload): SandboxFile {
  return {
    id: file.id,
    projectId: file.projectId,
    fileName: file.fileName,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
    state: fileState(world, file),
    segments: file.segments.length,
    segmentsReceived: file.segments.filter(({ etag }) => etag !== undefined).length,
    linkedTo: file.linkedTo ?? null,
  };
}

export function viewTokens(world: World): SandboxTokens {
  const valid = [...world.credentials.values()].filter(credential => isValid(world, credential));
  return {
    logins: [...world.logins.values()].map(({ id, grant, userId, revoked }) => ({
      id,
      grant,
      userId,
      revoked,
    })),
    validAccessTokens: valid.filter(({ kind }) => kind === 'access').length,
    validRefreshTokens: valid.filter(({ kind }) => kind === 'refresh').length,
  };
}

function readable(project: Project | undefined, fieldName: string, values: readonly string[]): string[] {
  const field = project?.fields.find(({ name }) => name === fieldName);
  if (field === undefined || USER_VARIANTS.has(field.variant)) return [...values];
  return values.map(value => field.values.find(({ id }) => id === value)?.label ?? value);
}
