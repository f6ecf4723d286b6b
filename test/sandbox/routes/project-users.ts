/** Project users: list, show, remove, add (without the envelope of document management). */
import { z } from 'zod';
import { companyUsers, PERMISSION_TEMPLATES } from '../content/users';
import type { ProjectUser } from '../entities';
import { plainError, Refusal } from '../http/answer';
import { listOf } from '../http/loose-values';
import { GENERAL_PAGES, pageAnswer } from '../http/pages';
import type { Route } from '../http/route';
import { requirePlainProject } from '../rules/access';
import { checkPlainBody } from '../rules/plain-body';

const USERS = '/rest/v1.0/projects/:project/users';

const addition = z.strictObject({ user: z.strictObject({ permission_template_id: z.number().int() }) });

export const projectUserRoutes: readonly Route[] = [
  {
    key: 'users.list',
    origin: 'api',
    method: 'GET',
    path: USERS,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const { query } = request;
      const search = (query.get('filters[search]') ?? '').toLowerCase();
      const ids = listOf(query, 'id');
      const templates = listOf(query, 'permission_template');
      const view = query.get('view') ?? 'normal';
      if (view !== 'normal' && view !== 'compact') throw new Refusal(plainError(400, `view: not ${view}`));
      const rows = requirePlainProject(world, request)
        .users.filter(user => ids.length === 0 || ids.includes(String(user.id)))
        .filter(user => templates.length === 0 || templates.includes(String(user.templateId)))
        .filter(user => `${user.firstName} ${user.lastName}\n${user.email}`.toLowerCase().includes(search))
        .map(view === 'compact' ? wireCompactUser : wireUser);
      return pageAnswer(rows, request, world, GENERAL_PAGES, users => users);
    },
  },
  {
    key: 'users.show',
    origin: 'api',
    method: 'GET',
    path: `${USERS}/:user`,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const users = requirePlainProject(world, request).users;
      const user = users.find(({ id }) => String(id) === request.params.user);
      if (user === undefined) throw new Refusal(plainError(404, 'There is no such user'));
      return { status: 200, json: wireUser(user) };
    },
  },
  {
    key: 'users.remove',
    origin: 'api',
    method: 'DELETE',
    path: `${USERS}/:user/actions/remove`,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const project = requirePlainProject(world, request);
      const users = project.users.filter(({ id }) => String(id) !== request.params.user);
      if (users.length === project.users.length) {
        throw new Refusal(plainError(404, 'The user is not in the project'));
      }
      world.projects.put({ ...project, users });
      const detail = { project: project.id, user: request.params.user };
      world.log.record({
        kind: 'effect',
        route: 'users.remove',
        request: request.number,
        what: 'user-removed',
        detail,
      });
      return { status: 204 };
    },
  },
  {
    key: 'users.add',
    origin: 'api',
    method: 'POST',
    path: `${USERS}/:user/actions/add`,
    access: 'company',
    body: 'json',
    handle(request, world) {
      const project = requirePlainProject(world, request);
      const { user: wanted } = checkPlainBody(addition, request.body);
      const user = companyUsers().find(({ id }) => String(id) === request.params.user);
      if (user === undefined) throw new Refusal(plainError(404, 'The company has no such user'));
      if (project.users.some(({ id }) => id === user.id)) {
        throw new Refusal(plainError(400, 'The user is in the project already'));
      }
      const templateId = wanted.permission_template_id;
      if (PERMISSION_TEMPLATES[templateId] === undefined) {
        throw new Refusal(plainError(400, 'There is no such permission template'));
      }
      const added = { ...user, templateId };
      world.projects.put({ ...project, users: [...project.users, added] });
      const detail = { project: project.id, user: user.id, template: templateId };
      world.log.record({
        kind: 'effect',
        route: 'users.add',
        request: request.number,
        what: 'user-added',
        detail,
      });
      // Answered is the company's record, which names no template of the project.
      const { permission_template: _, ...company } = wireUser(added);
      return { status: 201, json: company };
    },
  },
];

function wireCompactUser({ id, firstName, lastName }: ProjectUser): Record<string, unknown> {
  return { id, name: `${firstName} ${lastName}`, first_name: firstName, last_name: lastName };
}

function wireUser(user: ProjectUser): Record<string, unknown> {
  return {
    id: user.id,
    name: `${user.firstName} ${user.lastName}`,
    first_name: user.firstName,
    last_name: user.lastName,
    email_address: user.email,
    is_active: true,
    permission_template: { id: user.templateId, name: PERMISSION_TEMPLATES[user.templateId] ?? '' },
  };
}
