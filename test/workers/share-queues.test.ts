// How the queues of a share are asked for work: what waits for an idle one costs Temporal memory.
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { withResolvers } from '../../activities/host/with-resolvers';
import { taskQueuesOfShare } from '../../workflows/contract';
import { Rig } from '../setup/rig';

let rig: Rig;

beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rig.close();
});

test('each queue of a share has one waiting call while it is idle, and up to ten when it works', async () => {
  const create = jest.spyOn(Worker, 'create');
  await rig.startWorker();
  const queues = taskQueuesOfShare('tender');
  while (create.mock.calls.length <= queues.length) await delay(20);
  const asked = create.mock.calls.map(([{ taskQueue, activityTaskPollerBehavior: how }]) => [taskQueue, how]);
  const sparing = { type: 'autoscaling', minimum: 1, initial: 1, maximum: 10 };
  expect(asked.slice(1)).toEqual(queues.map(queue => [queue, sparing]));
});

test('a worker that is ended while its queues are being opened gives all of them back', async () => {
  const create = Worker.create.bind(Worker);
  const created: Worker[] = [];
  const lastQueue = taskQueuesOfShare('tender').at(-1);
  const isLast = withResolvers();
  jest.spyOn(Worker, 'create').mockImplementation(async options => {
    if (options.taskQueue === lastQueue) isLast.resolve();
    const worker = await create(options);
    created.push(worker);
    return worker;
  });
  const running = await rig.startWorker();
  await isLast.promise;
  await running.shutdown();
  expect(created).toHaveLength(5);
  expect(created.map(worker => worker.getState())).toEqual(created.map(() => 'STOPPED'));
});
