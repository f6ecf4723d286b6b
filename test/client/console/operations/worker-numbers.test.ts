// Numbers of workers in other processes, read over a real socket from what they serve.
import { WorkersInNumbers } from '../../../../client/console/operations/worker-numbers';
import { type ServedMetrics, serveMetrics } from '../../../../workers/metrics/serve-metrics';
import { ProcessStanding } from '../../../../workers/metrics/standing';
import { WorkMetrics } from '../../../../workers/metrics/work-metrics';

const served: ServedMetrics[] = [];
afterEach(async () => {
  for (const each of served.splice(0)) await each.close();
});

function createWork(remaining: number): WorkMetrics {
  const work = new WorkMetrics();
  work.follow({
    limits: () => [{ limit: 3600, remaining, resetInMs: 12_000, longestMs: 3_500_000 }],
    token: {
      describe: () => ({ generation: 1, expiresAtMs: Date.now() + 60_000, grant: 'client_credentials' }),
    },
    away: () => [],
  } as never);
  return work;
}

async function serve(work: WorkMetrics, version: string, port = 0): Promise<string> {
  work.all.gauge('drawbridge_info', 'The version.', () => [{ labels: { version }, value: 1 }]);
  const listen = `127.0.0.1:${port}`;
  const standing = new ProcessStanding();
  const one = await serveMetrics({ listen, metrics: work.all, standing, logger: { info: () => undefined } });
  served.push(one as ServedMetrics);
  return `127.0.0.1:${one?.port}`;
}

test('what workers count from now on is added up, also over a restart of one; who is silent is said once', async () => {
  const [first, second, own] = [createWork(2_396), createWork(2_000), createWork(3_000)];
  first.documents.add({ share: 'a "quoted\\ name"', outcome: 'submitted', reason: '' }, 100);
  first.tellProof({ dependency: 'api', tried: 'GET /projects' });
  const addresses = [await serve(first, '0.2.0'), await serve(second, '0.1.0'), '127.0.0.1:1'];
  const said: object[] = [];
  const logger = { info: (each: object) => said.push(each), warn: (each: object) => said.push(each) };
  const workers = new WorkersInNumbers(own, addresses, logger as never);
  own.documents.add({ share: 'tender', outcome: 'submitted', reason: '' }, 3);
  const nowMs = Date.now();
  const known = await workers.read(nowMs);
  expect(known).toMatchObject({
    limits: [{ limit: 3600, remaining: 2_000, longestMs: 3_500_000 }],
    others: { named: 3, telling: 2, versions: ['0.1.0', '0.2.0'] },
    counts: { submitted: 3, requests: 0 },
  });
  expect(known?.tokenUntilMs).toBeGreaterThan(nowMs + 55_000);
  expect(nowMs - (known?.answeredMs.api ?? 0)).toBeLessThan(5_000);
  expect(said).toEqual([{ event: 'console-worker-silent', worker: '127.0.0.1:1' }]);

  first.documents.add({ share: 'tender', outcome: 'submitted', reason: '' }, 7);
  first.documents.add({ share: 'tender', outcome: 'set-apart', reason: 'x' }, 9);
  first.bytes.add({}, 1_000);
  first.requests.add({ operation: 'GET /x', status: '429' }, 1);
  second.requests.add({ operation: 'GET /x', status: 'ok' }, 20);
  second.responseTimes.observe(0.2);
  expect((await workers.read(nowMs))?.counts).toMatchObject({
    submitted: 10,
    setApart: 9,
    bytes: 1_000,
    requests: 21,
    refused: 1,
    times: [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  });

  await served.splice(1, 1)[0]?.close();
  const again = createWork(1_000);
  again.requests.add({ operation: 'GET /x', status: 'ok' }, 5);
  await serve(again, '0.2.0', Number(addresses[1]?.split(':')[1]));
  const after = await workers.read(nowMs);
  expect(said).toHaveLength(1);
  expect(after?.counts).toMatchObject({ submitted: 10, requests: 26, refused: 1, bytes: 1_000 });
  expect(after?.others?.versions).toEqual(['0.2.0']);
});

test('without a worker here, and none named, nothing is known', async () => {
  expect(await new WorkersInNumbers(undefined, [], {} as never).read(0)).toBeUndefined();
});
