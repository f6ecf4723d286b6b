/** Document Upload.Created and .Completed (specification, Document management events). */
import type { Project } from '../entities';
import type { RouteRequest } from '../http/route';
import type { Happening } from './emit';

/** `update` is the one event there is for an upload that becomes COMPLETED. */
export function documentUpload(
  project: Project,
  uploadId: string,
  type: 'create' | 'update',
  { caller }: RouteRequest,
): Happening {
  return {
    resource: 'Document Upload',
    type,
    resourceId: uploadId,
    companyId: project.companyId,
    projectId: project.id,
    userId: caller.userId,
  };
}
