// What many hosts, shares, documents and accounts need, reckoned from what one batch costs: by itself, and
// the coordinator of its project, which hears of every batch. Pure: the tests beside the counts of a batch
// (batches/counts.test.ts, batches/coordinator.test.ts) hold these costs to what a run really takes. What is
// spent on held documents, outages and on waiting for an earlier revision is not in it.

/**
 * Of a clean batch of 100 documents, as `counts.test.ts` sees it; there it fails when one is 15 % off.
 * `waiting` is what it costs more where it has the service's own limit of 25 requests in 10 s to keep to, by
 * `npm run bench -- limits`: 17 heartbeats, and nine attempts that begin anew when there is room again.
 */
export const BATCH = {
  documents: 100,
  requests: 306,
  events: 94,
  actions: 16,
  historyBytes: 282_000,
  waiting: 26,
};

/** What Temporal is asked for and keeps, without waiting. */
export interface TemporalCost {
  readonly events: number;
  readonly actions: number;
  readonly historyBytes: number;
}

/**
 * Of a clean batch of 100 to the run that orders its project's revisions, as `coordinator.test.ts` sees it;
 * there it fails when one is 15 % off. The first of a row starts the coordinator, which ends when it has
 * heard nothing for ten to twenty minutes.
 */
export const COORDINATOR: Readonly<Record<'first' | 'next', TemporalCost>> = {
  first: { events: 35, actions: 8, historyBytes: 17_000 },
  next: { events: 17, actions: 4, historyBytes: 14_700 },
};

export interface Fleet {
  readonly documentsPerDay: number;
  /** A batch has a hundred at most; with fewer it is taken to cost Temporal the same. */
  readonly documentsPerBatch: number;
  /** Of one project, with less than ten minutes between two. 1 is dear: each starts a coordinator. */
  readonly batchesInARow: number;
  /** Each the only one of its project. */
  readonly shares: number;
  readonly accounts: number;
  readonly requestsPerHour: number;
  readonly hosts: number;
  /** Hosts with work for one account at the same time. */
  readonly hostsPerAccount: number;
  readonly meanFileBytes: number;
  /** In which the day's documents come. */
  readonly busyHours: number;
  /** From its claim to its receipt; 154 s is what a batch of 100 alone takes at 25 requests in 10 s. */
  readonly minutesOfBatch: number;
  readonly retentionDays: number;
}

export const MILLION_A_DAY: Fleet = {
  documentsPerDay: 1_000_000,
  documentsPerBatch: 100,
  batchesInARow: 1,
  shares: 1_000,
  accounts: 50,
  requestsPerHour: 3_600,
  hosts: 10,
  hostsPerAccount: 2,
  meanFileBytes: 2 * 1024 ** 2,
  busyHours: 24,
  minutesOfBatch: 5,
  retentionDays: 3,
};

/** Open, report, look; the others are of the batch. */
const REQUESTS_A_FILE = 3;
/** A host with work asks for its part of the rate limit so often an hour, where it has others beside it. */
const LEASES_PER_HOUR = 60;
/** A run a share and hour looks whether its template is as the project is: its start and its activity. */
const TEMPLATE_ACTIONS_PER_HOUR = 2;

export interface Needs {
  readonly batchesPerDay: number;
  /** Of what the accounts allow in the hours in which documents come; above 1 they do not get through. */
  readonly limitUsed: number;
  readonly actionsPerDay: number;
  readonly actionsPerSecond: number;
  /** With what it costs to wait for the limit, which is billed as well. */
  readonly billedActionsPerDay: number;
  readonly billedActionsPerSecond: number;
  /** Of batches and coordinators. */
  readonly eventsPerSecond: number;
  readonly historyGibibytesKept: number;
  readonly sentMebibytesPerSecond: number;
}

export function needsOf(fleet: Fleet): Needs {
  const batchesPerDay = batchesPerDayOf(fleet);
  const ofBatch = BATCH.requests - REQUESTS_A_FILE * BATCH.documents;
  const requests = REQUESTS_A_FILE * fleet.documentsPerDay + ofBatch * batchesPerDay;
  const busySeconds = fleet.busyHours * 3_600;
  const leases =
    fleet.hostsPerAccount < 2
      ? 0
      : fleet.accounts * fleet.hostsPerAccount * LEASES_PER_HOUR * fleet.busyHours;
  const templates = fleet.shares * 24 * TEMPLATE_ACTIONS_PER_HOUR;
  const cost = costOf(fleet);
  const busyActions = batchesPerDay * cost.actions + leases;
  const waiting = batchesPerDay * BATCH.waiting;
  const perSecond = (inBusyHours: number): number => inBusyHours / busySeconds + templates / 86_400;
  return {
    batchesPerDay,
    limitUsed: requests / (fleet.accounts * fleet.requestsPerHour * fleet.busyHours),
    actionsPerDay: busyActions + templates,
    actionsPerSecond: perSecond(busyActions),
    billedActionsPerDay: busyActions + waiting + templates,
    billedActionsPerSecond: perSecond(busyActions + waiting),
    eventsPerSecond: (batchesPerDay * cost.events) / busySeconds,
    historyGibibytesKept: (batchesPerDay * cost.historyBytes * fleet.retentionDays) / 1024 ** 3,
    sentMebibytesPerSecond: (fleet.documentsPerDay * fleet.meanFileBytes) / 1024 ** 2 / busySeconds,
  };
}

export function batchesPerDayOf({ documentsPerDay, documentsPerBatch }: Fleet): number {
  return documentsPerDay / documentsPerBatch;
}

/** Of a batch and of the coordinator for it, on the average of those that follow each other. */
function costOf(fleet: Fleet): TemporalCost {
  const ofCoordinator = coordinatorCostOf(fleet);
  return {
    events: BATCH.events + ofCoordinator.events,
    actions: BATCH.actions + ofCoordinator.actions,
    historyBytes: BATCH.historyBytes + ofCoordinator.historyBytes,
  };
}

export function coordinatorCostOf({ batchesInARow }: Fleet): TemporalCost {
  const { first, next } = COORDINATOR;
  const mean = (of: keyof TemporalCost): number =>
    (first[of] + (batchesInARow - 1) * next[of]) / batchesInARow;
  return { events: mean('events'), actions: mean('actions'), historyBytes: mean('historyBytes') };
}
