// Observations: resolved by names, made once, moved from status to status, sent only when all were confirmed
// (specification, Observations).
import type { ProjectRef } from '../../workflows/contract';
import type { ActivityScope } from '../scope/activity-scope';
import { FreshCache } from '../scope/fresh-cache';
import { Making, type MakingScope } from '../scope/making';
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
  describeGone,
  makingOf,
  type ObservationFileDeps,
  responsesOf,
  show,
  showUnlessGone,
  twinsOf,
  viewOf,
} from './observation-files';
import type {
  ItemRef,
  ObservationReply,
  ObservationView,
  ReadObservationInput,
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
/** What to say so that the run sets that status, once it could not. */
const SAID_FOR: Readonly<Record<MovedTo, string>> = {
  ready_for_review: 'say "workDone" again',
  closed: 'say "reviewed" with "accepted": true',
  not_accepted: 'say "reviewed" with "accepted": false again',
};

type Scope = Pick<ActivityScope, 'signal'>;
type InProject = { readonly project: ProjectRef };
type MovedTo = Extract<ObservationStatus, 'ready_for_review' | 'closed' | 'not_accepted'>;
type MoveInput = ItemRef & { readonly status: MovedTo };

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
      findTwins: (_, input: TwinInput, scope) => findTwins(deps, input, scope),
      readObservation: (_, input: ReadObservationInput, scope) => readObservation(deps, input, scope),
      moveObservation: (_, input: MoveInput, scope) => moveObservation(deps, input, scope),
      readResponses,
      findUnsent,
      sendUnsent: (_, input: SendUnsentInput, scope) => sendUnsent(deps, input, scope),
    }),
  };
}

/** Ids of the items of that type, name and description. */
async function findTwins(
  { client, listedAfterMs, sinceRunBefore }: ObservationActivityDeps,
  input: TwinInput,
  scope: Scope & MakingScope,
): Promise<readonly string[]> {
  const twins = await twinsOf(client, input.project, input.fields, scope);
  if (twins.length === 0 && input.isToStop === true) {
    const making = new Making(scope, { isRepeated: false, listedAfterMs, sinceRunBefore });
    await making.waitUntilAllListed('observation');
  }
  return twins.map(({ id }) => id);
}

/** null: there is none, or it was deleted. */
async function readObservation(
  deps: ObservationActivityDeps,
  input: ReadObservationInput,
  scope: Scope & MakingScope,
): Promise<ObservationView | null> {
  const { client } = deps;
  const found =
    input.isNamed === true
      ? await show(client, input, scope)
      : await showUnlessGone(client, makingOf(deps, {}, scope), input, scope);
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
  deps: ObservationActivityDeps,
  input: MoveInput,
  scope: Scope & MakingScope,
): Promise<ObservationReply> {
  const { client } = deps;
  const present = await showUnlessGone(client, makingOf(deps, {}, scope), input, scope);
  if (present === undefined)
    return { kind: 'refused', reason: describeGone(input.id, SAID_FOR[input.status]) };
  if (present.status === input.status || present.status === 'closed') {
    return { kind: 'done', observation: viewOf(present) };
  }
  const what = `set the status ${input.status} of observation ${input.id}`;
  const fix = `Look at the item in the service; set the status by hand, or ${SAID_FOR[input.status]}.`;
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
 * Sends only while nothing is unsent but what was confirmed: nobody is mailed unasked. The response to an
 * earlier attempt may have been lost, and a list may still show as unsent what that one has mailed: so it is
 * read once more, half a minute later, before anything is said of it.
 */
async function sendUnsent(
  deps: ObservationActivityDeps,
  input: SendUnsentInput,
  scope: Scope & MakingScope,
): Promise<SendUnsentResult> {
  const { client } = deps;
  const making = makingOf(deps, input, scope);
  const unsent = await making.look(() => findUnsent(client, input, scope));
  if (unsent.ids.length === 0) return { kind: 'sent' };
  making.waitUntilListed('that they were sent');
  const confirmed = new Set(input.confirmedIds);
  // What came meanwhile is not among what was confirmed, and that has been sent.
  if (making.isInDoubt && !unsent.ids.some(id => confirmed.has(id))) return { kind: 'sent' };
  if (unsent.ids.some(id => !confirmed.has(id))) return { kind: 'changed', unsent };
  const fix = 'Check what the account may do with observations, then start again.';
  return await orRefused('send the unsent observations', fix, async () => {
    await making.make(() =>
      client.send(sendUnsentObservations, {
        params: {},
        companyId: input.project.companyId,
        body: { projectId: input.project.projectId },
        signal: scope.signal,
      }),
    );
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
