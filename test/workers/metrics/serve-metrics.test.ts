import { Metrics } from '../../../activities/host/metrics';
import { createLogger } from '../../../workers/logging';
import { serveMetrics } from '../../../workers/metrics/serve-metrics';
import { ProcessStanding } from '../../../workers/metrics/standing';

async function served(metrics: Metrics, standing: ProcessStanding) {
  const logger = createLogger({ level: 'silent' });
  const server = await serveMetrics({ listen: '127.0.0.1:0', metrics, standing, logger });
  if (server === undefined) throw new Error('It is not served');
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, init);
    return { status: answer.status, text: await answer.text() };
  };
  return { ask, close: server.close };
}

test('health says what it means: alive until it cannot go on, ready while something can be done', async () => {
  const standing = new ProcessStanding();
  let temporal: string | undefined = 'does not answer';
  standing.note('worker');
  standing.ask('Temporal', () => temporal);
  standing.noteShare('tender', 'not seen yet');
  standing.noteShare('archive');
  const { ask, close } = await served(new Metrics(), standing);
  try {
    expect(await ask('/healthz')).toEqual({ status: 200, text: 'alive\n' });
    expect(await ask('/readyz')).toEqual({
      status: 503,
      text: 'worker: here\nTemporal: does not answer\nshare tender: not seen yet\nshare archive: here\n',
    });
    temporal = undefined;
    expect((await ask('/readyz')).status).toBe(200);
    standing.noteShare('archive', 'its mount hangs');
    expect((await ask('/readyz')).status).toBe(503);
    standing.ended();
    expect(await ask('/healthz')).toEqual({ status: 503, text: 'cannot go on\n' });
  } finally {
    await close();
  }
});

test('numbers are read, and nothing else is there', async () => {
  const metrics = new Metrics();
  metrics.counter('seen_total', 'Seen.').add();
  const { ask, close } = await served(metrics, new ProcessStanding());
  try {
    expect((await ask('/metrics?x=1')).text).toContain('seen_total 1');
    expect((await ask('/metrics', { method: 'POST' })).status).toBe(404);
    expect((await ask('/')).status).toBe(404);
  } finally {
    await close();
  }
});

test('nothing is served where no address is configured', async () => {
  const logger = createLogger({ level: 'silent' });
  const input = { metrics: new Metrics(), standing: new ProcessStanding(), logger };
  expect(await serveMetrics({ ...input, listen: undefined })).toBeUndefined();
});
