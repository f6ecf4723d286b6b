// What is told of operations, from what was seen. Pure.
import { createHash } from 'node:crypto';
import { tellCount } from '../../../activities/registers/words/outcome-words';
import type { Dependency } from '../../../activities/scope/dependency-away';
import type { SeenLimit } from '../../../activities/service/rate/shared-rate-gate';
import {
  dayNumber,
  type OperationsPage,
  type PartKind,
  type PartState,
  type StoppedGroup,
} from '../contract/operations';
import { texts } from '../texts/texts';
import { QUARTER_MS, type Quarter } from './day-ring';
import { goesOnByItself, type Seen, type SeenStopped } from './lookout';
import { tellEach } from './tell-each';
import type { AskedDependency, KnownNumbers } from './worker-numbers';

/** Unix ms of the last response of a dependency that the workers whose numbers are known have seen. */
export type Answered = (dependency: AskedDependency) => number | undefined;

const ASKED = { service: 'api', storage: 'storage', 'sign-in': 'authentication' } as const;

export interface TellInput {
  readonly seen: Seen;
  readonly day: readonly (Quarter | undefined)[];
  /** Of workers; undefined: none tells them here. */
  readonly known: KnownNumbers | undefined;
  readonly answered: Answered;
  readonly nowMs: number;
  readonly version: string;
  readonly temporalHref: string | null;
  /** Which shares the person may see. */
  readonly maySee: (share: string) => boolean;
  readonly mayResume: (batch: SeenStopped) => boolean;
}

const KINDS: Readonly<Record<Dependency, PartKind>> = {
  api: 'service',
  storage: 'storage',
  authentication: 'sign-in',
  temporal: 'temporal',
  share: 'share',
};

type Part = OperationsPage['parts'][number];
type Away = OperationsPage['away'][number];

export function tellOperations(input: TellInput): OperationsPage {
  const { seen, day, known, nowMs } = input;
  const away = listAway(input);
  const stopped = groupStopped(seen.stopped, input);
  const unserved = seen.runs.unserved
    .filter(({ share }) => share === undefined || input.maySee(share))
    .map(({ share = null, batches, documents }) => ({ share, batches, documents }));
  const otherRuns = seen.runs.others.filter(
    ({ progress, share }) => progress?.blocked !== undefined && (share === undefined || input.maySee(share)),
  ).length;
  const marksUntilMs = (Math.floor(nowMs / QUARTER_MS) + 1) * QUARTER_MS;
  const hourly = longLimitOf(known);
  return {
    at: toMoment(nowMs),
    away,
    unserved,
    mustAct: unserved.length + otherRuns > 0 || stopped.some(({ goesOnByItself }) => !goesOnByItself),
    parts: listParts(input, away).map(part => ({ ...part, marks: toMarks(day, partKey(part)) })),
    marksUntil: toMoment(marksUntilMs),
    stopped,
    notLookedAt: listNotLookedAt(seen),
    limits: known === undefined ? null : known.limits.map(limit => tellLimit(limit, nowMs)),
    state: {
      ...tellState(input),
      tokenUntil: known?.tokenUntilMs == null ? null : toMoment(known.tokenUntilMs),
      workers: known?.others == null ? null : { ...known.others, versions: [...known.others.versions] },
      version: input.version,
      otherRuns,
      temporalHref: input.temporalHref,
    },
    day: {
      numbers: tellEach(dayNumber.options, name => day.map(quarter => quarter?.numbers[name] ?? null)),
      requestsLimit:
        hourly === undefined ? null : Math.round((hourly.limit * QUARTER_MS) / windowMsOf(hourly)),
    },
  };
}

function listNotLookedAt({ runs: { limitedTo = {} }, stoppedLimitedTo }: Seen): string[] {
  const words = texts.operations;
  return [
    ...(limitedTo.batches === undefined ? [] : [words.batchesLimited(tellCount(limitedTo.batches))]),
    ...(limitedTo.others === undefined ? [] : [words.othersLimited(tellCount(limitedTo.others))]),
    ...(stoppedLimitedTo === undefined ? [] : [words.stoppedLimited(tellCount(stoppedLimitedTo))]),
  ];
}

/** The limit for more than a minute, such as that of an hour, where the service has told of one. */
export function longLimitOf(known: KnownNumbers | undefined): SeenLimit | undefined {
  return known?.limits.find(({ longestMs }) => longestMs > QUARTER_MS / 15);
}

/** The window in ms that a person would name: the longest time to a reset that was told, rounded up. */
function windowMsOf({ longestMs }: SeenLimit): number {
  return [1_000, 10_000, 60_000, QUARTER_MS, 3_600_000, 86_400_000].find(ms => longestMs <= ms) ?? longestMs;
}

function tellLimit(seen: SeenLimit, nowMs: number): NonNullable<OperationsPage['limits']>[number] {
  const { limit, remaining, resetInMs } = seen;
  return {
    limit,
    remaining,
    fullAt: toMoment(nowMs + resetInMs),
    windowSeconds: windowMsOf(seen) / 1_000,
  };
}

function listAway({ seen, maySee }: Pick<TellInput, 'seen' | 'maySee'>): Away[] {
  const waiting = seen.runs.away.map(
    ({ dependency, share, sinceMs, why, batches, documents, nextAttemptMs }) => ({
      kind: KINDS[dependency],
      share: share ?? null,
      since: sinceMs === null ? null : toMoment(sinceMs),
      why,
      batches,
      documents,
      nextTry: nextAttemptMs === null ? null : toMoment(nextAttemptMs),
    }),
  );
  const isKnown = (kind: PartKind, share: string | null) =>
    waiting.some(each => each.kind === kind && each.share === share);
  const own: Away[] = [];
  const none = { batches: 0, documents: 0, nextTry: null };
  if (seen.temporalAwayMs !== undefined && !isKnown('temporal', null))
    own.push({
      kind: 'temporal',
      share: null,
      since: toMoment(seen.temporalAwayMs),
      why: texts.operations.noAnswer,
      ...none,
    });
  for (const { name, why, awayMs } of seen.shares)
    if (why !== undefined && awayMs !== undefined && !isKnown('share', name))
      own.push({ kind: 'share', share: name, since: toMoment(awayMs), why, ...none });
  return [...waiting, ...own].filter(({ share }) => share === null || maySee(share));
}

function listParts(
  { seen, maySee, answered }: Pick<TellInput, 'seen' | 'maySee' | 'answered'>,
  away: readonly Away[],
): readonly Omit<Part, 'marks'>[] {
  const isSeen = (kind: PartKind) => {
    if (!Object.hasOwn(ASKED, kind)) return true;
    const atMs = answered(ASKED[kind as keyof typeof ASKED]);
    return atMs !== undefined && seen.atMs - atMs < QUARTER_MS;
  };
  const part = (kind: PartKind, share: string | null = null): Omit<Part, 'marks'> => {
    const found = away.find(each => each.kind === kind && each.share === share);
    const isKnown = kind === 'temporal' || kind === 'share' || seen.temporalAwayMs === undefined;
    const state: PartState =
      found !== undefined ? 'away' : !isKnown ? 'unknown' : isSeen(kind) ? 'here' : 'quiet';
    return { kind, share, state, since: found?.since ?? null, why: found?.why ?? null };
  };
  const shares = seen.shares.filter(({ name }) => maySee(name));
  return [
    part('service'),
    part('storage'),
    part('sign-in'),
    part('temporal'),
    ...shares.map(({ name }) => part('share', name)),
    tellWorkers(seen, shares),
  ];
}

function tellWorkers({ isServiceServed }: Seen, shares: Seen['shares']): Omit<Part, 'marks'> {
  const base = { kind: 'workers', share: null, since: null } as const;
  if (isServiceServed === undefined) return { ...base, state: 'unknown', why: null };
  const unserved = shares.filter(({ isServed }) => isServed === false).map(({ name }) => name);
  if (!isServiceServed && unserved.length === shares.length)
    return { ...base, state: 'away', why: texts.operations.noWorker };
  if (!isServiceServed) return { ...base, state: 'slow', why: texts.operations.serviceUnserved };
  if (unserved.length > 0)
    return {
      ...base,
      state: 'slow',
      why: texts.operations.unserved(unserved),
    };
  return { ...base, state: 'here', why: null };
}

/** The name of a part in the marks of the day. */
function partKey({ kind, share }: Pick<Part, 'kind' | 'share'>): string {
  return share === null ? kind : `${kind}/${share}`;
}

const MARKS: Readonly<Record<PartState, 'h' | 's' | 'a' | undefined>> = {
  here: 'h',
  slow: 's',
  away: 'a',
  // Nobody has seen that it is well.
  quiet: undefined,
  unknown: undefined,
};

/** Of all shares: who may see which is asked when they are told. */
export function toPartMarks(seen: Seen, answered: Answered): Quarter['parts'] {
  const input = { seen, answered, maySee: () => true };
  return Object.fromEntries(
    listParts(input, listAway(input)).flatMap(part => {
      const mark = MARKS[part.state];
      return mark === undefined ? [] : [[partKey(part), mark] as const];
    }),
  );
}

function toMarks(day: readonly (Quarter | undefined)[], key: string): string {
  return day.map(quarter => quarter?.parts[key] ?? '-').join('');
}

/** What only waits for an answer is not among them. */
function groupStopped(
  stopped: readonly SeenStopped[],
  { maySee, mayResume }: Pick<TellInput, 'maySee' | 'mayResume'>,
): StoppedGroup[] {
  const groups = new Map<string, SeenStopped[]>();
  for (const batch of stopped) {
    if (batch.state === 'held' || (batch.shareName !== undefined && !maySee(batch.shareName))) continue;
    const key = causeKey(batch);
    groups.set(key, [...(groups.get(key) ?? []), batch]);
  }
  return [...groups].flatMap(([key, batches]) => {
    const [first] = batches;
    if (first === undefined) return [];
    const since = batches.flatMap(({ sinceMs }) => sinceMs ?? []);
    return [
      {
        key,
        state: first.state,
        cause: first.reason.text,
        cure: first.reason.fix ?? null,
        shares: [...new Set(batches.flatMap(({ shareName }) => shareName ?? []))].sort((one, other) =>
          one < other ? -1 : 1,
        ),
        batches: batches.length,
        documents: batches.reduce((sum, { documents = 0 }) => sum + documents, 0),
        since: since.length === 0 ? null : toMoment(Math.min(...since)),
        goesOnByItself: goesOnByItself(first),
        mayResume: batches.some(mayResume),
      },
    ];
  });
}

/** Batches that stopped for the same cause have the same key. */
export function causeKey({ state, reason: { code, text } }: SeenStopped): string {
  return createHash('sha256')
    .update(JSON.stringify([state, code, text]))
    .digest('hex')
    .slice(0, 16);
}

function tellState({ seen, maySee }: TellInput) {
  const shares = seen.shares.filter(({ name }) => maySee(name));
  const numbers = shares.flatMap(share => share.numbers ?? []);
  const oldest = numbers.flatMap(({ oldestMs }) => oldestMs ?? []);
  const running = seen.runs.running.filter(({ share }) => share === undefined || maySee(share));
  const held = running.flatMap(({ progress }) => progress?.held ?? []);
  return {
    dropFiles: numbers.reduce((sum, { files }) => sum + files, 0),
    dropIsMore: numbers.some(({ isMore }) => isMore),
    dropOldest: oldest.length === 0 ? null : toMoment(Math.min(...oldest)),
    batches: running.length,
    batchesWaiting: running.filter(({ isAway }) => isAway === true).length,
    held: held.length,
    heldOldest: held.length === 0 ? null : toMoment(Math.min(...held.map(({ sinceMs }) => sinceMs))),
  };
}

function toMoment(ms: number): string {
  return new Date(ms).toISOString();
}
