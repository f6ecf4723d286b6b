// Users of a project: the values of user-reference fields (specification, Steps 1 to 3 and Project users).
// v1.0: responses come without an envelope.
import { z } from 'zod';
import { CREATE, type Endpoint, type PageQuery, READ } from '../endpoint';
import { numericId } from './strict-values';
import { pageValues, wireFlag, wireId, wireNamed, wireText, wireTextOrEmpty } from './wire';

const projectUser = z
  .object({
    id: wireId,
    name: wireTextOrEmpty,
    first_name: wireTextOrEmpty,
    last_name: wireTextOrEmpty,
    email_address: wireText,
    is_active: wireFlag(true),
    permission_template: wireNamed,
  })
  .transform(user => ({
    id: user.id,
    name: user.name || `${user.first_name} ${user.last_name}`.trim(),
    firstName: user.first_name,
    lastName: user.last_name,
    email: user.email_address,
    isActive: user.is_active,
    permissionTemplate: user.permission_template,
  }));
/** How much of it is filled depends on the caller's rights; the id goes as text into a field's `values`. */
export type ProjectUser = z.output<typeof projectUser>;

export interface UsersParams {
  readonly projectId: string;
}

const USERS = '/rest/v1.0/projects/{projectId}/users';
const USER = `${USERS}/{userId}`;

/** `id` asks for one user only. */
export const listProjectUsers: Endpoint<
  UsersParams,
  PageQuery & { readonly id?: string },
  undefined,
  readonly ProjectUser[]
> = {
  name: 'users.list',
  ...READ,
  path: USERS,
  query: query => ({ ...pageValues(query), 'filters[id]': query.id }),
  response: z.array(projectUser),
};

export const showProjectUser: Endpoint<
  UsersParams & { readonly userId: string },
  undefined,
  undefined,
  ProjectUser
> = {
  name: 'users.show',
  ...READ,
  path: USER,
  response: projectUser,
};

/**
 * Takes a user out of the project only; nothing is deleted. 404: out already, so after a lost response it may
 * be sent again. Being `after-checking`, it is not cut half-way when the caller is cancelled.
 */
export const removeProjectUser: Endpoint<
  UsersParams & { readonly userId: string },
  undefined,
  undefined,
  unknown
> = {
  name: 'users.remove',
  method: 'DELETE',
  origin: 'api',
  path: `${USER}/actions/remove`,
  response: z.unknown(),
  responseForm: 'ignored',
  success: [204, 200],
  repeatable: 'after-checking',
};

/**
 * Adds a user of the company to the project with a permission template. The response is the company's record
 * and names no template. After a lost response look at the user first: nobody who is in the project can be
 * added again.
 */
export const addProjectUser: Endpoint<
  UsersParams & { readonly userId: string },
  undefined,
  { readonly templateId: string },
  { readonly id: string }
> = {
  name: 'users.add',
  ...CREATE,
  path: `${USER}/actions/add`,
  request: z
    .strictObject({
      templateId: numericId,
    })
    .transform(({ templateId }) => ({ user: { permission_template_id: templateId } })),
  response: z.object({ id: wireId }),
};
