// What many hosts, shares, documents and accounts need, reckoned from what one batch costs. Pure: the test
// beside the counts of a batch (batches/counts.test.ts) holds these costs to what a run really takes. What is
// spent on held documents, outages and the order of revisions is not in it.

/** Of a clean batch of 100 documents, as `counts.test.ts` sees it; there it fails when one is 15 % off. */
export const BATCH = { documents: 100, requests: 306, events: 94, actions: 16, historyBytes: 282_000 };

export interface Fleet {
  readonly documentsPerDay: number;
  /** A batch has a hundred at most; with fewer it is taken to cost Temporal the same. */
  readonly documentsPerBatch: number;
  readonly shares: number;
  readonly accounts: number;
  readonly requestsPerHour: number;
  /** Hosts with work for one account at the same time. */
  readonly hostsPerAccount: number;
  readonly meanFileBytes: number;
  /** In which the day's documents come. */
  readonly busyHours: number;
  readonly retentionDays: number;
}

export const MILLION_A_DAY: Fleet = {
  documentsPerDay: 1_000_000,
  documentsPerBatch: 100,
  shares: 1_000,
  accounts: 50,
  requestsPerHour: 3_600,
  hostsPerAccount: 2,
  meanFileBytes: 2 * 1024 ** 2,
  busyHours: 24,
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
  readonly eventsPerSecond: number;
  readonly historyGibibytesKept: number;
  readonly sentMebibytesPerSecond: number;
}

export function needsOf(fleet: Fleet): Needs {
  const batchesPerDay = fleet.documentsPerDay / fleet.documentsPerBatch;
  const ofBatch = BATCH.requests - REQUESTS_A_FILE * BATCH.documents;
  const requests = REQUESTS_A_FILE * fleet.documentsPerDay + ofBatch * batchesPerDay;
  const busySeconds = fleet.busyHours * 3_600;
  const leases =
    fleet.hostsPerAccount < 2
      ? 0
      : fleet.accounts * fleet.hostsPerAccount * LEASES_PER_HOUR * fleet.busyHours;
  const templates = fleet.shares * 24 * TEMPLATE_ACTIONS_PER_HOUR;
  const actionsPerDay = batchesPerDay * BATCH.actions + leases + templates;
  return {
    batchesPerDay,
    limitUsed: requests / (fleet.accounts * fleet.requestsPerHour * fleet.busyHours),
    actionsPerDay,
    actionsPerSecond: (batchesPerDay * BATCH.actions + leases) / busySeconds + templates / 86_400,
    eventsPerSecond: (batchesPerDay * BATCH.events) / busySeconds,
    historyGibibytesKept: (batchesPerDay * BATCH.historyBytes * fleet.retentionDays) / 1024 ** 3,
    sentMebibytesPerSecond: (fleet.documentsPerDay * fleet.meanFileBytes) / 1024 ** 2 / busySeconds,
  };
}
