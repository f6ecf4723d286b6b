// Change orders: made once, found again by their origin ids, linked, read back (specification, Change
// orders).
import type { ProjectRef, Reason } from '../../workflows/contract';
import { isSameText } from '../../workflows/run/decide/same-text';
import type { ActivityScope } from '../scope/activity-scope';
import { lookAgainWhereEarly } from '../scope/look-again';
import { Making, type MakingDeps, type MakingScope } from '../scope/making';
import { asRefusal, orRefused, type Refused } from '../scope/refusal-reason';
import { toActivities } from '../scope/to-activities';
import { CHANGE_ORDER_STATUSES } from '../service/endpoints/change-order-bodies';
import { listChangeOrderStatuses } from '../service/endpoints/change-order-lines';
import {
  type ChangeOrder,
  type ChangeOrderFields,
  type ChangeOrderKind,
  type ChangeOrderStatus,
  changeOrders,
} from '../service/endpoints/change-orders';
import { AccessDeniedError, isServiceError } from '../service/errors';
import { fetchAll, LIST_PAGE } from '../service/pages';
import type { Sender } from '../service/service-client';
import { putLineItems, readLineItems, removeLineItems } from './change-order-lines';
import { pagesOf, refOf, show, toView } from './change-order-reads';
import type {
  ChangeOrderReply,
  ContractScope,
  ContractSurvey,
  FindCompanionInput,
  FindCompanionResult,
  FindOfOriginInput,
  MadeHere,
  PutChangeOrderInput,
  PutChangeOrderResult,
  PutLinesInput,
  ReadChangeOrderInput,
  ReadChangeOrderResult,
  ReadPartsBelowInput,
  UpdateChangeOrderInput,
} from './change-orders-api';
import { readPartsBelow } from './change-orders-below';
import { differencesOf } from './decide/compare-change-order';
import { OriginMemory } from './origin-memory';

const FIX =
  'Correct the input and start again with the same origin id: what is there already is found, not made twice.';
const TIERS_FIX = `See whether "tiers" of the input is what the project is configured with. ${FIX}`;
const TWICE_FIX =
  'Set those to void that are one too many, or take their origin id away, and start again with the same origin id.';
const NAMES: Readonly<Record<ChangeOrderKind, string>> = {
  package: 'change order package',
  request: 'change order request',
  potential: 'potential change order',
};

type Scope = Pick<ActivityScope, 'signal'>;

export interface ChangeOrderActivityDeps extends MakingDeps {
  readonly client: Sender;
  readonly draining: AbortSignal;
}

export type ChangeOrderActivities = ReturnType<typeof createChangeOrderActivities>;

/** Run anywhere; served by the queue `drawbridge`. */
export function createChangeOrderActivities({ client, draining, ...deps }: ChangeOrderActivityDeps) {
  const origins = new OriginMemory();
  return toActivities(draining, client, {
    putChangeOrder: (_, input: PutChangeOrderInput, scope) =>
      putChangeOrder(client, input, scope, { origins, ...deps }),
    findTwice: (_, input: FindOfOriginInput, scope) => findTwice(client, input, scope, origins),
    surveyContract,
    findCompanion: (_, input: FindCompanionInput, scope) => findCompanion(client, input, scope, deps),
    updateChangeOrder,
    readChangeOrder,
    readPartsBelow: (_, input: ReadPartsBelowInput, scope) => readPartsBelow(client, input, scope, origins),
    putLineItems: (_, input: PutLinesInput, scope) => putLineItems(client, input, scope, deps),
    readLineItems,
    removeLineItems,
    findChangeOrderStatus,
  });
}

/**
 * Looks before it makes, at every attempt: the response to an earlier one may have been lost, or a run before
 * of this origin id may have made it. Two runs with one origin id at the same moment can still make two, so a
 * workflow's id is made of the origin id. What is there already is set right; where it is there more than
 * once, nothing is touched.
 */
async function putChangeOrder(
  client: Sender,
  input: PutChangeOrderInput,
  scope: Scope & MakingScope,
  { origins, ...deps }: MakingDeps & { readonly origins: OriginMemory },
): Promise<PutChangeOrderResult> {
  const name = NAMES[input.kind];
  const making = new Making(scope, { asked: input.asked, ...deps });
  if (input.id !== undefined) {
    const meant = await show(client, input, input.kind, input.id, scope);
    if (meant !== undefined) return await correct(client, input, meant, scope);
    making.waitUntilShown(`${name} ${input.id}`);
    return refusedBecause('NOT_FOUND', `The ${name} ${input.id} has gone.`, FIX);
  }
  const unshown: string[] = [];
  const [known, ...more] = await making.look(() => findByOrigin(client, input, scope, origins, unshown));
  if (known !== undefined && more.length > 0) {
    return { kind: 'refused', reason: thereTwice(input, [known, ...more]) };
  }
  if (known !== undefined) {
    const result = await making.look(() => correct(client, input, known, scope));
    const madeHere = toMadeHere(making);
    return result.kind === 'refused' || madeHere === undefined ? result : { ...result, madeHere };
  }
  if (unshown.length > 0) making.waitUntilShown(`${name} ${unshown.join(', ')}`);
  await making.waitUntilAllListed(name);
  const made = orRefused(`make the ${name}`, TIERS_FIX, async () => {
    const { data } = await making.make(() =>
      client.send(changeOrders[input.kind].create, {
        params: {},
        companyId: input.project.companyId,
        body: { contract: refOf(input), fields: { ...input.fields, originId: input.originId } },
        signal: scope.signal,
      }),
    );
    const inDoubt = making.isInDoubt ? { isInDoubt: true as const } : {};
    return { kind: 'made' as const, changeOrder: toView(data), ...inDoubt };
  });
  return await made.catch((error: unknown) => {
    throw withTiersNamed(error, input.kind);
  });
}

function toMadeHere({ isSent, isPerhapsRepeated }: Making): MadeHere | undefined {
  if (isSent) return 'yes';
  return isPerhapsRepeated ? 'perhaps' : undefined;
}

function refusedBecause(code: string, text: string, fix: string): Refused {
  return { kind: 'refused', reason: { code, text, fix } };
}

function thereTwice({ kind, originId }: FindOfOriginInput, found: readonly ChangeOrder[]): Reason {
  const ids = found.map(({ id }) => id).join(', ');
  const text = `There is more than one ${NAMES[kind]} of the origin id "${originId}": ${ids}.`;
  return { code: 'there-twice', text, fix: TWICE_FIX };
}

/** That one of that origin id is there more than once; null: it is not. */
async function findTwice(
  client: Sender,
  input: FindOfOriginInput,
  scope: Scope,
  origins: OriginMemory,
): Promise<Reason | null> {
  const found = await findByOrigin(client, input, scope, origins);
  return found.length > 1 ? thereTwice(input, found) : null;
}

/** Sets what stands otherwise than asked, and nothing else. */
async function correct(
  client: Sender,
  input: PutChangeOrderInput,
  known: ChangeOrder,
  scope: Scope,
): Promise<Exclude<PutChangeOrderResult, { readonly kind: 'made' }>> {
  const different = differencesOf(known, input.fields).map(({ field }) => field);
  const fields: ChangeOrderFields = {
    ...Object.fromEntries(different.map(field => [field, input.fields[field]])),
    ...(known.originId === input.originId ? {} : { originId: input.originId }),
  };
  const corrected = known.originId === input.originId ? different : [...different, 'originId' as const];
  if (corrected.length === 0) return { kind: 'found', changeOrder: toView(known) };
  const result = await updateChangeOrder(client, { ...input, id: known.id, fields }, scope);
  return result.kind === 'refused' ? result : { ...result, kind: 'corrected', corrected };
}

/** In a project of other tiers some kinds are refused in the same way as without the permission. */
function withTiersNamed(error: unknown, kind: ChangeOrderKind): unknown {
  if (!isServiceError(error) || error.code !== 'ACCESS_DENIED') return error;
  return new AccessDeniedError(
    `${error.message}: either the account may not make a ${NAMES[kind]}, or the project is configured with other tiers than the input's "tiers"`,
    { ...error, cause: error },
  );
}

/**
 * By the origin id alone: titles are corrected by people. The list of packages shows it, and potential change
 * orders can be asked for by it. Requests offer neither, and are read one by one; those of the same title
 * first, since it is mostly one of them, and so are all that a lost response has led to: the others are read
 * only where none of these is it, up to the first. Of several, those that are void do not count beside one
 * that is not: so people say which of them is one too many. Into `unshown` go the ids of those that are
 * listed and that the service does not show: what they are is not known.
 */
async function findByOrigin(
  client: Sender,
  input: FindOfOriginInput,
  scope: Scope,
  origins: OriginMemory,
  unshown: string[] = [],
): Promise<readonly ChangeOrder[]> {
  const { kind, originId } = input;
  const likely: ChangeOrder[] = [];
  const others: ChangeOrder[] = [];
  for await (const page of pagesOf(client, input, kind, scope, originId)) {
    for (const listed of page) {
      const said = listed.originId ?? origins.recall(input.project, kind, listed);
      if (listed.isDeleted || (said !== undefined && said !== originId)) continue;
      // The list of packages tells their origin ids: a package that it shows without has none.
      if (said === undefined && kind === 'package') continue;
      const isLikely = said === originId || listed.title === input.fields.title;
      (isLikely ? likely : others).push(listed);
    }
  }
  const readOurs = async (id: string): Promise<readonly ChangeOrder[]> => {
    scope.signal.throwIfAborted();
    const shown = await show(client, input, kind, id, scope);
    if (shown === undefined) {
      unshown.push(id);
      return [];
    }
    origins.note(input.project, kind, shown);
    return shown.originId === originId && !shown.isDeleted ? [shown] : [];
  };
  const found: ChangeOrder[] = [];
  for (const { id } of likely) found.push(...(await readOurs(id)));
  for (const { id } of others) {
    if (found.length > 0) break;
    found.push(...(await readOurs(id)));
  }
  const counting = found.filter(({ status }) => status !== 'void');
  return counting.length > 0 ? counting : found;
}

async function surveyContract(
  client: Sender,
  input: ContractScope & { readonly originId: string },
  scope: Scope,
): Promise<ContractSurvey> {
  const asPackage = { ...input, kind: 'package', fields: { title: '' } } as const;
  const [found] = await findByOrigin(client, asPackage, scope, new OriginMemory());
  // The packages of this contract were listed: a refusal from here on is about the kind, which the tiers
  // decide.
  const potentials = await unlessRefused(async () => {
    const rows: ChangeOrder[] = [];
    for await (const page of pagesOf(client, input, 'potential', scope)) rows.push(...page);
    return rows;
  });
  const facts = { packageId: found?.id ?? null, potentialIds: (potentials ?? []).map(({ id }) => id) };
  if (potentials === null) return { ...facts, tiers: '2' };
  const told = potentials.find(row => row.tiers !== null)?.tiers ?? (await findTiers(client, input, scope));
  if (told !== null) return { ...facts, tiers: told };
  const requests = await unlessRefused(() => firstPageOf(client, input, 'request', scope));
  return { ...facts, tiers: requests === null ? '1' : null };
}

/** null: the service refused it. */
async function unlessRefused<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch (error: unknown) {
    if (asRefusal(error) === undefined) throw error;
    return null;
  }
}

async function firstPageOf(
  client: Sender,
  at: ContractScope,
  kind: ChangeOrderKind,
  scope: Scope,
): Promise<readonly ChangeOrder[]> {
  const { data } = await client.send(changeOrders[kind].list, {
    params: {},
    companyId: at.project.companyId,
    query: { contract: refOf(at), perPage: 1 },
    signal: scope.signal,
  });
  return data;
}

/** Tiers are the project's: any of its potential change orders tells them, of whichever contract. */
async function findTiers(client: Sender, { project }: ContractScope, scope: Scope): Promise<string | null> {
  const { data } = await client.send(changeOrders.potential.list, {
    params: {},
    companyId: project.companyId,
    query: { contract: { projectId: project.projectId }, perPage: 1 },
    signal: scope.signal,
  });
  return data.find(row => row.tiers !== null)?.tiers ?? null;
}

/**
 * By origin id, else the only new one of the package's title that carries no origin id of anybody; where the
 * package was there before and there is no new one, the only one that was there, too. Where nobody knows
 * whether the package was there, such a one is for people to tell.
 *
 * What a package brings along may be listed late: that it brings none, or no new one, is believed after half
 * a minute of looks. With a package of a run before nothing is taken earlier than half a minute after that
 * run has ended, for another one of its title may be somebody else's.
 */
async function findCompanion(
  client: Sender,
  input: FindCompanionInput,
  scope: Scope & MakingScope,
  deps: MakingDeps,
): Promise<FindCompanionResult> {
  const unshown: string[] = [];
  const [marked, ...more] = await findByOrigin(
    client,
    { ...input, kind: 'potential', fields: { title: input.packageTitle } },
    scope,
    new OriginMemory(),
    unshown,
  );
  if (marked !== undefined && more.length > 0)
    return { kind: 'ambiguous', ids: [marked, ...more].map(({ id }) => id) };
  if (marked !== undefined) return { kind: 'found', id: marked.id };
  const known = new Set(input.knownIds);
  const fresh: ChangeOrder[] = [];
  const before: ChangeOrder[] = [];
  for await (const page of pagesOf(client, input, 'potential', scope)) {
    for (const listed of page) {
      const isOfPackage = isSameText(listed.changeOrderPackageTitle ?? '', input.packageTitle);
      if (listed.isDeleted || !isOfPackage) continue;
      (known.has(listed.id) ? before : fresh).push(listed);
    }
  }
  const unmarkedOf = async (candidates: readonly ChangeOrder[]): Promise<readonly string[]> => {
    const unmarked: string[] = [];
    for (const { id } of candidates) {
      const shown = await show(client, input, 'potential', id, scope);
      if (shown === undefined) unshown.push(id);
      else if ((shown.originId ?? '') === '') unmarked.push(shown.id);
    }
    return unmarked;
  };
  const come = await unmarkedOf(fresh);
  const isOfBefore = input.isFound === true;
  const mayBeOlder = isOfBefore || input.isPerhapsFound === true;
  const older = come.length === 0 && mayBeOlder ? await unmarkedOf(before) : [];
  // An attempt before puts nothing in doubt: it only looked.
  const making = new Making(scope, { isRepeated: false, ...deps });
  if (unshown.length > 0) making.waitUntilShown(`${NAMES.potential} ${unshown.join(', ')}`);
  const what = `the ${NAMES.potential} of package "${input.packageTitle}"`;
  const mayCome = come.length === 0 && !(isOfBefore && older.length > 0);
  if (mayCome) lookAgainWhereEarly(scope, `It is perhaps not listed yet: ${what}`, deps);
  if (mayBeOlder) await making.waitUntilAllListed(what);
  const ids = [...come, ...older];
  const [only] = ids;
  if (only === undefined) return { kind: 'none' };
  const isTold = ids.length === 1 && (come.length === 1 || isOfBefore);
  return isTold ? { kind: 'found', id: only } : { kind: 'ambiguous', ids };
}

/** Sets what is given; a repeat sets the same. */
async function updateChangeOrder(
  client: Sender,
  input: UpdateChangeOrderInput,
  scope: Scope,
): Promise<ChangeOrderReply> {
  return await orRefused(`change the ${NAMES[input.kind]} ${input.id}`, FIX, async () => {
    const { data } = await client.send(changeOrders[input.kind].update, {
      params: { id: input.id },
      companyId: input.project.companyId,
      body: { contract: refOf(input), fields: input.fields },
      signal: scope.signal,
    });
    return { kind: 'done', changeOrder: toView(data) };
  });
}

/** null: there is none. */
async function readChangeOrder(
  client: Sender,
  input: ReadChangeOrderInput,
  scope: Scope,
): Promise<ReadChangeOrderResult | null> {
  const shown = await show(client, input, input.kind, input.id, scope);
  if (shown === undefined) return null;
  return { ...toView(shown), differences: differencesOf(shown, input.asked ?? {}) };
}

/**
 * A company's own name for a status, or the wire's, to the wire's; null with what there is when it is
 * unknown.
 */
async function findChangeOrderStatus(
  client: Sender,
  { project, status }: { readonly project: ProjectRef; readonly status: string },
  scope: Scope,
): Promise<{ readonly status: ChangeOrderStatus | null; readonly offered: readonly string[] }> {
  const wanted = status.trim().toLowerCase();
  const onWire = (text: string | null) =>
    CHANGE_ORDER_STATUSES.find(entry => entry === text?.toLowerCase().replace(/\s+/g, '_')) ?? null;
  const direct = onWire(wanted);
  if (direct !== null) return { status: direct, offered: [] };
  const listed = await fetchAll(client, listChangeOrderStatuses, {
    params: {},
    companyId: project.companyId,
    query: { companyId: project.companyId, perPage: LIST_PAGE },
    signal: scope.signal,
  });
  const found = listed.find(entry => entry.name.trim().toLowerCase() === wanted);
  const offered = listed.filter(({ isOffered }) => isOffered).map(({ name }) => name);
  return { status: onWire(found?.mappedTo ?? null), offered: [...offered, ...CHANGE_ORDER_STATUSES] };
}
