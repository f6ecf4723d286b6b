// Observations: resolved by names, made once, moved from status to status, sent only when all were confirmed
// (specification, Observations).
import type { ProjectRef } from '../../workflows/contract';
import type { ActivityScope } from '../scope/activity-scope';
import { FreshCache } from '../scope/fresh-cache';
import { orRefused } from '../scope/refusal-reason';
import { toActivities } from '../scope/to-activities';
import {
  listAssignees,
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
import { fetchAll, fetchPages, LIST_PAGE, RICH_PAGE } from '../service/pages';
import type { Sender } from '../service/service-client';
import {
  createObservationFileActivities,
  type ObservationFileDeps,
  responsesOf,
  show,
  twinsOf,
  viewOf,
} from './observation-files';
import type {
  ItemRef,
  ObservationReply,
  ObservationView,
  ResolveObservationInput,
  ResolveObservationResult,
  SendUnsentInput,
  SendUnsentResult,
  TwinInput,
  UnsentObservations,
} from './observations-api';
import { resolveObservationNames } from './resolve-observation';

const FRESH_MS = 5 * 60_000;
const NAMED_UNSENT = 20;

type Scope = Pick<ActivityScope, 'signal'>;
type InProject = { readonly project: ProjectRef };

export type ObservationActivityDeps = Omit<ObservationFileDeps, 'openAttachment'>;

export type ObservationActivities = ReturnType<typeof createObservationActivities>;

/** Run anywhere; what has files runs on the share's queue (observation-files.ts). */
export function createObservationActivities(deps: ObservationActivityDeps) {
  const { client, draining } = deps;
  const lookups = new FreshCache(FRESH_MS);
  return {
    ...createObservationFileActivities(deps),
    ...toActivities(draining, client, {
      resolveObservation: (_, input: ResolveObservationInput) => resolve(client, lookups, input),
      findTwins,
      readObservation,
      moveObservation,
      readResponses,
      findUnsent,
      sendUnsent,
    }),
  };
}

/** Ids of the items of that type, name and description. */
async function findTwins(client: Sender, input: TwinInput, scope: Scope): Promise<readonly string[]> {
  return (await twinsOf(client, input.project, input.fields, scope)).map(({ id }) => id);
}

/** null: there is none, or it was deleted. */
async function readObservation(
  client: Sender,
  input: ItemRef,
  scope: Scope,
): Promise<ObservationView | null> {
  const found = await show(client, input, scope);
  return found === undefined || found.isDeleted ? null : viewOf(found);
}

async function readResponses(
  client: Sender,
  input: ItemRef,
  scope: Scope,
): Promise<readonly { readonly id: string; readonly comment: string }[]> {
  return (await responsesOf(client, input, scope)).map(({ id, comment }) => ({ id, comment }));
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

/** Sets the status unless it is that one already, and never opens what is closed. */
async function moveObservation(
  client: Sender,
  input: ItemRef & { readonly status: ObservationStatus },
  scope: Scope,
): Promise<ObservationReply> {
  const present = await show(client, input, scope);
  if (present === undefined) return refusedBecause('gone', `The observation ${input.id} has gone.`);
  if (present.status === input.status || present.status === 'closed') {
    return { kind: 'done', observation: viewOf(present) };
  }
  const what = `set the status ${input.status} of observation ${input.id}`;
  const fix = 'Look at the item in the service; set the status by hand, or say "workDone" again.';
  return await orRefused(what, fix, async () => {
    const { data } = await client.send(updateObservation, {
      params: { id: input.id },
      companyId: input.project.companyId,
      body: {
        projectId: input.project.projectId,
        // The call wants name and type; sent as they stand, they change nothing.
        fields: { name: present.name, typeId: present.typeId ?? '', status: input.status },
      },
      signal: scope.signal,
    });
    return { kind: 'done', observation: viewOf(data) };
  });
}

async function findUnsent(client: Sender, { project }: InProject, scope: Scope): Promise<UnsentObservations> {
  const ids: string[] = [];
  const names: string[] = [];
  for await (const page of fetchPages(client, listObservations, {
    ...inQuery(project, RICH_PAGE),
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

/**
 * Sends only while nothing is unsent but what was confirmed. A repeat after a lost response finds nothing
 * unsent, or only what was confirmed: nobody is mailed unasked.
 */
async function sendUnsent(client: Sender, input: SendUnsentInput, scope: Scope): Promise<SendUnsentResult> {
  const unsent = await findUnsent(client, input, scope);
  if (unsent.ids.length === 0) return { kind: 'sent' };
  const confirmed = new Set(input.confirmedIds);
  if (unsent.ids.some(id => !confirmed.has(id))) return { kind: 'changed', unsent };
  const fix = 'Check what the account may do with observations, then start again.';
  return await orRefused('send the unsent observations', fix, async () => {
    await client.send(sendUnsentObservations, {
      params: {},
      companyId: input.project.companyId,
      body: { projectId: input.project.projectId },
      signal: scope.signal,
    });
    return { kind: 'sent' };
  });
}

function inQuery(project: ProjectRef, perPage = LIST_PAGE) {
  return {
    params: {},
    companyId: project.companyId,
    query: { projectId: project.projectId, perPage },
  };
}

function refusedBecause(code: string, text: string): ObservationReply {
  return { kind: 'refused', reason: { code, text, fix: 'Start a new observation if it is still needed.' } };
}
