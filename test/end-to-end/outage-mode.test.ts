// An outage in the middle of several batches: one incident, seen from anywhere, and
// everything goes on when it is over.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { wakeAfterLogin } from '../../client/resume/wake-after-login';
import { listRunningBatches, type RunningBatch } from '../../client/status/batch-status';
import { groupByDependency } from '../../client/status/incident-list';
import { Rig } from '../setup/rig';
import { closeWithoutRemark } from './agreement';

const PATIENCE_MS = 60_000;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
  await rig.startWorker();
  await rig.startWatcher();
});
afterEach(async () => {
  await closeWithoutRemark(rig);
});

/** Running batches, once they are as `isThere` wants them. */
async function untilRunning(
  isThere: (batches: readonly RunningBatch[]) => boolean,
): Promise<readonly RunningBatch[]> {
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    const batches = await listRunningBatches(rig.temporal.client);
    if (isThere(batches)) return batches;
    if (performance.now() > deadline) throw new Error(`Not reached: ${JSON.stringify(batches)}`);
    await delay(100);
  }
}

/** Drops files and waits for their batch to be claimed, so that the next ones make another. */
async function dropBatches(count: number): Promise<number> {
  for (let batch = 0; batch < count; batch++) {
    rig.dropFiles({ [`B${batch}/one.pdf`]: `one ${batch}`, [`B${batch}/two.pdf`]: `two ${batch}` });
    await untilRunning(batches => batches.length > batch);
  }
  return count * 2;
}

function events(name: string): Record<string, unknown>[] {
  return readFileSync(rig.logFile, 'utf8')
    .split('\n')
    .filter(line => line.includes(`"event":"${name}"`))
    .map(line => JSON.parse(line) as Record<string, unknown>);
}

test('an outage is one incident, listed with all that waits, and over by itself', async () => {
  await rig.control.setOutages({ api: 'refuse' });
  const files = await dropBatches(3);
  const batches = await untilRunning(
    all =>
      all.length === 3 &&
      all.every(({ waiting, progress }) => waiting.length > 0 && progress?.documents === 2),
  );
  const away = groupByDependency(
    batches.flatMap(({ waiting }) => waiting),
    new Map(batches.map(({ workflowId }) => [workflowId, 2])),
  );
  expect(away).toHaveLength(1);
  expect(away).toMatchObject([
    { dependency: 'api', why: 'no connection (ECONNREFUSED)', batches: 3, documents: files },
  ]);
  expect(Date.now() - Number(away[0]?.sinceMs)).toBeLessThan(PATIENCE_MS);
  await rig.control.setOutages({ api: 'none' });
  await rig.untilSettled(files);
  expect(events('dependency-away')).toHaveLength(1);
  expect(events('dependency-back')).toMatchObject([{ dependency: 'api', batches: 3, documents: files }]);
});

test('refused credentials stop batches in sight, and a login lets them go on at once', async () => {
  const fault = { kind: 'status', status: 401, body: '{"error":"invalid_client"}' } as const;
  await rig.control.addFault({ route: 'oauth.token', action: fault, times: 0 });
  const files = await dropBatches(2);
  await untilRunning(
    all =>
      all.length === 2 && all.every(({ progress }) => progress?.blocked?.reason.code === 'LOGIN_REQUIRED'),
  );
  await rig.control.clearFaults();
  expect(await wakeAfterLogin(rig.temporal)).toMatchObject({ told: 2 });
  const receipts = await rig.untilSettled(files);
  expect(receipts.flatMap(receipt => receipt.files).map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: files }, () => 'submitted'),
  );
  expect(events('dependency-away')).toEqual([]);
});

interface Answers {
  readonly refusals: number;
  readonly taken: number;
  readonly exchanges: number;
}

/** Answers 401 and 2xx of the service itself so far, and tokens asked for. */
async function countTokens(): Promise<Answers> {
  const { 'oauth.token': exchanges = {}, ...others } = await rig.control.answers();
  const count = (numbers: readonly (number | undefined)[]) =>
    numbers.reduce<number>((sum, n) => sum + (n ?? 0), 0);
  return {
    refusals: count(Object.values(others).map(byStatus => byStatus['401'])),
    taken: count(
      Object.values(others).flatMap(byStatus => [byStatus['200'], byStatus['201'], byStatus['207']]),
    ),
    exchanges: count(Object.values(exchanges)),
  };
}

test('a token that was refused goes out no more while there is no other, however often all is tried again', async () => {
  const files = await dropBatches(3);
  const away = { kind: 'status', status: 503 } as const;
  await rig.control.addFault({ route: 'oauth.token', action: away, times: 0 });
  await rig.control.expireTokens();
  const before = await countTokens();
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    const { refusals, exchanges } = await countTokens();
    if (refusals + exchanges >= before.refusals + before.exchanges + 9) break;
    expect(performance.now()).toBeLessThan(deadline);
    await delay(50);
  }
  const { refusals } = await countTokens();
  // Those that were under way when it ended, and none of the tries since.
  expect(refusals).toBeGreaterThan(0);
  expect(refusals).toBeLessThanOrEqual(3);
  await rig.control.clearFaults();
  await rig.untilSettled(files);
  expect((await countTokens()).refusals).toBe(refusals);
  expect(await rig.control.revisions()).toHaveLength(files);
}, 90_000);

const TAKEN_WITH_EACH = 3;

test('tokens that end shortly after one another stop no batch', async () => {
  const files = await dropBatches(2);
  let isSettled = false;
  const settled = rig.untilSettled(files).finally(() => {
    isSettled = true;
  });
  // Where something else fails first, nobody waits for it any more.
  settled.catch(() => undefined);
  let ended = 0;
  for (; !isSettled; ended++) {
    await rig.control.expireTokens();
    // Who stands still for a person does so for half a minute at least.
    const blocked = (await listRunningBatches(rig.temporal.client)).flatMap(
      ({ progress }) => progress?.blocked ?? [],
    );
    expect(blocked).toEqual([]);
    // One that ends before requests were taken with it is no better than one that is refused; of those that
    // run beside each other, one alone must not meet the end of four.
    const { taken } = await countTokens();
    while (!isSettled && (await countTokens()).taken < taken + TAKEN_WITH_EACH) await delay(20);
  }
  await settled;
  // Two shortly after one another used to stop a batch; how many fit in depends on how few requests it takes.
  expect(ended).toBeGreaterThan(2);
  expect((await countTokens()).refusals).toBeGreaterThan(1);
  expect(await rig.control.revisions()).toHaveLength(files);
}, 90_000);

test('files that the service deleted for they were not linked in time are sent again under the same uploads', async () => {
  // 3 s by our clock; what is sent again is kept, however long that takes here.
  await rig.control.configure({ linkWithinSeconds: 300, mostForgottenOfAName: 1 });
  await rig.control.addFault({ route: 'uploads.patch', action: { kind: 'status', status: 503 }, times: 0 });
  const files = await dropBatches(1);
  await untilRunning(([batch]) => (batch?.waiting.length ?? 0) > 0);
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    const forgotten = (await rig.control.files()).filter(({ state }) => state === 'deleted');
    if (forgotten.length === files) break;
    expect(performance.now()).toBeLessThan(deadline);
    await delay(100);
  }
  await rig.control.configure({ linkWithinSeconds: 86_400 });
  await rig.control.clearFaults();
  await rig.untilSettled(files);
  // Twice the files, but not twice the uploads.
  expect(await rig.control.files()).toHaveLength(2 * files);
  expect(await rig.control.uploads()).toHaveLength(files);
  expect(await rig.control.revisions()).toHaveLength(files);
});
