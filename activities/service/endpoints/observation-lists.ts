// What an observation can be and who may have it: types, field sets, people (specification, Observations).
import { z } from 'zod';
import { type Endpoint, READ } from '../endpoint';
import type { ProjectQuery } from './observations';
import { pageValues, wireFlag, wireId, wireText, wireTextOrEmpty } from './wire';

const BASE = '/rest/v1.0/observations';

type NoParams = Record<string, never>;
type ListOf<Item, Query = ProjectQuery> = Endpoint<NoParams, Query & object, undefined, readonly Item[]>;

const observationType = z
  .object({
    id: wireId,
    name: wireTextOrEmpty,
    localized_name: wireText,
    category: wireTextOrEmpty,
    active: wireFlag(true),
    company_active: wireFlag(true),
    parent_inactive: wireFlag(false),
  })
  .transform(wire => ({
    id: wire.id,
    name: wire.name,
    /** In the account's language, where that is another one. */
    localizedName: wire.localized_name,
    category: wire.category,
    isActive: wire.active && wire.company_active && !wire.parent_inactive,
  }));
export type ObservationType = z.output<typeof observationType>;

/** Custom types are added in the web interface only (specification). */
export const listObservationTypes: ListOf<ObservationType> = listOf(
  'observationTypes.list',
  `${BASE}/types`,
  observationType,
);

const categoryFieldSet = z
  .object({
    id: wireId,
    category: wireTextOrEmpty,
    configurable_field_set: z.object({
      name: wireTextOrEmpty,
      fields: z.record(z.string(), z.unknown()).nullish(),
    }),
  })
  .transform(wire => ({
    id: wire.id,
    category: wire.category,
    fieldSetName: wire.configurable_field_set.name,
    /** Field names the set requires, as far as it says so. */
    requiredFields: Object.entries(wire.configurable_field_set.fields ?? {})
      .filter(([, field]) => isRequired(field))
      .map(([name]) => name),
  }));
export type CategoryFieldSet = z.output<typeof categoryFieldSet>;

/** Enforced only when a create or update runs the configurable validations. */
export const listCategoryFieldSets: ListOf<CategoryFieldSet> = listOf(
  'observationFieldSets.list',
  `${BASE}/category_configurable_field_sets`,
  categoryFieldSet,
);

const person = z.object({ id: wireId, name: wireTextOrEmpty, login: wireText });
export type ListedPerson = z.output<typeof person>;

/** Whom the caller may assign observations to. */
export const listAssignees: ListOf<ListedPerson> = listOf(
  'observationAssignees.list',
  `${BASE}/assignees`,
  person,
);

/** Who is told of every observation unless the item says otherwise. */
export const listDefaultDistribution: ListOf<ListedPerson> = listOf(
  'observationDefaultDistribution.list',
  `${BASE}/default_distribution`,
  person,
);

export interface PeopleQuery extends ProjectQuery {
  readonly search?: string | undefined;
}

/** Who can be told of an observation. */
export const listPotentialDistribution: ListOf<ListedPerson, PeopleQuery> = {
  ...listOf('observationPotentialDistribution.list', `${BASE}/potential_distribution_members`, person),
  query: (query: PeopleQuery) => ({
    project_id: query.projectId,
    'filters[search]': query.search,
    ...pageValues(query),
  }),
};

function listOf<Item>(name: string, path: string, item: z.ZodType<Item>): ListOf<Item> {
  return {
    name,
    ...READ,
    path,
    query: query => ({ project_id: query.projectId, ...pageValues(query) }),
    response: z.array(item),
  };
}

function isRequired(field: unknown): boolean {
  return typeof field === 'object' && field !== null && 'required' in field && field.required === true;
}
