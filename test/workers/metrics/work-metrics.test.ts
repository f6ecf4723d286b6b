import { ServiceUnavailableError } from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';
import { WorkMetrics } from '../../../workers/metrics/work-metrics';

const endpoint = { method: 'GET', path: '/projects/{projectId}/fields', origin: 'api' };

function senderThat(answer: () => Promise<unknown>): Sender {
  return { send: answer } as unknown as Sender;
}

test('a request is counted by its operation, never by what is asked for, and by its status', async () => {
  const metrics = new WorkMetrics();
  await metrics.countSender(senderThat(async () => 'fields')).send(endpoint as never, {} as never);
  const away = new ServiceUnavailableError('away', { effect: 'not-sent', status: 503, fault: 'status' });
  const failing = metrics.countSender(senderThat(async () => await Promise.reject(away)));
  await expect(failing.send(endpoint as never, {} as never)).rejects.toBe(away);
  const lines = await metrics.all.render();
  expect(lines).toContain(
    'drawbridge_requests_total{operation="GET /projects/{projectId}/fields",status="ok"} 1',
  );
  expect(lines).toContain('status="503"} 1');
});

test('documents are counted once: submitted ones as soon as it is noted, the others once their batch ends', async () => {
  const metrics = new WorkMetrics();
  const outcomes = [
    { kind: 'submitted', index: 0 },
    { kind: 'set-apart', index: 1, reason: { code: 'NOT_A_VALUE', text: '', fix: '' } },
    { kind: 'submitted', index: 2 },
  ];
  const run = async (activityType: string, given: object) =>
    await metrics
      .interceptor('tender')({ info: { activityType } } as never)
      .inbound?.execute?.({ args: [given], headers: {} }, async () => 'done');
  await run('appendRecord', { record: { kind: 'intent', uploads: outcomes } });
  await run('settleUp', { final: false, outcomes });
  expect(metrics.documents.sum()).toBe(0);
  expect(await run('appendRecord', { record: { kind: 'outcome', outcomes } })).toBe('done');
  const submitted = 'drawbridge_documents_total{share="tender",outcome="submitted",reason=""} 2';
  expect(metrics.documents.lines()).toEqual([submitted]);
  expect(await run('settleUp', { final: true, outcomes })).toBe('done');
  expect(metrics.documents.lines()).toEqual([
    submitted,
    'drawbridge_documents_total{share="tender",outcome="set-apart",reason="NOT_A_VALUE"} 1',
  ]);
  expect(await metrics.all.render()).toContain('drawbridge_step_seconds_count{step="settleUp"} 2');
});

test('what is left of the limit, the token and what is away are read when somebody looks', async () => {
  const metrics = new WorkMetrics();
  metrics.follow({
    limits: () => [{ limit: 3600, remaining: 2396, resetInMs: 12_000, longestMs: 3_600_000 }],
    token: {
      describe: () => ({ generation: 1, expiresAtMs: Date.now() + 60_000, grant: 'client_credentials' }),
    },
    away: () => [{ dependency: 'api', sinceMs: Date.now() - 34_000 }],
  } as never);
  const text = await metrics.all.render();
  expect(text).toContain('drawbridge_rate_remaining{window="3600"} 2396');
  expect(text).toMatch(/drawbridge_token_expires_seconds (59|60)/);
  expect(text).toMatch(/drawbridge_dependency_away_seconds\{dependency="api"\} 3[45]/);
});

test('how long ago a dependency answered does not jump when somebody sets the clock of the machine', async () => {
  const metrics = new WorkMetrics();
  metrics.tellProof({ dependency: 'api', tried: 'a request' });
  const toldMs = Date.now();
  const set = jest.spyOn(Date, 'now').mockReturnValue(toldMs - 3_600_000);
  const [, seconds] =
    /^drawbridge_dependency_answered_seconds\{dependency="api"\} (\S+)$/m.exec(await metrics.all.render()) ??
    [];
  set.mockRestore();
  expect(Number(seconds)).toBeGreaterThanOrEqual(0);
  expect(Number(seconds)).toBeLessThan(60);
  expect(Math.abs((metrics.answeredMs('api') ?? 0) - toldMs)).toBeLessThan(60_000);
});
