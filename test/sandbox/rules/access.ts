/** Which project a request speaks of, and whether its caller may do that there. */
import type { Project } from '../entities';
import { plainError, Refusal, refusal } from '../http/answer';
import type { RouteRequest } from '../http/route';
import type { World } from '../world';

/**
 * The project of a document management request; 403 when the caller may not read it, 404 when there is none.
 */
export function requireProject(world: World, request: RouteRequest): Project {
  const project = world.projects.get(request.params.project ?? '');
  if (project === undefined || project.companyId !== request.params.company) {
    throw refusal(404, 'NOT_FOUND', 'There is no such project');
  }
  if (!project.permissions.read) throw accessDenied();
  return project;
}

/** The same for the older resources, which have no company in their path and another error format. */
export function requirePlainProject(world: World, request: RouteRequest): Project {
  return requireProjectById(world, request.params.project ?? '');
}

/** The same where the query or the body names the project. */
export function requireProjectById(world: World, id: string): Project {
  const project = world.projects.get(id);
  if (project === undefined) throw new Refusal(plainError(404, 'There is no such project'));
  if (!project.permissions.read) throw new Refusal(plainError(403, 'You may not read this project'));
  return project;
}

/** Needs the permission Upload New Files. */
export function requireUploadPermission(project: Project): void {
  if (!project.permissions.upload) throw accessDenied();
}

function accessDenied(): Refusal {
  return refusal(403, 'ACCESS_DENIED', 'The account lacks the permission');
}
