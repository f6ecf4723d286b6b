// Claiming by hand: files and folders, what is not there, and what a watcher was faster with.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../activities/host/clock';
import { withResolvers } from '../../../activities/host/with-resolvers';
import type { BatchRef } from '../../../activities/ingest/api';
import { claimFiles, type FollowDeps, followBatch } from '../../../activities/ingest/claim-on-demand';
import type { OpenBatch } from '../../../activities/share/claim/open-batches';
import type { Share } from '../../../activities/share/share';
import { ingestWorkflowId } from '../../../workflows/contract';
import type { RunState } from '../../../workflows/revision-order/decide/turns';
import { createFaultyFs, fsError } from '../share/faulty-fs';
import {
  aHolder,
  claimAll,
  createTestBed,
  simpleHasher,
  submitted,
  type TestBed,
} from '../share/share-test-bed';

const SCOPE = { signal: new AbortController().signal, attempt: 1 };

let bed: TestBed;
let share: Share;
beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open();
});
afterEach(async () => {
  await bed.remove();
});

async function claim(asked: { readonly paths?: string[]; readonly folder?: string }) {
  return await claimFiles(share, { share: 'tender', key: 'a-key', ...asked }, SCOPE);
}

async function pathsOf(batchIds: readonly string[]): Promise<string[]> {
  const batches = await Promise.all(batchIds.map(async batchId => share.readSeal(batchId)));
  return batches.flatMap(({ manifest }) => manifest.files.map(({ path }) => path));
}

test.each([
  ['by its path', { paths: ['Package A'] }],
  ['by its path as a shell completes it', { paths: ['./Package A/'] }],
  ['as the folder', { folder: 'Package A' }],
])('a folder %s is everything below it', async (_name, asked) => {
  for (const path of ['Package A/a.pdf', 'Package A/inner/b.pdf', 'other.pdf']) await bed.drop(path);
  const { batchIds, refused } = await claim(asked);
  expect(await pathsOf(batchIds)).toEqual(['Package A/a.pdf', 'Package A/inner/b.pdf']);
  expect(refused).toEqual([]);
  expect(await bed.list('drop')).toEqual(['other.pdf']);
});

test.each(['Package A/Register.xls', 'Register.xls'])('files go nowhere beside %s', async register => {
  const paths = [register.replace('Register.xls', 'a.pdf'), register];
  for (const path of paths) await bed.drop(path);
  const { batchIds } = await claim({ paths });
  const { manifest } = await share.readSeal(batchIds[0] ?? '');
  expect(manifest.files.map(({ path, refused }) => [path, refused?.code])).toEqual(
    paths.map(path => [path, 'register-unusable']),
  );
  expect(manifest.job?.name).toBe(register.startsWith('Package A') ? 'Package A' : undefined);
});

test('the drop folder itself is everything in it', async () => {
  for (const path of ['a.pdf', 'b/c.pdf']) await bed.drop(path);
  const { batchIds } = await claim({ paths: ['.'] });
  expect(await pathsOf(batchIds)).toEqual(['a.pdf', 'b/c.pdf']);
});

test('what is not there, and a folder without files, have their reasons', async () => {
  await mkdir(join(bed.root, 'drop', 'bare'), { recursive: true });
  expect((await claim({ folder: 'Packaeg A' })).refused).toMatchObject([
    { code: 'gone', text: expect.stringContaining('"Packaeg A" is not in the drop folder') },
  ]);
  expect((await claim({ paths: ['bare'] })).refused).toMatchObject([
    { code: 'empty', text: '"bare" has no file in it.' },
  ]);
  await expect(claim({ paths: ['../elsewhere'] })).rejects.toMatchObject({ code: 'bad-request' });
});

test('a folder with more files than one claim takes stays whole, and that is told', async () => {
  await bed.drop('Package A/first.pdf');
  await bed.drop('b.pdf');
  const endless: Share = {
    ...share,
    scan: async function* () {
      yield { path: 'Package A/first.pdf' };
      for (let at = 1; at < 10_000; at++) yield { path: `Package A/${at}.pdf` };
      yield { path: 'Package A/register.xlsx' };
    },
  };
  const asked = { share: 'tender', key: 'a-key', paths: ['Package A', 'b.pdf'] };
  const { batchIds, refused } = await claimFiles(endless, asked, SCOPE);
  expect(refused).toMatchObject([
    { code: 'too-many', text: expect.stringContaining('"Package A" stays in the drop folder') },
  ]);
  expect(await pathsOf(batchIds)).toEqual(['b.pdf']);
  expect(await bed.list('drop')).toEqual(['Package A/first.pdf']);
});

test('what is not there is told as well where other files go, by a repeat of the claim, too', async () => {
  for (const path of ['a.pdf', 'B/b.pdf']) await bed.drop(path);
  const asked = { paths: ['a.pdf', 'B', 'gone.pdf'] };
  const first = await claim(asked);
  expect(await pathsOf(first.batchIds)).toEqual(expect.arrayContaining(['a.pdf', 'B/b.pdf']));
  expect(first.refused).toMatchObject([{ code: 'gone', text: expect.stringContaining('"gone.pdf"') }]);
  expect(await claim(asked)).toEqual(first);
});

test('a repeat misses no register that the claim before has taken', async () => {
  await bed.drop('A/1.pdf');
  await bed.drop('A/register.csv', 'File,Number\n1.pdf,N-1\n');
  const asked = { paths: ['A/register.csv', 'A/1.pdf'] };
  const { batchIds } = await claim(asked);
  expect(await claim(asked)).toMatchObject({ batchIds, refused: [] });
  expect(await claim({ paths: ['.'] })).toMatchObject({ batchIds, refused: [] });
});

test('files that a watcher has claimed already are followed in its batch', async () => {
  for (const path of ['a.pdf', 'Package A/b.pdf']) await bed.drop(path);
  const { batchId } = await claimAll(share);
  await bed.drop('late.pdf');
  const { batchIds, followed, refused } = await claim({ paths: ['a.pdf', 'Package A', 'late.pdf'] });
  expect(followed).toEqual([batchId]);
  expect(await pathsOf(batchIds)).toEqual(['late.pdf']);
  expect(refused).toEqual([]);
});

test('a claim that is still being hashed is waited for', async () => {
  await bed.drop('a.pdf');
  const { promise: isHashed, resolve: hash } = withResolvers();
  const slow = await bed.open(
    {},
    {
      hasher: {
        hashFile: async (...input) => {
          await isHashed;
          return await simpleHasher.hashFile(...input);
        },
      },
    },
  );
  const watching = claimAll(slow);
  while ((await bed.list('drop')).length > 0) await new Promise(resolve => setImmediate(resolve));
  const claiming = claim({ paths: ['a.pdf'] });
  hash();
  const { batchId } = await watching;
  await expect(claiming).resolves.toMatchObject({ batchIds: [], followed: [batchId], refused: [] });
});

test('a claim that was begun later is not waited for: it cannot hold what was gone before', async () => {
  const held = (batchId: string): OpenBatch => ({
    batchId,
    state: 'claiming',
    claim: 'held',
    isProven: true,
    isStopped: false,
  });
  const [first, later] = [held('20260131-093000-aaaaaa'), held('20260131-093001-bbbbbb')];
  const looks = [[first], [first, later], [later]];
  const busy: Share = {
    ...share,
    openBatches: async () => {
      const open = looks.shift();
      if (open === undefined) throw new Error('Nothing is to be looked for any more.');
      return open;
    },
  };
  const asked = { share: 'tender', key: 'a-key', paths: ['typo.pdf'] };
  await expect(claimFiles(busy, asked, SCOPE)).resolves.toMatchObject({
    followed: [],
    refused: [{ code: 'gone' }],
  });
  expect(looks).toEqual([]);
});

/** @param how.look what Temporal says of the run; without it, asking fails the test. */
function follow(
  ref: BatchRef,
  { attempt = 1, look }: { attempt?: number; look?: () => Promise<RunState> } = {},
) {
  const runs: FollowDeps['runs'] = {
    lookAt: async ({ batchIds }) => ({
      runs: await Promise.all(batchIds.map(async batchId => ({ batchId, state: await look!() }))),
    }),
  };
  return followBatch({ share, temporal: async () => aHolder('', 'ours').temporal, runs }, ref, { attempt });
}

test('a batch of another run is asked for again until its end, and told as it ended', async () => {
  await bed.drop('a.pdf');
  const { batchId } = await claimAll(share);
  const ref = { share: 'tender', batchId };
  await expect(follow(ref)).rejects.toMatchObject({
    type: 'BATCH_UNDER_WAY',
    nonRetryable: false,
  });
  await share.temporals.noteStopped(batchId, 'stopped');
  await expect(follow(ref)).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringContaining(`resume ${batchId}`),
  });
  await share.temporals.clearStopped(batchId);
  await share.settleUp(batchId, [submitted(0)], { final: true });
  await expect(follow(ref)).resolves.toMatchObject({ submitted: 1, setApart: 0 });
});

test('a batch that is sealed anew for another project is on its way, one that is nowhere is not', async () => {
  await bed.drop('a.pdf');
  const { batchId } = await claimAll(share);
  share = await bed.open({ project: { companyId: '1', projectId: '3' } });
  await share.leaveOtherProject(batchId);
  const ref = { share: 'tender', batchId };
  await expect(share.readBatch(batchId)).rejects.toMatchObject({ code: 'batch-unknown' });
  await expect(follow(ref)).rejects.toMatchObject({ type: 'BATCH_UNDER_WAY' });
  const nowhere = { share: 'tender', batchId: '20260131-093000-aaaaaa' };
  await expect(follow(nowhere)).rejects.toMatchObject({ code: 'batch-unknown' });
});

describe('a batch whose run somebody has ended, where no watcher notes it', () => {
  const LATE = 10;
  let ref: BatchRef;
  beforeEach(async () => {
    await bed.drop('a.pdf');
    ref = { share: 'tender', batchId: (await claimAll(share)).batchId };
  });
  const hold = async (by = 'ours', workflowId = ingestWorkflowId(bed.config.project, ref.batchId)) =>
    await share.temporals.hold(ref.batchId, aHolder(workflowId, by));

  test.each(['stopped', 'ended'] as const)('is told by who follows it: %s', async state => {
    await hold();
    await expect(follow(ref, { attempt: LATE, look: async () => state })).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining(`resume ${ref.batchId}`),
    });
  });

  test('but not of one that ended well just then', async () => {
    await hold();
    const look = async () => {
      await share.settleUp(ref.batchId, [submitted(0)], { final: true });
      return 'ended' as const;
    };
    await expect(follow(ref, { attempt: LATE, look })).resolves.toMatchObject({ submitted: 1 });
  });

  test.each<[string, string | undefined, RunState | undefined, number]>([
    ['that runs', 'ours', 'running', LATE],
    ['that is still to be started', undefined, undefined, LATE],
    ['of another Temporal', 'another', undefined, LATE],
    ['that may be resumed just now', 'ours', undefined, LATE - 1],
  ])('and not of one %s', async (_, holder, state, attempt) => {
    if (holder !== undefined) await hold(holder);
    const look = state && (async () => state);
    await expect(follow(ref, { attempt, ...(look && { look }) })).rejects.toMatchObject({
      type: 'BATCH_UNDER_WAY',
    });
  });
});

describe('a folder with a register', () => {
  const dropPackage = async () => {
    const names = ['1.pdf', '2.pdf', '3.pdf', '4.pdf'];
    for (const name of names) await bed.drop(`A/${name}`);
    await bed.drop('A/register.csv', `File,Number\n${names.map(name => `${name},N-${name}`).join('\n')}\n`);
  };

  test('is a job, and its rows count in every batch of it', async () => {
    share = await bed.open({ maxBatchFiles: 2 });
    await dropPackage();
    await bed.drop('B/other.pdf');
    const { batchIds, refused } = await claim({ paths: ['.'] });
    expect(refused).toEqual([]);
    const batches = await Promise.all(batchIds.map(async batchId => share.readSeal(batchId)));
    expect(
      batches.map(({ manifest: { files, job } }) => [
        job?.place,
        ...files.map(({ entry }) => entry?.row?.cells[1]),
      ]),
    ).toEqual([
      ['A', 'N-1.pdf', 'N-2.pdf'],
      ['A', 'N-3.pdf', 'N-4.pdf'],
      [undefined, undefined],
    ]);
    expect(await bed.list('drop')).toEqual([]);
    for (const { manifest } of batches) {
      const outcomes = manifest.files.map(({ index }) => submitted(index));
      await share.settleUp(manifest.batchId, outcomes, { final: true });
    }
    // Closed with the claim: it needs no watcher for its receipt.
    expect(await bed.list('done/A')).toEqual(expect.arrayContaining(['receipt.csv', 'register.csv']));
  });

  test('waits while the record of its job cannot be opened, rather than go without its rows', async () => {
    // The share has a clock of its own; as the plain place is taken, the job's has the day in its name.
    const clock = { ...systemClock, wallMs: () => Date.parse('2020-01-31T09:30:00Z') };
    await mkdir(join(bed.root, 'attention/A'), { recursive: true });
    share = await bed.open({}, { clock });
    await dropPackage();
    const first = await claim({ paths: ['A/register.csv', 'A/1.pdf'] });
    expect(first.refused).toEqual([]);
    const [job] = await share.openJobs();
    const { jobId } = job!.record;
    await bed.drop('B/other.pdf');
    let isRefused = true;
    share = await bed.open(
      {},
      {
        clock,
        fs: createFaultyFs((operation, path) => {
          if (isRefused && operation === 'read' && String(path).endsWith(join(jobId, 'job.json')))
            throw fsError('EACCES');
        }),
      },
    );
    const late = { share: 'tender', key: 'another-key', paths: ['.'] };
    await expect(claimFiles(share, late, SCOPE)).rejects.toMatchObject({ code: 'unreadable-now' });
    expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/3.pdf', 'A/4.pdf', 'B/other.pdf']);
    isRefused = false;
    const { batchIds } = await claimFiles(share, late, SCOPE);
    const batches = await Promise.all(batchIds.map(async batchId => share.readSeal(batchId)));
    expect(batches.map(({ manifest }) => [manifest.job?.id, manifest.files.length])).toEqual([
      [jobId, 3],
      [undefined, 1],
    ]);
  });

  test('that is still being saved is not claimed', async () => {
    await bed.drop('A/register.xlsx', 'PK\u0003\u0004 and no more');
    await bed.drop('A/1.pdf');
    expect(await claim({ folder: 'A' })).toMatchObject({
      batchIds: [],
      refused: [{ code: 'busy' }, { code: 'busy' }],
    });
    expect(await bed.list('drop')).toHaveLength(2);
  });
});
