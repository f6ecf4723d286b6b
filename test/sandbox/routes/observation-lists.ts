/** What an observation can be and who may have it. */

import type { Project, ProjectUser } from '../entities';
import { refusePlainly } from '../http/loose-values';
import { GENERAL_PAGES, pageAnswer } from '../http/pages';
import type { Route, RouteRequest } from '../http/route';
import {
  DEFAULT_DISTRIBUTION,
  LAST_ASSIGNEE,
  OBSERVATION_TYPES,
  REQUIRED_FIELDS,
} from '../observations/content';
import { requireProjectById } from '../rules/access';

const BASE = '/rest/v1.0/observations';

export const observationListRoutes: readonly Route[] = [
  list('observationTypes.list', '/types', () => OBSERVATION_TYPES.map(wireType)),
  list('observationFieldSets.list', '/category_configurable_field_sets', () =>
    [...new Set(OBSERVATION_TYPES.map(({ category }) => category))].map((category, index) => ({
      id: 2201 + index,
      category,
      configurable_field_set: {
        id: 2301 + index,
        name: `${category} fields`,
        category,
        fields: Object.fromEntries(
          ['description', 'assignee_id', 'due_date'].map(name => [
            name,
            { visible: true, required: (REQUIRED_FIELDS[category] ?? []).includes(name) },
          ]),
        ),
        sections: [],
      },
    })),
  ),
  list('observationAssignees.list', '/assignees', project =>
    project.users
      .filter(user => user.id <= LAST_ASSIGNEE)
      .map(user => ({ id: user.id, name: nameOf(user), vendor: { id: 1, name: 'Harbour Builders' } })),
  ),
  list('observationDefaultDistribution.list', '/default_distribution', project =>
    project.users.filter(user => DEFAULT_DISTRIBUTION.includes(user.id)).map(wirePerson),
  ),
  list('observationPotentialDistribution.list', '/potential_distribution_members', (project, { query }) => {
    const search = (query.get('filters[search]') ?? '').toLowerCase();
    return project.users
      .filter(user => `${nameOf(user)}\n${user.email}`.toLowerCase().includes(search))
      .map(wirePerson);
  }),
];

/** A type as it stands in lists and items. */
export function wireType(type: (typeof OBSERVATION_TYPES)[number]): Record<string, unknown> {
  return {
    id: type.id,
    category: type.category,
    category_key: type.category.toLowerCase().replaceAll(' ', '_'),
    category_id: 1,
    name: type.name,
    active: type.active,
    company_active: true,
    parent_inactive: false,
    kind: 'default',
    localized_name: type.name,
  };
}

function list(
  key: string,
  path: string,
  rowsOf: (project: Project, request: RouteRequest) => readonly Record<string, unknown>[],
): Route {
  return {
    key,
    origin: 'api',
    method: 'GET',
    path: `${BASE}${path}`,
    access: 'company',
    body: 'none',
    handle: (request, world) => {
      const projectId = request.query.get('project_id');
      if (projectId === null) throw refusePlainly(400, 'project_id: is missing');
      const project = requireProjectById(world, projectId);
      return pageAnswer(rowsOf(project, request), request, world, GENERAL_PAGES, rows => rows);
    },
  };
}

function nameOf(user: ProjectUser): string {
  return `${user.firstName} ${user.lastName}`;
}

function wirePerson(user: ProjectUser): Record<string, unknown> {
  return { id: user.id, login: user.email, name: nameOf(user) };
}
