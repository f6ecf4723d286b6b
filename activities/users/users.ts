// People of a project: finding them by name, taking them out, letting them in with a permission template
// (specification, Project users). A template cannot be changed in place.

import type { ProjectRef, Reason } from '../../workflows/contract';
import { describeRefusals } from '../../workflows/run/decide/describe-refusals';
import { type ActivityScope, isPerhapsRepeated } from '../scope/activity-scope';
import { type LookingScope, lookAgainWhereEarly } from '../scope/look-again';
import type { MakingDeps } from '../scope/making';
import { isNotThere, orMisconfigured } from '../scope/refusal-reason';
import { toActivities } from '../scope/to-activities';
import {
  addProjectUser,
  listProjectUsers,
  type ProjectUser,
  removeProjectUser,
} from '../service/endpoints/project-users';
import { isServiceError, type ServiceError, type ServiceErrorCode } from '../service/errors';
import { fetchAll, fetchPages, LIST_PAGE } from '../service/pages';
import type { Sender } from '../service/service-client';
import { resolveMember } from './resolve-member';
import type {
  AddMemberInput,
  AddMemberResult,
  BringInsideInput,
  BringInsideResult,
  FindMemberInput,
  FindMemberResult,
  Member,
  MemberRef,
  PermissionTemplate,
  RemoveMemberInput,
  RemoveMemberResult,
} from './users-api';

/** Refusals by the service: nothing was applied. */
const REFUSALS: ReadonlySet<ServiceErrorCode> = new Set([
  'REQUEST_REFUSED',
  'NOT_FOUND',
  'GONE',
  'ACCESS_DENIED',
]);

/** Between two tries to bring somebody inside. */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 30 * 60_000;

type Scope = Pick<ActivityScope, 'signal' | 'attempt'>;

export interface UserActivityDeps extends MakingDeps {
  readonly client: Sender;
  readonly draining: AbortSignal;
}

export type UserActivities = ReturnType<typeof createUserActivities>;

/** Run anywhere; served by the queue `drawbridge`. */
export function createUserActivities({ client, draining, listedAfterMs }: UserActivityDeps) {
  return toActivities(draining, client, {
    findMember,
    lookAtMember,
    removeMember,
    addMember: (_, input: AddMemberInput, scope) => addMember(client, input, scope, listedAfterMs),
    bringInside,
  });
}

/** Reads the whole list, never a cache: the template found here is the one that is put back. */
async function findMember(
  client: Sender,
  input: FindMemberInput,
  scope: Pick<Scope, 'signal'>,
): Promise<FindMemberResult> {
  const users = await fetchAll(client, listProjectUsers, {
    ...inUsers(input.project),
    query: { perPage: LIST_PAGE },
    signal: scope.signal,
  });
  return resolveMember(input, users.map(toPerson));
}

/**
 * By the list, which names the template; null: not in the project. Where the service ignores the filter, all
 * pages are searched. A list that is not there is repaired by a person, for a user may be outside meanwhile.
 */
export async function lookAtMember(
  client: Sender,
  { project, userId }: MemberRef,
  scope: Pick<Scope, 'signal'>,
): Promise<Member | null> {
  const pages = fetchPages(client, listProjectUsers, {
    ...inUsers(project),
    query: { perPage: LIST_PAGE, id: userId },
    signal: scope.signal,
  });
  try {
    for await (const page of pages) {
      const found = page.find(({ id }) => id === userId);
      if (found !== undefined) return { userId, name: found.name, template: found.permissionTemplate };
    }
  } catch (error: unknown) {
    throw orMisconfigured(error);
  }
  return null;
}

/**
 * Looks before every request, also a repeated one: a template that somebody has given meanwhile is theirs,
 * and stays. 404 means out already, also after a lost response, whatever a list still shows.
 */
export async function removeMember(
  client: Sender,
  { project, userId, expected, isPerhapsOut, asked }: RemoveMemberInput,
  scope: Scope,
): Promise<RemoveMemberResult> {
  if (expected !== undefined) {
    const member = await lookAtMember(client, { project, userId }, scope);
    if (member === null) return { kind: 'removed' };
    const { template } = member;
    if (template !== null && template.id !== expected.id) return { kind: 'other', template };
  }
  try {
    await client.send(removeProjectUser, { ...inUsers(project, userId), signal: scope.signal });
    return { kind: 'removed' };
  } catch (error: unknown) {
    if (!isServiceError(error) || !REFUSALS.has(error.code)) throw error;
    if (isNotThere(error)) return { kind: 'removed' };
    if ((await lookAtMember(client, { project, userId }, scope)) === null) return { kind: 'removed' };
    const reason = explainMemberRefusal('remove-refused', 'did not remove the user', error);
    const isInDoubt = isPerhapsOut === true || isPerhapsRepeated(scope, asked);
    return asked !== undefined && isInDoubt
      ? { kind: 'refused', reason, isPerhapsOut: true }
      : { kind: 'refused', reason };
  }
}

/** What a look tells the next one. */
interface AdditionTold {
  /**
   * The service has refused the addition, and this is what the list shows since, which may be out of date.
   * Workers of the release before tell something else here; it counts as `as-before`.
   */
  readonly refused?: 'as-before' | 'nobody';
}

/**
 * Safe to repeat: the response to an earlier attempt may have been lost, so a later one looks first. After a
 * refusal it looks, too, for the service refuses to add whoever is inside already. Where that look may be out
 * of date, the user is looked at again for half a minute, and added as soon as the list shows nobody any
 * more: what was refused while the service still saw the user inside has applied nothing. Whom the list does
 * not show, though we have perhaps added them, is only looked for during that time, and then added once more.
 */
export async function addMember(
  client: Sender,
  input: AddMemberInput,
  scope: Scope & LookingScope,
  listedAfterMs?: number,
): Promise<AddMemberResult> {
  const { previous } = input;
  const isInDoubt = input.isPerhapsInside === true || isPerhapsRepeated(scope, input.asked);
  /** @param mayHide whether the list may not show yet whom we have added */
  const lookAtAdded = async (isRefused: boolean, mayHide: boolean): Promise<AddMemberResult | undefined> => {
    const known = await lookAtMember(client, input, scope);
    const telling = (refused: NonNullable<AdditionTold['refused']>) => {
      const details: AdditionTold = isRefused ? { refused } : {};
      return { listedAfterMs, details };
    };
    if (known === null) {
      const why = `The list may not show yet that user ${input.userId} was added`;
      if (mayHide) lookAgainWhereEarly(scope, why, telling('nobody'));
      return undefined;
    }
    if (mayBeFromBefore(known, previous)) {
      const why = `The list may still show user ${input.userId} as before the removal`;
      lookAgainWhereEarly(scope, why, telling('as-before'));
    }
    return toAdded(known, input.templateId);
  };
  const { refused: told } = (scope.lastDetails ?? {}) as AdditionTold;
  if (told !== undefined || isInDoubt) {
    const added = await lookAtAdded(told !== undefined, told === 'nobody');
    if (added !== undefined) return added;
  }
  try {
    await client.send(addProjectUser, {
      ...inUsers(input.project, input.userId),
      body: { templateId: input.templateId },
      signal: scope.signal,
    });
    return { kind: 'added' };
  } catch (error: unknown) {
    if (!isServiceError(error) || !REFUSALS.has(error.code)) throw error;
    const reason = explainMemberRefusal('add-refused', 'did not add the user', error);
    // Perhaps refused because we have added the user before. `bringInside` looks again by itself.
    const added = await lookAtAdded(true, isInDoubt && previous !== undefined);
    return added ?? { kind: 'refused', reason };
  }
}

/** Whether the list may show the user as before our removal; where it shows no template, nobody can tell. */
function mayBeFromBefore({ template }: Member, previous: PermissionTemplate | undefined): boolean {
  return previous !== undefined && (template === null || template.id === previous.id);
}

/**
 * Ends once somebody is inside who is outside, and whom the service has just refused: by us, or by others.
 * Each attempt but the first looks and tries once; between them no slot is held, and no history grows.
 */
export async function bringInside(
  client: Sender,
  input: BringInsideInput,
  scope: Scope & LookingScope,
): Promise<BringInsideResult> {
  const { waits = 0 } = (scope.lastDetails ?? {}) as { readonly waits?: number };
  const tried = waits === 0 ? undefined : await tryOnce(client, input, scope);
  if (tried?.kind === 'inside') return tried;
  const why = tried?.why ?? 'The service has just refused to add the user.';
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** waits, LONGEST_WAIT_MS);
  return scope.comeBack(waitMs, { waits: waits + 1 }, `User ${input.userId} is outside. ${why}`);
}

async function tryOnce(
  client: Sender,
  input: BringInsideInput,
  scope: Scope & LookingScope,
): Promise<BringInsideResult | { readonly kind: 'outside'; readonly why: string }> {
  try {
    const member = await lookAtMember(client, input, scope);
    if (member !== null) return { kind: 'inside', by: 'others', template: member.template };
    let why = '';
    for (const template of input.templates) {
      const added = await addMember(client, { ...input, templateId: template.id }, scope);
      if (added.kind === 'added') return { kind: 'inside', by: 'us', template };
      if (added.kind === 'other') return { kind: 'inside', by: 'others', template: added.template };
      why = added.reason.text;
    }
    return { kind: 'outside', why };
  } catch (error: unknown) {
    // A list that is refused, or not there, tells nothing: it is as open as before.
    if (!isServiceError(error)) throw error;
    if (!REFUSALS.has(error.code) && error.code !== 'MISCONFIGURED') throw error;
    return { kind: 'outside', why: error.message };
  }
}

function toAdded(member: Member, templateId: string): AddMemberResult {
  return member.template === null || member.template.id === templateId
    ? { kind: 'added' }
    : { kind: 'other', template: member.template };
}

function inUsers(project: ProjectRef, userId = '') {
  const { companyId, projectId } = project;
  return { companyId, params: { projectId, userId } };
}

function toPerson(user: ProjectUser) {
  return {
    userId: user.id,
    name: user.name,
    email: user.email,
    spellings: [`${user.firstName} ${user.lastName}`, `${user.lastName}, ${user.firstName}`],
    isActive: user.isActive,
    template: user.permissionTemplate,
  };
}

/** The decision is the status alone; the text is for people. */
function explainMemberRefusal(code: string, what: string, error: ServiceError): Reason {
  const said = describeRefusals(error.reasons, 3);
  const about = said.length === 0 ? '' : ` It said: ${said.join('; ')}.`;
  return {
    code,
    text: `The service ${what} (status ${error.status ?? 'unknown'}).${about}`,
    fix:
      error.code === 'ACCESS_DENIED'
        ? 'Give the account that Drawbridge uses the Directory permission Admin, at company level for adding.'
        : 'Check that the user is active in the company directory and that the permission template exists.',
  };
}
