// Whose turn it is to be submitted: by the project's coordinator, which knows of all shares, and by what this
// share shows of batches that the coordinator has not been told of.
import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { InLine, Overtaker, ProjectRef } from '../../workflows/contract';
import type {
  OrderedBatch,
  OvertakenNote,
  TurnQuestion,
  TurnReply,
} from '../../workflows/revision-order/decide/turns';
import type { OurTemporal } from '../share/batch/hold';
import type { BatchNotes, NamedShare, RevisionQueues, TemporalMarks } from '../share/share';
import { SHARE_DEFAULTS } from '../share/share-config';

/** The way to the coordinators of the projects. */
export interface Coordinators {
  /** Starts the project's coordinator if there is none. */
  register(project: ProjectRef, batch: OrderedBatch): Promise<void>;
  /**
   * Without indexes, the whole batch. Nothing is to be done where there is no coordinator. False where it
   * could not be told.
   */
  ended(project: ProjectRef, batchId: string, indexes?: readonly number[]): Promise<boolean>;
  /** @throws when it cannot be asked, or does not answer in time. */
  ask(project: ProjectRef, question: TurnQuestion): Promise<TurnReply>;
}

/** What is asked of this share and of the coordinator; `matches` are not hashed yet. */
export type TurnsRequest = Omit<TurnQuestion, 'behind' | 'passAfterMs'>;

export interface FindTurnsResult {
  readonly waiting: readonly InLine[];
  /** Sentences for people: of patterns that take many documents for one, and of an order not asked for. */
  readonly notices?: readonly string[];
  /** Documents that go though an earlier one has not ended: nobody runs its batch. */
  readonly passing?: readonly { readonly index: number; readonly before: Omit<InLine['behind'], 'path'> }[];
  /** Documents that a later revision has overtaken while nobody ran their batch; they do not go. */
  readonly overtaken?: readonly { readonly index: number; readonly by: Overtaker }[];
}

/** The parts of a share that show the order of revisions, and where it is noted. */
export type QueueShare = NamedShare & BatchNotes & RevisionQueues & TemporalMarks;

export interface TurnsDeps {
  readonly share: QueueShare;
  readonly coordinators: Coordinators;
  readonly temporal: OurTemporal;
  /** Of the activity, from 1. */
  readonly attempt: number;
}

/**
 * The coordinator is asked so often before a batch goes on by what its share shows: a
 * tender must not wait for the order of revisions.
 */
const PATIENT_ATTEMPTS = 5;
const HASH_CHARACTERS = 12;

const ORDER_UNKNOWN =
  'The order could not be asked for over all shares of the project, so it was kept within this share only.';

type LocalTurns = Awaited<ReturnType<QueueShare['findWaiting']>>;
type Turns = Extract<TurnReply, { kind: 'turns' }>;

/** @throws what the coordinators throw, as long as they were not asked PATIENT_ATTEMPTS times. */
export async function findTurnsOf(deps: TurnsDeps, request: TurnsRequest): Promise<FindTurnsResult> {
  const { share } = deps;
  const { batchId, indexes, ended } = request;
  const local = await share.findWaiting({ batchId, indexes, ended });
  const turns = await askUntold(deps, request, local);
  const onShareOnly = local.waiting.map(({ index, behind }) => ({
    index,
    behind: { ...behind, isOnShareOnly: true },
  }));
  if (turns === undefined) return { waiting: onShareOnly, notices: [...local.notices, ORDER_UNKNOWN] };
  const unknown = new Set(turns.unknown);
  const waiting = new Map<number, InLine>(
    onShareOnly.filter(({ behind }) => unknown.has(behind.batchId)).map(one => [one.index, one]),
  );
  for (const { index, behind } of turns.waiting) {
    waiting.set(index, { index, behind: await withPath(share, behind) });
  }
  const { passing, overtaken } = turns;
  return {
    waiting: [...waiting.values()],
    ...(local.notices.length === 0 ? {} : { notices: local.notices }),
    ...(passing.length === 0 ? {} : { passing }),
    ...(overtaken.length === 0 ? {} : { overtaken }),
  };
}

/** Tells the coordinator which documents of the batch are on their way; one that is finished has none. */
export async function registerBatch(
  { share, coordinators }: Pick<TurnsDeps, 'share' | 'coordinators'>,
  batchId: string,
  ended: readonly number[] = [],
): Promise<void> {
  const queued = await share.describeQueued(batchId);
  const open = queued?.documents.filter(({ isEnded, index }) => !isEnded && !ended.includes(index)) ?? [];
  const [first] = open;
  if (queued === undefined || first === undefined) return;
  await coordinators.register(queued.project, {
    batchId,
    share: share.name,
    claimedAt: first.claimedAt,
    documents: open.map(({ index, keys, revision, modifiedNs, matches, isIntended, overtakenBy }) => ({
      index,
      keys: keys.map(hashKey),
      // A date before 1970 is as good as the first there is.
      modifiedNs: String(modifiedNs < 0n ? 0n : modifiedNs),
      ...(revision === undefined ? {} : { revision }),
      ...(matches === undefined ? {} : { matches: hash(matches) }),
      ...(isIntended ? { isLetGo: true } : {}),
      ...(overtakenBy === undefined ? {} : { overtakenBy }),
    })),
  });
}

/**
 * Tells the coordinator what of a batch has ended. Where others of it are held, its run has nothing more to
 * say for days, and whoever waits on another share has nobody else to hear it from: then a coordinator that
 * cannot be told is told again, as often as one is asked.
 * @throws ApplicationFailure that is retried.
 */
export async function tellEnded(
  { coordinators, attempt }: Pick<TurnsDeps, 'coordinators' | 'attempt'>,
  project: ProjectRef,
  ended: { readonly batchId: string; readonly indexes?: readonly number[]; readonly isAnyHeld: boolean },
): Promise<void> {
  const { batchId, indexes, isAnyHeld } = ended;
  const isTold = await coordinators.ended(project, batchId, indexes);
  if (isTold || !isAnyHeld || attempt >= PATIENT_ATTEMPTS) return;
  throw ApplicationFailure.retryable(
    'The coordinator of the project cannot be told what has ended',
    'SERVICE_UNAVAILABLE',
  );
}

/** Notes it in the batch's journal; a batch that is finished meanwhile has nothing left to come late. */
export async function noteOvertaken(share: QueueShare, { batchId, documents }: OvertakenNote): Promise<void> {
  if ((await share.describeQueued(batchId)) === undefined) return;
  await share.appendRecord(batchId, { kind: 'overtaken', documents });
}

/**
 * It may have been away when documents ended, and nobody may have told it since: what this share shows of
 * those that it lets others wait for, it is told, and asked once more.
 */
async function askUntold(
  deps: TurnsDeps,
  request: TurnsRequest,
  { waiting, ended }: LocalTurns,
): Promise<Turns | undefined> {
  const turns = await askPatiently(deps, request, waiting);
  const isUntold = turns?.waiting.some(({ behind }) =>
    ended.some(({ batchId, index }) => batchId === behind.batchId && index === behind.index),
  );
  if (turns === undefined || isUntold !== true) return turns;
  const { share, coordinators } = deps;
  // All of these lines at once: others that ended in the same time may stand behind those.
  for (const batchId of new Set(ended.map(one => one.batchId))) {
    const indexes = ended.flatMap(one => (one.batchId === batchId ? [one.index] : []));
    await coordinators.ended(share.config.project, batchId, indexes);
  }
  const again = await askPatiently(deps, request, waiting);
  // Who goes by the first reply has gone in the second, which names nobody again that it passes.
  return again === undefined ? turns : { ...again, passing: [...turns.passing, ...again.passing] };
}

/** Undefined when asking failed often enough, or the coordinator has no room. */
async function askPatiently(
  deps: TurnsDeps,
  request: TurnsRequest,
  waiting: readonly InLine[],
): Promise<Turns | undefined> {
  try {
    return await ask(deps, request, waiting);
  } catch (error) {
    if (deps.attempt < PATIENT_ATTEMPTS) throw error;
    return undefined;
  }
}

async function ask(
  deps: TurnsDeps,
  request: TurnsRequest,
  waiting: readonly InLine[],
): Promise<Turns | undefined> {
  const { share, coordinators } = deps;
  const { project } = share.config;
  const question: TurnQuestion = {
    ...request,
    matches: request.matches.map(({ index, matches }) => ({ index, matches: hash(matches) })),
    behind: waiting.map(({ index, behind }) => ({ index, batchId: behind.batchId })),
    passAfterMs: share.config.passStoppedMs ?? SHARE_DEFAULTS.passStoppedMs,
  };
  let reply = await coordinators.ask(project, question);
  const strangers = reply.kind === 'unregistered' ? [request.batchId] : reply.unknown;
  const registered = await registerAll(deps, strangers, request);
  if (registered > 0) reply = await coordinators.ask(project, question);
  // Still not registered: the coordinator has no room for the batch.
  return reply.kind === 'turns' ? reply : undefined;
}

/**
 * Tells the coordinator of batches that it has forgotten, or never heard of because nobody runs them. Returns
 * how many it told of.
 */
async function registerAll(
  deps: TurnsDeps,
  batchIds: readonly string[],
  { batchId: own, ended }: TurnsRequest,
): Promise<number> {
  let count = 0;
  for (const batchId of batchIds) {
    const hold = await deps.share.temporals.holdOf(batchId, deps.temporal).catch(() => undefined);
    // Another Temporal carries it: what becomes of it is seen on the share only.
    if (hold !== undefined && !hold.isOurs) continue;
    if (batchId !== own && (await deps.share.describeQueued(batchId)) === undefined) continue;
    await registerBatch(deps, batchId, batchId === own ? ended : []);
    count++;
  }
  return count;
}

async function withPath(
  share: QueueShare,
  behind: Turns['waiting'][number]['behind'],
): Promise<InLine['behind']> {
  const { share: where, ...rest } = behind;
  if (where !== share.name) return behind;
  const path = await share.pathOf(behind);
  return path === undefined ? rest : { ...rest, path };
}

/** The key's first word (`name` or `number`) stays readable: numbers can be a pattern's mistake. */
function hashKey(key: string): string {
  return `${key.slice(0, key.indexOf(' '))} ${hash(key)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_CHARACTERS);
}
