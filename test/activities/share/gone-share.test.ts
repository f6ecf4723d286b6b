// A share that goes in the middle of something: it is not made anew where it was, nor is the bare folder
// under its mount point made into one. That would be taken for the share, and files of people would land in
// it.
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { DropEntry } from '../../../activities/share/drop/scan-drop';
import { createNodeShareFs } from '../../../activities/share/files/share-fs';
import type { Share } from '../../../activities/share/share';
import { createFaultyFs, fsError, type Operation } from './faulty-fs';
import {
  aHolder,
  changeClaim,
  claimAll,
  createTestBed,
  DEAD,
  submitted,
  type TestBed,
} from './share-test-bed';

// Hundreds of shares: in memory where the system has a place for that.
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed(PLACE);
});
afterEach(async () => {
  await bed.remove();
});

/** An empty folder of people's side is no share; with ours in it, or a file, it would be. */
async function foundThere(): Promise<string> {
  if (!existsSync(bed.root)) return 'nothing';
  const made = [...(await bed.list('.')), ...readdirSync(bed.root).filter(name => name === '.drawbridge')];
  return made.length === 0 ? 'a bare folder' : made.join(', ');
}

const batch = async (share: Share) => (await share.openBatches())[0]?.batchId ?? '';
const papersOf = (jobId: string) =>
  ({ project: { companyId: '1', projectId: '2' }, record: { jobId } }) as Parameters<Share['linkProof']>[0];

interface Asked {
  readonly before?: (share: Share) => Promise<unknown>;
  readonly ask: (share: Share) => Promise<unknown>;
  /** The first operation before which the share may go. */
  readonly from?: number;
}

/** What a share is asked while it goes, each after what it needs is there. */
const ASKED: Readonly<Record<string, Asked>> = {
  // Its first four operations find out what stands there, and take a share that was made anew for it.
  'looked up again': { ask: share => share.reopen(), from: 5 },
  'a claim for a key': { ask: share => share.claim(['a.pdf'], { key: 'key' }) },
  'a record of its journal': {
    before: claimAll,
    ask: async share => share.appendRecord(await batch(share), { kind: 'created', uploads: [] }),
  },
  'a first receipt, and the end of a batch': {
    before: claimAll,
    ask: async share => {
      const batchId = await batch(share);
      await share.settleUp(batchId, [], { final: false, held: [] });
      await share.settleUp(batchId, [submitted(0)], { final: true });
    },
  },
  'which Temporal is at work': {
    before: claimAll,
    ask: async share => share.temporals.hold(await batch(share), aHolder('a-run')),
  },
  'a job': { ask: share => share.openJob('folder') },
  'fields of the project': { ask: share => share.putFields([]) },
  'a template': {
    ask: share =>
      share.putTemplate({ facts: 'f', settings: 's', make: async () => Buffer.from('template') } as never),
  },
  'a result of a test': {
    ask: share => share.putTestResult('A', { format: 'csv', bytes: Buffer.from('result') }),
  },
  'a proof': { ask: share => share.linkProof(papersOf('a'), () => 'state') },
  'an upload over the page': {
    ask: share =>
      share.uploads.begin(
        { name: 'job', files: [{ path: 'a.pdf', sizeBytes: 1, modifiedMs: 1 }] },
        { id: 'x', name: 'x' },
      ),
  },
};

describe.each(Object.entries(ASKED))('%s', (_, { before, ask, from = 1 }) => {
  test.each(['nothing', 'a bare folder'])('at whatever moment it goes: %s is left', async left => {
    const away = `${bed.root}-away`;
    for (let goesAt = left === 'nothing' ? 1 : from; ; goesAt += 1) {
      await bed.remove();
      mkdirSync(bed.root);
      const honest = await bed.open();
      await bed.drop('a.pdf');
      await before?.(honest);
      let count: number | undefined;
      const fs = createFaultyFs(() => {
        if (count === undefined) return;
        count += 1;
        if (count !== goesAt) return;
        renameSync(bed.root, away);
        if (left !== 'nothing') mkdirSync(bed.root);
      });
      const share = await bed.open({}, { fs });
      count = 0;
      await ask(share).catch(() => undefined);
      if (count < goesAt) break;
      expect([goesAt, await foundThere()]).toEqual([goesAt, left]);
      await bed.remove();
      renameSync(away, bed.root);
    }
  });
});

test('what goes while it is looked up again is said to be away', async () => {
  const away = `${bed.root}-away`;
  for (let goesAt = 1; ; goesAt += 1) {
    let count: number | undefined;
    const fs = createFaultyFs(() => {
      if (count === undefined) return;
      count += 1;
      if (count === goesAt) renameSync(bed.root, away);
    });
    const share = await bed.open({}, { fs });
    count = 0;
    const end = await share.reopen().then(
      () => 'back',
      error => error.code,
    );
    if (count < goesAt) break;
    // At its very end it may have been through already: then the next look finds that it went.
    expect([goesAt, end === 'back' ? await share.isInPlace() : end]).toEqual([
      goesAt,
      end === 'back' ? false : 'share-away',
    ]);
    renameSync(away, bed.root);
    await share.reopen();
  }
});

/** What can happen in the moment of an operation. */
const HAPPENS: Readonly<Record<string, (operation: Operation, input: unknown[]) => unknown>> = {
  'the share goes': () => renameSync(bed.root, `${bed.root}-away`),
  'an operation fails': () => {
    throw fsError('EIO');
  },
  'an operation is done, and said to have failed': async (operation, input) => {
    const real = createNodeShareFs() as unknown as Record<string, (...input: unknown[]) => unknown>;
    const opened = (await real[operation]?.(...input)) as { close?(): Promise<void> } | undefined;
    await opened?.close?.();
    throw fsError('EIO');
  },
};

const GONE: DropEntry = {
  path: 'gone.pdf',
  kind: 'file',
  sizeBytes: 1,
  mtimeNs: 1n,
  identity: '1',
};

const TAKES: Readonly<Record<string, (share: Share) => Promise<unknown>>> = {
  'a claim': async share => {
    const { batch: claimed } = await share.claim(['a.pdf'], { key: 'key' });
    if (claimed !== undefined) await share.writeManifest(claimed);
  },
  'a claim that finds its file gone': share => share.claim([GONE]),
  'the adoption of a claim': async share => share.adopt(await batch(share)),
};

// Another host's claim is watched for minutes. Ours is known to be nobody's any more, however far it came.
describe.each(Object.entries(TAKES))('%s', (what, take) => {
  test.each(Object.entries(HAPPENS))('at whatever moment %s: it is finished at once', async (_, happen) => {
    for (let at = 1; ; at += 1) {
      await bed.remove();
      mkdirSync(bed.root);
      let count: number | undefined;
      const fs = createFaultyFs((operation, ...input) => {
        if (count === undefined) return;
        count += 1;
        if (count === at) return happen(operation, input) as Promise<void>;
      });
      const share = await bed.open({}, { fs, clock: { wallMs: Date.now, monotonicMs: () => 0 } });
      await bed.drop('a.pdf');
      if (what === 'the adoption of a claim') {
        const { batch: claimed } = await share.claim(['a.pdf']);
        if (claimed === undefined) throw new Error('nothing was claimed');
        changeClaim(claimed, DEAD);
      }
      count = 0;
      await take(share).catch(() => undefined);
      const isOver = count < at;
      count = undefined;
      if (existsSync(`${bed.root}-away`)) renameSync(`${bed.root}-away`, bed.root);
      await share.reopen();
      for (const { batchId, state, claim } of await share.openBatches()) {
        if (state !== 'claiming') continue;
        expect([at, claim]).toEqual([at, 'abandoned']);
        await share.adopt(batchId);
      }
      expect([at, await share.openBatches()]).toMatchObject([
        at,
        (await bed.list('drop')).includes('a.pdf') ? [] : [{ state: 'ready' }],
      ]);
      if (isOver) break;
    }
  });
});
