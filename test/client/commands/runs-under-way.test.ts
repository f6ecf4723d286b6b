// Commands whose run of the same id is under way already, given something else: what is told, and counts as
// done, is their own.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { main } from '../../../client/main';
import { SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { usePrinted } from '../../setup/printed';
import { Rig } from '../../setup/rig';
import { useTemporaryFolder } from '../../setup/temporary-folder';

let rig: Rig;
const printed = usePrinted();

beforeAll(async () => {
  rig = await Rig.start({
    webhooks: {
      destinationUrl: 'https://hooks.example.com/webhooks',
      scopes: [{ companyId: DEFAULT_COMPANY_ID }],
      triggers: [
        {
          name: 'look',
          resource: 'Observation Items',
          events: ['update'],
          signal: { workflowId: 'observation/{projectId}/{resourceId}', name: 'resume' },
        },
      ],
    },
  });
  process.env.TEMPORAL_ADDRESS = rig.temporal.address;
  process.env.TEMPORAL_NAMESPACE = rig.temporal.namespace;
});
beforeEach(async () => {
  await rig.control.reset();
});
afterEach(async () => {
  await rig.stopWorker();
});
afterAll(async () => {
  delete process.env.TEMPORAL_ADDRESS;
  delete process.env.TEMPORAL_NAMESPACE;
  await rig.close();
});

const run = (...args: string[]) => main(['--config', `${rig.folder}/drawbridge.json`, ...args], 'drawbridge');

/** Until this is printed, or for five seconds where nothing prints it. */
async function untilPrinted(text: string): Promise<void> {
  for (const until = performance.now() + 5_000; performance.now() < until; await delay(50))
    if (printed.text.includes(text)) return;
}

async function untilRuns(workflowId: string): Promise<void> {
  const { client } = rig.temporal;
  for (;;) {
    const described = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    if (described?.status.name === 'RUNNING') return;
    await delay(50);
  }
}

async function effects(): Promise<(string | undefined)[]> {
  return (await rig.control.operations()).filter(({ kind }) => kind === 'effect').map(({ what }) => what);
}

test('webhooks ensure --remove removes, after an earlier ensure that still waited', async () => {
  const earlier = run('webhooks', 'ensure');
  await untilRuns(`webhooks/${DEFAULT_COMPANY_ID}/company/drawbridge`);
  const removal = run('webhooks', 'ensure', '--remove');
  await untilPrinted('waited for first');
  await rig.startWorker();
  expect(await Promise.all([earlier, removal])).toEqual([0, 0]);
  expect(printed.text).toMatch(/hook \d+ made[\s\S]*no hook, hook \d+ removed/);
  expect(await effects()).toEqual(expect.arrayContaining(['hook-created', 'hook-deleted']));
});

describe('users change-template', () => {
  const change = (template: string, ...more: string[]) =>
    run('users', 'change-template', '9004', template, '--share', 'tender', ...more);

  test('gives the template that was asked for, after an earlier change', async () => {
    const earlier = change('302');
    await untilPrinted('started');
    const ours = change('303');
    await untilPrinted('waits for an earlier change');
    await rig.startWorker();
    expect(await Promise.all([earlier, ours])).toEqual([0, 0]);
    expect(printed.text).toMatch(/9004 +9004 +changed +Project Admin/);
  });

  test('says that it was not started where it does not wait', async () => {
    const earlier = change('302');
    await untilPrinted('started');
    expect(await change('303', '--no-wait')).toBe(4);
    expect(printed.text).toContain('not started');
    process.exitCode = undefined;
    await rig.startWorker();
    expect(await earlier).toBe(0);
  });
});

describe('change-orders put', () => {
  const folder = useTemporaryFolder();
  const put = (amount: string, ...more: string[]) => {
    const file = join(folder(), `${amount}.json`);
    const lineItems = [{ description: 'Piles', amount }];
    const order = { contractId: '6001', tiers: 1, originId: 'WAY-1', title: 'Piles', lineItems };
    writeFileSync(file, JSON.stringify(order));
    return run('change-orders', 'put', file, ...more);
  };

  test('corrects the order after what was put before is there; without waiting, it says so', async () => {
    const earlier = put('10.10');
    await untilPrinted('started');
    expect(await put('11.11', '--no-wait')).toBe(1);
    expect(printed.text).toContain('put this again');
    printed.clear();
    const ours = put('11.11');
    await untilPrinted('waited for first');
    await rig.startWorker();
    expect(await Promise.all([earlier, ours])).toEqual([0, 0]);
    expect(printed.text).toMatch(/package .* 11\.11 /);
  });
});

test('observations send-unsent with a wrong number leaves alone what somebody else has confirmed', async () => {
  await rig.startWorker();
  const made = await rig.temporal.client.workflow.execute('observationWorkflow', {
    workflowId: 'observation/runs-under-way',
    taskQueue: SERVICE_TASK_QUEUE,
    args: [
      {
        companyId: DEFAULT_COMPANY_ID,
        projectId: DEFAULT_PROJECTS.plain,
        type: 'Warranty',
        name: 'Leak',
        until: 'created',
      },
    ],
  });
  expect(made).toMatchObject({ outcome: 'created' });
  await rig.control.addFault({
    route: 'observations.sendUnsent',
    action: { kind: 'unavailable', retryAfter: 1 },
  });
  const mailing = run('observations', 'send-unsent', '--confirm', '1');
  while ((await rig.control.requests())['observations.sendUnsent'] === undefined) await delay(50);
  printed.clear();
  expect(await run('observations', 'send-unsent', '--confirm', '7')).toBe(1);
  expect(printed.text).not.toContain('Nothing was sent');
  expect(printed.text).toContain('they may be mailed already');
  await rig.control.clearFaults();
  expect(await mailing).toBe(0);
  expect(printed.text).toContain('1 were mailed.');
});
