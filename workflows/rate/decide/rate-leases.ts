// Who may use how much of an account's rate limit: parts with an end, handed out to hosts. Pure; times are
// handed in. A part is never two hosts' at once: what one gives up or leaves behind rests for a window's
// length, so that whoever has it next finds it unused.

/** What a host says of itself. */
export interface LeaseQuestion {
  readonly host: string;
  /** How much of the account it has work for, 0 to 1; 0 gives back what it has. */
  readonly want: number;
  /**
   * Part of the account, 0 to 1, that it uses now without a lease: 1 where it took itself for the only host,
   * or went by what the service says remains.
   */
  readonly uses: number;
  /** It has only just come: a host that takes itself for the only one may not have seen it yet. */
  readonly isNew: boolean;
  /** The shortest window of the service, as its responses have told: how many requests, in how long. */
  readonly limit?: number | undefined;
  readonly periodMs?: number | undefined;
}

export interface LeaseReply {
  /** Of the account, 0 to 1. */
  readonly part: number;
  /** By the host's own clock, from when it asked. */
  readonly forMs: number;
  /** Less than is due to it, since others have more still: it asks again soon. */
  readonly isShort: boolean;
}

interface Holder {
  readonly host: string;
  readonly want: number;
  /** In units of the whole. */
  readonly part: number;
  readonly endsAtMs: number;
}

export interface LeaseState {
  /** The limit of the shortest window: the account is cut into so many units. */
  readonly whole: number;
  readonly periodMs: number;
  readonly holders: readonly Holder[];
  readonly resting: readonly { readonly part: number; readonly untilMs: number }[];
}

/** Renewed after two thirds of it. It is long because Temporal counts each renewal as an action. */
export const LEASE_MS = 90_000;
/** A reply may be under way so long; the host counts from its question. */
const END_SLACK_MS = 2_000;
const UNKNOWN_WHOLE = 1_000;
const UNKNOWN_PERIOD_MS = 10_000;
/** Where the only limit is by the hour, no part rests so long: each response shows what remains of it. */
const LONGEST_REST_MS = 20_000;

export const NO_LEASES: LeaseState = {
  whole: UNKNOWN_WHOLE,
  periodMs: UNKNOWN_PERIOD_MS,
  holders: [],
  resting: [],
};

/**
 * Answers a host's question. `isCalling`: others have more than is due to them, and should ask again.
 * @param keepsWindow false only where a run of an earlier release is replayed.
 */
export function askLease(
  before: LeaseState,
  question: LeaseQuestion,
  nowMs: number,
  keepsWindow = true,
): { readonly state: LeaseState; readonly reply: LeaseReply; readonly isCalling: boolean } {
  const known = endLeases(measure(before, question, keepsWindow), nowMs);
  const others = known.holders.filter(({ host }) => host !== question.host);
  const has = known.holders.find(({ host }) => host === question.host)?.part ?? 0;
  const uses = Math.max(has, Math.round(question.uses * known.whole));
  const wants = [...others, { host: question.host, want: question.want }];
  const targets = fairParts(wants, known.whole);
  const due = targets.get(question.host) ?? 0;
  const isTooEarly = question.isNew && others.length === 0;
  const free = isTooEarly ? 0 : known.whole - sumOf(others) - sumOf(known.resting);
  // What it uses already is taken from nobody.
  const part = Math.max(0, Math.min(due, Math.max(free, uses)));
  const returned = uses - part;
  const holder = {
    host: question.host,
    want: question.want,
    part,
    endsAtMs: nowMs + LEASE_MS + END_SLACK_MS,
  };
  const isShort = part < due;
  return {
    reply: { part: part / known.whole, forMs: LEASE_MS, isShort },
    isCalling:
      (isShort || part > free) && others.some(({ host, part: theirs }) => theirs > (targets.get(host) ?? 0)),
    state: {
      ...known,
      holders: question.want > 0 ? [...others, holder] : others,
      resting:
        returned > 0 ? [...known.resting, { part: returned, untilMs: nowMs + rest(known) }] : known.resting,
    },
  };
}

/** Whether no host has a lease any more. */
export function isIdle(state: LeaseState, nowMs: number): boolean {
  return endLeases(state, nowMs).holders.length === 0;
}

/** Whole units, as even as they go: nobody has more than it wants while another has less than it wants. */
export function fairParts(
  wants: readonly { readonly host: string; readonly want: number }[],
  whole: number,
): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  const open = wants
    .map(({ host, want }) => ({ host, most: want <= 0 ? 0 : Math.max(1, Math.ceil(want * whole - 1e-6)) }))
    .sort((one, other) => one.most - other.most || (one.host < other.host ? -1 : 1));
  let left = whole;
  open.forEach(({ host, most }, index) => {
    // Those who want least come first; what they leave is the others'.
    const part = Math.min(most, Math.floor(left / (open.length - index)));
    parts.set(host, part);
    left -= part;
  });
  return parts;
}

/** A host whose lease has ended has no part any more, whatever became of the host. */
function endLeases(state: LeaseState, nowMs: number): LeaseState {
  const ended = state.holders.filter(({ endsAtMs }) => endsAtMs <= nowMs);
  const resting = [
    ...state.resting,
    ...ended.map(({ part, endsAtMs }) => ({ part, untilMs: endsAtMs + rest(state) })),
  ];
  return {
    ...state,
    holders: state.holders.filter(({ endsAtMs }) => endsAtMs > nowMs),
    resting: resting.filter(({ part, untilMs }) => part > 0 && untilMs > nowMs),
  };
}

/** Whether the host knows only of a longer window than the one whose requests the parts are counted in. */
export function isOfLongerWindow(state: LeaseState, { limit, periodMs }: LeaseQuestion): boolean {
  if (limit === undefined || periodMs === undefined || limit === state.whole) return false;
  return state.whole !== UNKNOWN_WHOLE && periodMs > 2 * state.periodMs;
}

/** Parts are counted in requests of the shortest window; when its limit changes, all are measured anew. */
function measure(state: LeaseState, question: LeaseQuestion, keepsWindow: boolean): LeaseState {
  const { limit, periodMs } = question;
  if (limit === undefined || periodMs === undefined) return state;
  const isLonger = isOfLongerWindow(state, question);
  // With its length kept, the next question of this kind would not be of a longer window any more.
  if (isLonger && keepsWindow) return state;
  if (isLonger || limit === state.whole) return { ...state, periodMs };
  const anew = <Part extends { readonly part: number }>(each: Part): Part => ({
    ...each,
    part: Math.ceil((each.part * limit) / state.whole - 1e-6),
  });
  return { whole: limit, periodMs, holders: state.holders.map(anew), resting: state.resting.map(anew) };
}

function rest({ periodMs }: LeaseState): number {
  return Math.min(LONGEST_REST_MS, periodMs + 1_000);
}

function sumOf(parts: readonly { readonly part: number }[]): number {
  return parts.reduce((sum, { part }) => sum + part, 0);
}
