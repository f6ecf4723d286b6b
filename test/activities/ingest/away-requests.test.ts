// What an outage of Steps 4, 5 and 7 costs a batch in requests, counted by the stand-in: its three loads or
// analyses try side by side for hours, each attempt after the pause that the one before asked for, on a clock
// of the test's own.
import { MockActivityEnvironment } from '@temporalio/testing';
import { createBatchActivities, createIngestActivities } from '../../../activities/ingest/ingest-activities';
import { ProjectLookups } from '../../../activities/ingest/project-lookups';
import { Releases } from '../../../activities/ingest/releases';
import { ProjectEvidence } from '../../../activities/transfer/evidence';
import { HashPool } from '../../../activities/transfer/hashing/hash-file';
import type { FileToSend } from '../../../activities/transfer/ports';
import { UndiciStorage } from '../../../activities/transfer/storage/storage';
import type { FaultOrder } from '../../sandbox/control';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { useSandboxClient } from '../../setup/sandbox-client';
import { FakeClock } from '../transfer/fake-clock';
import { SampleFolder } from '../transfer/sample-files';

const bed = useSandboxClient();
const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
const HOUR_MS = 3_600_000;
const MOST_AN_HOUR = 100;
const LOADS = 3;
const FILES_A_LOAD = 20;

const FAILS: FaultOrder['action'] = { kind: 'status', status: 500, reasonCode: 'INTERNAL_ERROR' };

let clock: FakeClock;
let folder: SampleFolder;
let storage: UndiciStorage;
let hashing: HashPool;
let files: readonly FileToSend[];

beforeEach(async () => {
  clock = new FakeClock();
  folder = await SampleFolder.create();
  storage = new UndiciStorage({ allowInsecureLoopback: true, connections: 8 });
  hashing = new HashPool({ threads: 1 });
  files = await Promise.all(
    Array.from({ length: LOADS * FILES_A_LOAD }, (_, index) => folder.file(`file-${index}.pdf`, 100)),
  );
});

afterEach(async () => {
  await storage.close();
  await hashing.close();
  await folder.remove();
});

function ingest() {
  const { client, tokens } = bed();
  return createIngestActivities({
    client,
    tokens,
    lookups: new ProjectLookups(client),
    sleep: async () => undefined,
    releases: new Releases(),
    seeHold: async () => 'ours',
    draining: new AbortController().signal,
  });
}

function transfer() {
  const share = {
    fileToSend: async (_batchId: string, index: number) => files[index],
    appendRecord: async () => undefined,
    isReachable: async () => ({ kind: 'reachable' }),
  };
  return createBatchActivities({
    client: bed().client,
    engine: { storage, hashing, clock },
    releases: new Releases(),
    evidence: new ProjectEvidence(),
    share,
    draining: new AbortController().signal,
  } as never).transferFiles;
}

/** What one of several tries, and when it is to try again. */
interface Trier {
  readonly activity: () => Promise<unknown>;
  dueMs: number;
  attempt: number;
  details: unknown;
}

async function tryOnce(trier: Trier): Promise<boolean> {
  const environment = new MockActivityEnvironment({
    attempt: trier.attempt,
    heartbeatDetails: trier.details,
    currentAttemptScheduledTimestampMs: Date.now(),
  } as never);
  environment.on('heartbeat', details => {
    trier.details = details;
  });
  try {
    await environment.run(trier.activity);
    return true;
  } catch (error: unknown) {
    const { nextRetryDelay } = error as { readonly nextRetryDelay?: number };
    if (nextRetryDelay === undefined) throw error;
    trier.attempt += 1;
    trier.dueMs = clock.monotonicMs() + Number(nextRetryDelay);
    return false;
  }
}

async function tryUntil(triers: readonly Trier[], endMs: number): Promise<readonly Trier[]> {
  let left = triers;
  for (;;) {
    const [next] = left.toSorted((one, other) => one.dueMs - other.dueMs);
    if (next === undefined || next.dueMs > endMs) return left;
    clock.advance(Math.max(0, next.dueMs - clock.monotonicMs()));
    if (await tryOnce(next)) left = left.filter(each => each !== next);
  }
}

async function countRequests(): Promise<number> {
  const requests = Object.entries(await bed().control.requests());
  const ofApi = requests.filter(([route]) => !/^(storage|oauth)\./.test(route));
  return ofApi.reduce((sum, [, count]) => sum + count, 0);
}

/** All begin at the same moment, and stand the outage for four hours. */
async function busiestHour(triers: readonly Trier[]): Promise<number> {
  await Promise.all(triers.map(tryOnce));
  const startedMs = clock.monotonicMs();
  let most = 0;
  for (let hour = 1; hour <= 4; hour++) {
    const before = await countRequests();
    expect(await tryUntil(triers, startedMs + hour * HOUR_MS)).toHaveLength(triers.length);
    const inHour = (await countRequests()) - before;
    if (hour > 1) most = Math.max(most, inHour);
  }
  return most;
}

function threeTimes(activity: (load: number) => Promise<unknown>): Trier[] {
  return Array.from({ length: LOADS }, (_, load) => ({
    activity: () => activity(load),
    dueMs: 0,
    attempt: 1,
    details: undefined,
  }));
}

function indexesOf(load: number): number[] {
  return Array.from({ length: FILES_A_LOAD }, (_, position) => load * FILES_A_LOAD + position);
}

describe.each<[string, FaultOrder]>([
  ['502 to each session', { route: 'files.create', action: { kind: 'status', status: 502 } }],
  ['500 to each session', { route: 'files.create', action: FAILS }],
  ['503 to each session', { route: 'files.create', action: { kind: 'status', status: 503 } }],
  ['500 to each report', { route: 'files.patch', action: FAILS }],
  ['500 to each look', { route: 'files.show', action: FAILS }],
  ['a reset at the storage', { route: 'storage.put', action: { kind: 'cut-request' } }],
  ['403 of the storage', { route: 'storage.put', action: { kind: 'expired-url' } }],
])('Step 5 is away: %s', (_, fault) => {
  test('three loads ask one after the other, minutes apart; nothing is set apart, all is sent afterwards', async () => {
    const transferFiles = transfer();
    const results: Awaited<ReturnType<typeof transferFiles>>[] = [];
    const triers = threeTimes(async load => {
      const input = { batchId: 'B', project, indexes: indexesOf(load), isLong: true };
      results.push(await transferFiles(input as never));
    });
    await bed().control.addFault({ ...fault, times: 0 });
    const most = await busiestHour(triers);
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThanOrEqual(MOST_AN_HOUR);
    await bed().control.clearFaults();
    expect(await tryUntil(triers, clock.monotonicMs() + HOUR_MS)).toEqual([]);
    expect(results.flatMap(result => result.files)).toHaveLength(files.length);
    expect(results.flatMap(result => result.refused)).toEqual([]);
  });
});

test('Step 4 is away: what is sent whole and in halves is tried minutes apart', async () => {
  const { createUploads } = ingest();
  const named = files.map(({ fileName }, index) => ({ index, fileName, mimeType: 'application/pdf' }));
  const triers = threeTimes(async () => createUploads({ project, files: named } as never)).slice(0, 1);
  await bed().control.addFault({ route: 'uploads.create', times: 0, action: FAILS });
  const most = await busiestHour(triers);
  expect(most).toBeGreaterThan(5);
  expect(most).toBeLessThanOrEqual(MOST_AN_HOUR);
});

test('Step 7 is away, without bulk read and list: one upload is asked for, of each of three analyses', async () => {
  const { createUploads, readUploads } = ingest();
  const named = files.map(({ fileName }, index) => ({ index, fileName, mimeType: 'application/pdf' }));
  const creating = async () => await createUploads({ project, files: named } as never);
  const { created } = (await new MockActivityEnvironment().run(creating)) as Awaited<
    ReturnType<typeof creating>
  >;
  const triers = threeTimes(async load => {
    const items = created
      .filter(({ index }) => indexesOf(load).includes(index))
      .map(({ index, uploadId }) => ({ ...named[index], index, uploadId, values: {} }));
    await readUploads({ project, defaults: {}, naming: 'file', items } as never);
  });
  const { control } = bed();
  for (const route of ['uploads.selected', 'uploads.list']) {
    await control.addFault({ route, times: 0, action: { kind: 'status', status: 404 } });
  }
  await control.addFault({ route: 'uploads.show', times: 0, action: FAILS });
  const most = await busiestHour(triers);
  expect(most).toBeGreaterThan(5);
  // Now and then, each asks for the bulk read and the list as well.
  expect(most).toBeLessThanOrEqual(MOST_AN_HOUR);
});
