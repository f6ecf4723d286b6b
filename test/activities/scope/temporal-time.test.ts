// How late it is by Temporal's clock, which says of each attempt when it was put into its queue alone; when
// one began it says to who asks.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { Worker } from '@temporalio/worker';
import { askBegunMs, TemporalTime } from '../../../activities/scope/temporal-time';
import { SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { useNamespace } from '../../setup/temporal-namespace';

const temporal = useNamespace();

const MINUTE_MS = 60_000;
/** What Temporal's clock shows when the monotonic one begins. */
const BEGIN_MS = 1_800_000_000_000;

test('an attempt that lay long in its queue does not make it earlier than one before told', () => {
  const time = new TemporalTime();
  time.note(1_000, BEGIN_MS + 990);
  time.note(2 * MINUTE_MS, BEGIN_MS + MINUTE_MS);
  expect(time.at(2 * MINUTE_MS)).toBe(BEGIN_MS + 2 * MINUTE_MS - 10);
});

test('nor does a first one, once another lay shorter', () => {
  const time = new TemporalTime();
  time.note(2 * MINUTE_MS, BEGIN_MS + MINUTE_MS);
  expect(time.at(2 * MINUTE_MS)).toBe(BEGIN_MS + MINUTE_MS);
  time.note(3 * MINUTE_MS, BEGIN_MS + 3 * MINUTE_MS - 5);
  expect(time.at(4 * MINUTE_MS + 0.7)).toBe(BEGIN_MS + 4 * MINUTE_MS - 5);
});

test('an attempt that is handed out before its time does not set it ahead, where a first one has told', () => {
  const time = new TemporalTime();
  time.note(MINUTE_MS, BEGIN_MS + MINUTE_MS - 5);
  time.note(2 * MINUTE_MS, BEGIN_MS + 3 * MINUTE_MS, true);
  expect(time.at(2 * MINUTE_MS)).toBe(BEGIN_MS + 2 * MINUTE_MS - 5);
  // Nor within the hour in which that counts.
  time.note(32 * MINUTE_MS, BEGIN_MS + 33 * MINUTE_MS, true);
  expect(time.at(32 * MINUTE_MS)).toBe(BEGIN_MS + 32 * MINUTE_MS - 5);
});

test('where none but repeated ones come, these tell', () => {
  const time = new TemporalTime();
  time.note(MINUTE_MS, BEGIN_MS + MINUTE_MS - 5, true);
  expect(time.at(2 * MINUTE_MS)).toBe(BEGIN_MS + 2 * MINUTE_MS - 5);
});

test('where a clock was set back, it is followed within an hour', () => {
  const time = new TemporalTime();
  time.note(0, BEGIN_MS);
  const setBackMs = 10 * MINUTE_MS;
  for (let ms = MINUTE_MS; ms <= 61 * MINUTE_MS; ms += MINUTE_MS) time.note(ms, BEGIN_MS + ms - setBackMs);
  expect(time.at(61 * MINUTE_MS)).toBe(BEGIN_MS + 51 * MINUTE_MS);
});

test('when an attempt began is told of one that lay in its queue, too', async () => {
  const connection = temporal.native;
  const common = { connection, namespace: temporal.namespace, taskQueue: SERVICE_TASK_QUEUE };
  const handle = await temporal.client.workflow.start('observationWorkflow', {
    workflowId: `observation/${randomUUID()}`,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [{ companyId: '5001', projectId: '7001', type: 'Safety', name: 'Loose rail' }],
  });
  const decides = await Worker.create({ ...common, workflowBundle: { codePath: temporal.bundlePath } });
  await decides.runUntil(async () => {
    while (((await handle.describe()).raw.pendingActivities ?? []).length === 0) await delay(100);
  });
  const layMs = 2_000;
  await delay(layMs);
  const told: (number | undefined)[] = [];
  const resolveObservation = async () => {
    const { currentAttemptScheduledTimestampMs: queuedMs } = Context.current().info;
    told.push(queuedMs, await askBegunMs(), Date.now());
    return { kind: 'unresolved', reasons: [{ code: 'type', text: 'No such type.', fix: '' }] };
  };
  const serves = await Worker.create({
    ...common,
    workflowBundle: { codePath: temporal.bundlePath },
    activities: { resolveObservation },
  });
  await serves.runUntil(handle.result().catch(() => undefined));
  const [queuedMs = 0, begunMs, nowMs = 0] = told;
  expect(begunMs).toBeGreaterThanOrEqual(queuedMs + layMs);
  expect(begunMs).toBeLessThanOrEqual(nowMs + 10);
});

test('nothing is told where nobody can be asked', async () => {
  expect(await askBegunMs()).toBeUndefined();
});
