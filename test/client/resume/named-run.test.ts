// A batch that was named and is not among what stopped short as asked for: its waiting is cut short, unless a
// filter leaves it out.
import type { Client } from '@temporalio/client';
import { describeNamedRun, type Named, wakeNamed } from '../../../client/resume/named-run';
import type { StoppedBatch, StoppedFilter } from '../../../client/resume/stopped-batch';
import { standInShare } from '../../../client/session/stand-in';

const SHARE = { ...standInShare('/share'), project: { companyId: '5001', projectId: '7001' } };
const BATCH = '20260131-093000-k3f9a2';
const ID = `ingest/7001/${BATCH}`;

/** Temporal with one run in this status; counts how often that is told to go on. */
function temporalWith(status: string, share: string | undefined = 'tender') {
  const told: string[] = [];
  const getHandle = (workflowId: string) => ({
    describe: async () => ({ status: { name: status }, memo: share === undefined ? {} : { share } }),
    signal: async () => void told.push(workflowId),
  });
  return { client: { workflow: { getHandle } } as unknown as Client, told };
}

const named = (filter: StoppedFilter = {}, more: Partial<Named> = {}): Named => ({
  name: BATCH,
  filter: { batchId: BATCH, ...filter },
  dryRun: false,
  ...more,
});

test.each<[StoppedFilter, string]>([
  [{ projectId: '9999' }, '--project'],
  [{ share: 'other' }, '--share'],
  [{ reason: 'terminated' }, '--reason'],
  [{ sinceMs: 1, share: 'tender' }, '--since'],
  [{ document: 'a.pdf', reason: 'x' }, '--reason and --document'],
])('one that runs and does not fit %j is left alone, and that is said', async (filter, options) => {
  const { client, told } = temporalWith('RUNNING');
  await expect(wakeNamed(client, [SHARE], named(filter))).rejects.toMatchObject({
    message: `${ID} is on its way and does not fit ${options}; nothing was done.`,
    exitCode: 1,
  });
  expect(told).toEqual([]);
});

test.each<StoppedFilter>([{}, { projectId: '7001' }, { share: 'tender', projectId: '7001' }])(
  'one that runs and fits %j is told not to wait, unless people only look',
  async filter => {
    const { client, told } = temporalWith('RUNNING');
    const looked = await wakeNamed(client, [SHARE], named(filter, { dryRun: true }));
    expect([describeNamedRun(looked), told]).toEqual([`${ID} is on its way.`, []]);
    const woken = await wakeNamed(client, [SHARE], named(filter));
    expect(describeNamedRun(woken)).toBe(`${ID} is on its way, and was told not to wait.`);
    expect(told).toEqual([ID]);
  },
);

test('one that stopped and was left out is told with why it stopped, whatever Temporal knows of it', async () => {
  const leftOut: StoppedBatch = {
    batchId: BATCH,
    workflowId: ID,
    projectId: '7001',
    state: 'terminated',
    reason: { code: 'terminated', text: 'Somebody terminated it: by mistake' },
    shareName: 'tender',
    sinceMs: 1_000,
  };
  const { client } = temporalWith('TERMINATED');
  const filter = { sinceMs: 2_000, reason: 'terminated', share: 'tender' };
  await expect(wakeNamed(client, [SHARE], named(filter, { leftOut }))).rejects.toMatchObject({
    message: `${ID} has stopped (terminated: Somebody terminated it: by mistake) and does not fit --since; nothing was done.`,
    exitCode: 1,
  });
});

test.each([
  ['COMPLETED', ID, 'has ended (completed); its receipt is on the share.'],
  ['TERMINATED', ID, 'has ended (terminated); no share that is seen from here has it unfinished.'],
  ['FAILED', 'change-order/7001/1', 'has ended (failed); the command that started it starts it again.'],
])('of one that has ended (%s) a receipt is told only where there is one', async (status, name, text) => {
  const { client, told } = temporalWith(status);
  const run = await wakeNamed(client, [SHARE], named({}, { name }));
  expect(describeNamedRun(run)).toBe(`${name} ${text}`);
  expect(told).toEqual([]);
});
