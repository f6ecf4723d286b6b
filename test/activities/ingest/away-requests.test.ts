// What an outage of Steps 4 to 7 costs a batch in requests, counted by the stand-in: its three loads or
// analyses try side by side for hours, each attempt after the pause that the one before asked for, on a clock
// of the test's own.
import { MockActivityEnvironment } from '@temporalio/testing';
import type { LinkItem } from '../../../activities/ingest/api';
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
/** Those of the loads are the first of them; all are linked together. */
const FILES = 100;

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
    Array.from({ length: FILES }, (_, index) => folder.file(`file-${index}.pdf`, 100)),
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

/**
 * All begin at the same moment, and stand the outage for so long.
 * @param counted the hours that count.
 */
async function busiestHour(triers: readonly Trier[], counted = { from: 2, to: 4 }): Promise<number> {
  await Promise.all(triers.map(tryOnce));
  const startedMs = clock.monotonicMs();
  let most = 0;
  for (let hour = 1; hour <= counted.to; hour++) {
    const before = await countRequests();
    expect(await tryUntil(triers, startedMs + hour * HOUR_MS)).toHaveLength(triers.length);
    const inHour = (await countRequests()) - before;
    if (hour >= counted.from) most = Math.max(most, inHour);
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

function nameFiles() {
  return files.map(({ fileName }, index) => ({ index, fileName, mimeType: 'application/pdf' }));
}

/** In an activity whose first attempt succeeds. */
async function run<Result>(activity: () => Promise<Result>): Promise<Result> {
  return (await new MockActivityEnvironment().run(activity)) as Result;
}

async function createAll() {
  const { createUploads } = ingest();
  return (await run(() => createUploads({ project, files: nameFiles() } as never))).created;
}

async function withoutReads(routes: readonly string[]): Promise<void> {
  for (const route of routes) {
    await bed().control.addFault({ route, times: 0, action: { kind: 'status', status: 404 } });
  }
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
    expect(results.flatMap(result => result.files)).toHaveLength(LOADS * FILES_A_LOAD);
    expect(results.flatMap(result => result.refused)).toEqual([]);
  });
});

test('Step 4 is away: what is sent whole and in halves is tried minutes apart', async () => {
  const { createUploads } = ingest();
  const named = nameFiles();
  const triers = threeTimes(async () => createUploads({ project, files: named } as never)).slice(0, 1);
  await bed().control.addFault({ route: 'uploads.create', times: 0, action: FAILS });
  const most = await busiestHour(triers);
  expect(most).toBeGreaterThan(5);
  expect(most).toBeLessThanOrEqual(MOST_AN_HOUR);
});

test('Step 7 is away, without bulk read and list: one upload is asked for, of each of three analyses', async () => {
  const { readUploads } = ingest();
  const named = nameFiles();
  const created = await createAll();
  const triers = threeTimes(async load => {
    const items = created
      .filter(({ index }) => indexesOf(load).includes(index))
      .map(({ index, uploadId }) => ({ ...named[index], index, uploadId, values: {} }));
    await readUploads({ project, defaults: {}, naming: 'file', items } as never);
  });
  await withoutReads(['uploads.selected', 'uploads.list']);
  await bed().control.addFault({ route: 'uploads.show', times: 0, action: FAILS });
  const most = await busiestHour(triers);
  expect(most).toBeGreaterThan(5);
  // Now and then, each asks for the bulk read and the list as well.
  expect(most).toBeLessThanOrEqual(MOST_AN_HOUR);
});

describe('Step 6 is away', () => {
  const asked = { runId: '00000000-0000-0000-0000-000000000000' };
  const unavailable: FaultOrder['action'] = { kind: 'status', status: 503 };
  const all = Array.from({ length: FILES }, (_, index) => index);
  const projects: [string, readonly string[]][] = [
    ['has the bulk read', []],
    ['has the list of uploads alone', ['uploads.selected']],
    ['has neither of them', ['uploads.selected', 'uploads.list']],
  ];
  /** Those that the service had done when it went away in the middle of a request. */
  const heard = <Item>(items: readonly Item[]) => items.slice(20, 60);

  async function sendAll(): Promise<readonly LinkItem[]> {
    const created = await createAll();
    const transferFiles = transfer();
    const sent = await run(() =>
      transferFiles({ batchId: 'B', project, indexes: all, isLong: true } as never),
    );
    const fileUploadIds = new Map(sent.files.map(({ index, fileUploadId }) => [index, fileUploadId]));
    return created.map(({ index, uploadId }) => {
      return { index, uploadId, fileUploadId: fileUploadIds.get(index)!, writes: [] };
    });
  }

  async function link(items: readonly LinkItem[]) {
    const { linkUploads } = ingest();
    return await run(() => linkUploads({ project, fieldIds: [], items, asked }));
  }

  async function linkAll() {
    const linked = await sendAll();
    await link(linked);
    const { fields } = await new ProjectLookups(bed().client).rules(project);
    const fieldId = fields.find(({ name }) => name === 'remarks')!.id;
    return linked.map(({ index, uploadId }) => {
      return { index, uploadId, fields: [{ fieldId, values: ['given'] }] };
    });
  }

  /** One activity that stands the outage, and what it comes to when that is over. */
  async function standFor<Result>(
    action: FaultOrder['action'],
    missing: readonly string[],
    activity: () => Promise<Result>,
    mostAnHour = MOST_AN_HOUR,
  ): Promise<Result | undefined> {
    let result: Result | undefined;
    const work = async () => {
      result = await activity();
    };
    const trier = { activity: work, dueMs: 0, attempt: 1, details: undefined };
    await withoutReads(missing);
    const fault = await bed().control.addFault({ route: 'uploads.patch', times: 0, action });
    const most = await busiestHour([trier], { from: 1, to: 2 });
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThan(mostAnHour);
    await bed().control.removeFault(fault);
    expect(await tryUntil([trier], clock.monotonicMs() + HOUR_MS)).toEqual([]);
    return result;
  }

  /** Of each upload, how often Step 6 had an effect on it since then. */
  async function countEffects(sinceSeq = 0): Promise<readonly number[]> {
    const counts = new Map((await bed().control.uploads()).map(({ id }) => [id, 0]));
    for (const { kind, route, detail } of await bed().control.operations(sinceSeq)) {
      const id = String(detail?.uploadId);
      if (kind === 'effect' && route === 'uploads.patch') counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return [...counts.values()];
  }

  async function latestSeq(): Promise<number | undefined> {
    return (await bed().control.operations()).at(-1)?.seq;
  }

  function sorted(indexes: readonly number[] = []): readonly number[] {
    return [...indexes].sort((one, other) => one - other);
  }

  describe.each(projects)('in a project that %s, one of a hundred asks for all', (_, missing) => {
    // What was heard is found by one look at each at most, in all the hours together.
    const mostAnHour = (areSomeHeard: boolean) =>
      MOST_AN_HOUR + (areSomeHeard && missing.includes('uploads.list') ? FILES : 0);

    test.each([
      ['none was heard', false],
      ['some were heard', true],
    ])('each is linked once: %s', async (_case, areSomeHeard) => {
      const items = await sendAll();
      if (areSomeHeard) await link(heard(items));
      const { linkUploads } = ingest();
      const result = await standFor(
        unavailable,
        missing,
        () => linkUploads({ project, fieldIds: [], items, asked }),
        mostAnHour(areSomeHeard),
      );
      expect(result).toMatchObject({ kind: 'answered', failed: [], missing: [], repeated: true });
      expect(result?.kind === 'answered' && sorted(result.linked)).toEqual(all);
      const statuses = (await bed().control.uploads()).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set(['COMPLETED']));
      expect(await countEffects()).toEqual(all.map(() => 1));
    });

    test.each<[string, FaultOrder['action'], boolean]>([
      ['503, none was heard', unavailable, false],
      ['500, some were heard', FAILS, true],
    ])('values are written over what stands there, once: %s', async (_case, action, areSomeHeard) => {
      const items = await linkAll();
      const sinceSeq = await latestSeq();
      const { writeValues } = ingest();
      const write = async (some: typeof items) =>
        await writeValues({ project, onlyEmpty: false, items: some, asked });
      if (areSomeHeard) await run(() => write(heard(items)));
      const result = await standFor(action, missing, () => write(items), mostAnHour(areSomeHeard));
      expect(result).toMatchObject({ missing: [], refused: [], changed: [] });
      expect(sorted(result?.written)).toEqual(all);
      expect(await countEffects(sinceSeq)).toEqual(all.map(() => 1));
    });
  });

  test('three strands write over what stands there: each of their tries is a look and a request', async () => {
    const items = await linkAll();
    const { writeValues } = ingest();
    const triers = threeTimes(async load => {
      const some = items.filter(({ index }) => indexesOf(load).includes(index));
      await writeValues({ project, onlyEmpty: false, items: some, asked });
    });
    await bed().control.addFault({ route: 'uploads.patch', times: 0, action: unavailable });
    const most = await busiestHour(triers);
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThanOrEqual(MOST_AN_HOUR);
  });

  test.each([
    ['503', unavailable],
    ['500', FAILS],
  ])('empty fields are filled once, and one of a hundred asks for all: %s', async (_, action) => {
    const items = await linkAll();
    const sinceSeq = await latestSeq();
    const { writeValues } = ingest();
    const result = await standFor(action, [], () => writeValues({ project, onlyEmpty: true, items }));
    expect(result).toMatchObject({ missing: [], refused: [] });
    expect(sorted(result?.written)).toEqual(all);
    expect(await countEffects(sinceSeq)).toEqual(all.map(() => 1));
  });
});

test.each(['submitAgain', 'probeSubmission'] as const)(
  'Step 8 is away, and each attempt of %s ends for the run to see to the hold: they are tried minutes apart',
  async name => {
    const activities = ingest();
    const [created] = await createAll();
    const asked = { runId: new MockActivityEnvironment().context.info.workflowExecution?.runId };
    const input = { project, items: [{ ...created, eventId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }], asked };
    let attemptsBefore = 0;
    const [trier] = threeTimes(async () => activities[name]({ ...input, attemptsBefore } as never));
    if (trier === undefined) throw new RangeError('Nobody tries');
    await bed().control.addFault({ route: 'revisions.create', times: 0, action: FAILS });
    const delays: number[] = [];
    for (; attemptsBefore < 12; attemptsBefore++) {
      trier.attempt = 1;
      trier.details = undefined;
      expect(await tryOnce(trier)).toBe(false);
      delays.push(trier.dueMs - clock.monotonicMs());
    }
    expect(delays[0]).toBeLessThan(5_000);
    expect(delays.at(-1)).toBeGreaterThan(60_000);
  },
);
