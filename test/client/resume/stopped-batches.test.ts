// What `resume` finds on a share that this host can see, without asking Temporal about it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { Seals } from '../../../activities/share/files/seals';
import type { Share } from '../../../activities/share/share';
import { findStopped } from '../../../client/resume/stopped-batches';
import { ingestWorkflowId, type UploadId } from '../../../workflows/contract';
import {
  aHolder,
  claimAll,
  createTestBed,
  SHARE_KEY,
  type TestBed,
} from '../../activities/share/share-test-bed';

const OTHER_KEY = Buffer.alloc(32, 8);
const { temporal: ours } = aHolder('x');
/** Knows of no run. */
const client = { workflow: { list: async function* () {} } } as unknown as Client;

let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => {
  await bed.remove();
});

test('a batch that is sealed with another key is listed with both keys, and nobody is told to drop its files again', async () => {
  const before = await bed.open();
  await bed.drop('a.pdf');
  const { batchId } = await claimAll(before);
  rmSync(join(bed.root, '.drawbridge/key-id'));
  const share = await bed.open({}, { key: OTHER_KEY });
  const { batches } = await findStopped(client, [share], ours);
  expect(batches).toMatchObject([{ batchId, state: 'damaged', reason: { code: 'key-differs' } }]);
  const text = batches[0]?.reason.text ?? '';
  for (const key of [SHARE_KEY, OTHER_KEY]) expect(text).toContain(new Seals(key).keyId);
  expect(text).toContain('drop none of its files again');
});

describe('a batch of which something was sent before its share was given another project', () => {
  const created = { kind: 'created' as const, uploads: [{ index: 0, uploadId: 'U1' as UploadId }] };
  let batchId: string;
  let workflowId: string;
  let share: Share;
  beforeEach(async () => {
    const before = await bed.open();
    await bed.drop('a.pdf');
    ({ batchId } = await claimAll(before));
    await before.appendRecord(batchId, created);
    workflowId = ingestWorkflowId(bed.config.project, batchId);
    share = await bed.open({ project: { companyId: '1', projectId: '9' } });
  });

  test('is told by what its own run says', async () => {
    const reason = { code: 'MISCONFIGURED', text: 'It was begun for another project.', fix: 'Set it back.' };
    const knowing = aClient({ [workflowId]: { share: 'tender', held: [], blocked: { reason, sinceMs: 5 } } });
    const { batches } = await findStopped(knowing, [share], ours);
    const { projectId } = bed.config.project;
    expect(batches).toMatchObject([{ batchId, workflowId, projectId, state: 'blocked', reason }]);
  });

  test('is not told while its run goes on', async () => {
    const knowing = aClient({ [workflowId]: { share: 'tender', held: [] } });
    expect(await findStopped(knowing, [share], ours)).toEqual({ batches: [], setApart: [], unreadable: [] });
  });
});

/** Knows of these runs, each with what it answers. */
function aClient(runs: Readonly<Record<string, object>>): Client {
  const getHandle = (workflowId: string) => ({
    describe: async () => {
      if (runs[workflowId] === undefined) throw new WorkflowNotFoundError('none', workflowId, undefined);
      return { runId: 'R', status: { name: 'RUNNING' }, raw: {} };
    },
    query: async () => runs[workflowId],
  });
  const withDeadline = async (_: number, ask: () => Promise<unknown>) => await ask();
  return { workflow: { list: async function* () {}, getHandle }, withDeadline } as unknown as Client;
}
