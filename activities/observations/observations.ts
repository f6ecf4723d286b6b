// Observations: resolved by names, made once, moved from status to status, sent only when all were confirmed
// (specification, Observations).
import type { ProjectRef } from '../../workflows/contract';
import { type ActivityScope, inScope } from '../scope/activity-scope';
import { FreshCache } from '../scope/fresh-cache';
import { asRefusal, explainRefusal } from '../scope/refusal-reason';
import {
  listAssignees,
  listCategoryFieldSets,
  listDefaultDistribution,
  listObservationTypes,
  listPotentialDistribution,
} from '../service/endpoints/observation-lists';
import {
  listObservations,
  type ObservationStatus,
  sendUnsentObservations,
  updateObservation,
} from '../service/endpoints/observations';
import { fetchAll, fetchPages } from '../service/pages';
import type { Sender } from '../service/send/service-client';
import { createObservationFileActivities, responsesOf, show, twinsOf, viewOf } from './observation-files';
import type {
  ItemRef,
  ObservationActivities,
  ObservationAnswer,
  ResolveObservationInput,
  ResolveObservationResult,
  UnsentObservations,
} from './observations-api';
import { resolveObservationNames } from './resolve-observation';

/** General lists are recommended at most 2,000 items a page. */
const PAGE = 1_000;
const FRESH_MS = 5 * 60_000;
const NAMED_UNSENT = 20;

type Scope = Pick<ActivityScope, 'signal'>;

export interface ObservationActivityDeps {
  readonly client: Sender;
  readonly draining: AbortSignal;
}

/** Without files: those run on the share's queue (observation-files.ts). */
export function createObservationActivities(deps: ObservationActivityDeps): ObservationActivities {
  const { client, draining } = deps;
  const lookups = new FreshCache(FRESH_MS);
  return {
    ...createObservationFileActivities(deps),
    resolveObservation: async input => await inScope(draining, () => resolve(client, lookups, input)),
    findTwins: async input =>
      await inScope(draining, async scope =>
        (await twinsOf(client, input.project, input.fields, scope)).map(({ id }) => id),
      ),
    readObservation: async input =>
      await inScope(draining, async scope => {
        const found = await show(client, input, scope);
        return found === undefined || found.isDeleted ? null : viewOf(found);
      }),
    moveObservation: async input => await inScope(draining, scope => move(client, input, scope)),
    readResponses: async input =>
      await inScope(draining, async scope =>
        (await responsesOf(client, input, scope)).map(({ id, comment }) => ({ id, comment })),
      ),
    listObservationFieldSets: async ({ project }) =>
      await inScope(draining, scope =>
        fetchAll(client, listCategoryFieldSets, { ...inQuery(project), signal: scope.signal }),
      ),
    findUnsent: async ({ project }) => await inScope(draining, scope => findUnsent(client, project, scope)),
    sendUnsent: async input => await inScope(draining, scope => sendUnsent(client, input, scope)),
  };
}

/** The lists are asked for together and shared by whoever asks at the same time. */
async function resolve(
  client: Sender,
  lookups: FreshCache,
  input: ResolveObservationInput,
): Promise<ResolveObservationResult> {
  const { project, distribution } = input;
  const list = async <Item>(key: string, fetchIt: () => Promise<readonly Item[]>, isNeeded: boolean) =>
    isNeeded ? await lookups.once(`${project.companyId}/${project.projectId}/${key}`, fetchIt) : [];
  const query = inQuery(project);
  const [types, assignees, members, defaults] = await Promise.all([
    list('types', () => fetchAll(client, listObservationTypes, query), true),
    list('assignees', () => fetchAll(client, listAssignees, query), input.assignee !== undefined),
    list(
      'members',
      () => fetchAll(client, listPotentialDistribution, query),
      distribution !== undefined && distribution !== 'default',
    ),
    list('defaults', () => fetchAll(client, listDefaultDistribution, query), distribution === 'default'),
  ]);
  return resolveObservationNames(input, { types, assignees, members, defaults });
}

async function move(
  client: Sender,
  input: ItemRef & { readonly status: ObservationStatus },
  scope: Scope,
): Promise<ObservationAnswer> {
  const present = await show(client, input, scope);
  if (present === undefined) return refusedBecause('gone', `The observation ${input.id} has gone.`);
  if (present.status === input.status || present.status === 'closed') {
    return { kind: 'done', observation: viewOf(present) };
  }
  try {
    const { data } = await client.send(updateObservation, {
      params: { id: input.id },
      companyId: input.project.companyId,
      body: {
        projectId: input.project.projectId,
        // The call wants name and type; sent as they stand, they change nothing.
        fields: { name: present.name, typeId: present.type?.id ?? '', status: input.status },
      },
      signal: scope.signal,
    });
    return { kind: 'done', observation: viewOf(data) };
  } catch (error: unknown) {
    const refusal = asRefusal(error);
    if (refusal === undefined) throw error;
    return {
      kind: 'refused',
      reason: explainRefusal(
        `set the status ${input.status} of observation ${input.id}`,
        refusal,
        'Look at the item in the service; set the status by hand, or say "workDone" again.',
      ),
    };
  }
}

async function findUnsent(client: Sender, project: ProjectRef, scope: Scope): Promise<UnsentObservations> {
  const ids: string[] = [];
  const names: string[] = [];
  for await (const page of fetchPages(client, listObservations, {
    ...inQuery(project),
    signal: scope.signal,
  })) {
    for (const item of page) {
      if (item.notifiedOn !== null || item.isDeleted) continue;
      ids.push(item.id);
      if (names.length < NAMED_UNSENT) names.push(item.name);
    }
  }
  return { ids, names };
}

/** A repeat after a lost answer finds nothing unsent, or only what was confirmed: nobody is mailed unasked. */
async function sendUnsent(
  client: Sender,
  input: Parameters<ObservationActivities['sendUnsent']>[0],
  scope: Scope,
): ReturnType<ObservationActivities['sendUnsent']> {
  const unsent = await findUnsent(client, input.project, scope);
  if (unsent.ids.length === 0) return { kind: 'sent' };
  const confirmed = new Set(input.confirmedIds);
  if (unsent.ids.some(id => !confirmed.has(id))) return { kind: 'changed', unsent };
  try {
    await client.send(sendUnsentObservations, {
      params: {},
      companyId: input.project.companyId,
      body: { projectId: input.project.projectId },
      signal: scope.signal,
    });
    return { kind: 'sent' };
  } catch (error: unknown) {
    const refusal = asRefusal(error);
    if (refusal === undefined) throw error;
    const fix = 'Check what the account may do with observations, then start again.';
    return { kind: 'refused', reason: explainRefusal('send the unsent observations', refusal, fix) };
  }
}

function inQuery(project: ProjectRef) {
  return {
    params: {},
    companyId: project.companyId,
    query: { projectId: project.projectId, perPage: PAGE },
  };
}

function refusedBecause(code: string, text: string): ObservationAnswer {
  return { kind: 'refused', reason: { code, text, fix: 'Start a new observation if it is still needed.' } };
}
