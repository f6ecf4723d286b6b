/** Why an upload cannot be submitted: the request-level reasons of Step 8 (specification, Errors). */
import type { DocumentContainer, DocumentUpload, Project } from '../entities';
import type { World } from '../world';
import { applicableRequirement, missingFields } from './applicable-requirement';
import { containerOf, holdsRevision } from './make-revision';
import { fieldNamed, matchCriteria, textOf } from './upload-fields';

export interface Objection {
  reasonCode:
    | 'UPLOAD_NOT_FOUND'
    | 'PERMISSION_DENIED'
    | 'FILE_KEY_MISMATCH'
    | 'INVALID_INPUT'
    | 'DUPLICATE_REVISION'
    | 'WORKFLOW_CONFLICT'
    | 'WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION';
  message: string;
  detail?: Record<string, unknown>;
}

/**
 * The first objection to one upload, or null. `revisionsAsked` collects container and revision of the uploads
 * that came before in the same request, for two of them can be duplicates of each other.
 */
export function objectionTo(
  world: World,
  project: Project,
  upload: DocumentUpload | undefined,
  terminates: boolean,
  revisionsAsked: Set<string>,
): Objection | null {
  if (!project.permissions.submit)
    return { reasonCode: 'PERMISSION_DENIED', message: 'Submit New Files is missing' };
  if (upload?.projectId !== project.id || upload.presence !== 'present') {
    return { reasonCode: 'UPLOAD_NOT_FOUND', message: 'There is no such upload' };
  }
  if (upload.status !== 'COMPLETED' || upload.fileUploadId === undefined) {
    return { reasonCode: 'FILE_KEY_MISMATCH', message: 'No binary file is associated with the upload' };
  }
  const missing = missingFields(project, upload).map(name => fieldNamed(project, name)?.label ?? name);
  if (missing.length > 0) {
    return { reasonCode: 'INVALID_INPUT', message: `Required metadata is missing: ${missing.join(', ')}` };
  }
  const container = containerOf(world, project, upload);
  return (
    duplicateObjection(world, project, upload, container, revisionsAsked) ??
    (container === undefined ? null : workflowObjection(world, project, container, terminates))
  );
}

function duplicateObjection(
  world: World,
  project: Project,
  upload: DocumentUpload,
  container: DocumentContainer | undefined,
  revisionsAsked: Set<string>,
): Objection | null {
  const revision = textOf(project, upload, 'revision');
  const key = `${matchCriteria(project, upload)}\n${revision}`;
  const exists =
    revisionsAsked.has(key) || (container !== undefined && holdsRevision(world, container, revision));
  revisionsAsked.add(key);
  if (!exists || applicableRequirement(project, upload).allowDuplicateRevisions) return null;
  return { reasonCode: 'DUPLICATE_REVISION', message: `Revision ${revision} exists in its container` };
}

function workflowObjection(
  world: World,
  project: Project,
  container: DocumentContainer,
  terminates: boolean,
): Objection | null {
  const { workflow } = container;
  if (workflow === undefined) return null;
  const mayTerminate = project.permissions.terminateWorkflows;
  if (terminates && mayTerminate) return null;
  if (!mayTerminate && (terminates || world.settings.insufficientPermissionAt === 'first-try')) {
    return {
      reasonCode: 'WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION',
      message: 'Only a project admin or the workflow manager can terminate the existing workflow',
    };
  }
  const revision = world.revisions.get(workflow.revisionId);
  return {
    reasonCode: 'WORKFLOW_CONFLICT',
    message: 'Existing revisions have active workflows',
    detail: {
      document_container_id: container.id,
      existing_revisions_with_workflows: [
        {
          id: workflow.revisionId,
          name: revision?.name ?? '',
          revision: revision?.revision ?? '',
          workflow_instance_id: workflow.instanceId,
          assigned_workflow: workflow.name,
          workflow_current_step: workflow.currentStep,
          status: revision?.status ?? '',
        },
      ],
      conflicting_uploads_with_workflow: [],
    },
  };
}
