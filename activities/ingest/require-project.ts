// Whether the service knows a project at all: where it does not, a 404 of anything below it says nothing.
import type { ProjectRef } from '../../workflows/contract';
import { listFields } from '../service/endpoints/project-rules';
import { isServiceError, MisconfiguredError } from '../service/errors';
import type { Sender } from '../service/service-client';
import { inProject } from './documents';

/** @throws MisconfiguredError where it answers 404: for all documents of the project alike. */
export async function requireProject(
  client: Sender,
  { project }: { readonly project: ProjectRef },
  signal: AbortSignal,
): Promise<void> {
  await ofKnownProject(project, async () => {
    await client.send(listFields, { ...inProject(project), query: { perPage: 1 }, signal });
  });
}

/** Has a 404 of `ask`, which asks for something of the project itself, told as that of the project. */
export async function ofKnownProject<Result>(
  project: ProjectRef,
  ask: () => Promise<Result>,
): Promise<Result> {
  try {
    return await ask();
  } catch (error: unknown) {
    if (!isServiceError(error) || error.code !== 'NOT_FOUND') throw error;
    throw new MisconfiguredError(
      `The service knows no project ${project.projectId} of company ${project.companyId} (404), which the share is configured for. See whether project.projectId and project.companyId of the share are right, and the service's address belongs to them.`,
      { effect: 'not-sent', route: error.route, status: error.status, cause: error },
    );
  }
}
