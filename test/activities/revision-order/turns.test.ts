// Whose turn it is, as one question to the coordinator and to what the share shows.
import { type Coordinators, findTurnsOf, registerBatch } from '../../../activities/revision-order/turns';
import type { Share } from '../../../activities/share/share';
import type { DocumentOutcome } from '../../../workflows/ingest/ingest-contract';
import type { OrderedBatch } from '../../../workflows/revision-order/decide/turns';
import { registerInput } from '../../../workflows/revision-order/order-contract';
import { createFaultyFs } from '../share/faulty-fs';
import { aHolder, createTestBed, type TestBed } from '../share/share-test-bed';

const { temporal } = aHolder('the-run');
const IN_LINE = 12;

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

async function batchOf(share: Share, folder: string): Promise<string> {
  const paths = Array.from({ length: IN_LINE }, (_, at) => `${folder}/${String(at).padStart(2, '0')}.pdf`);
  for (const path of paths) await bed.drop(path);
  const { batch } = await share.claim(paths);
  if (batch === undefined) throw new Error('nothing was claimed');
  const { batchId } = await share.writeManifest(batch);
  if (batchId === undefined) throw new Error('nothing was sealed');
  return batchId;
}

/** A coordinator that has every asked document wait for the one of its index in another batch. */
function allBehind(batchId: string): Coordinators {
  return {
    register: async () => undefined,
    ended: async () => true,
    ask: async (_, { indexes }) => ({
      kind: 'turns',
      waiting: indexes.map(index => ({ index, behind: { share: 'tender', batchId, index } })),
      unknown: [],
      passing: [],
      overtaken: [],
    }),
  };
}

test('what a question costs does not grow with the documents that wait', async () => {
  let operations = 0;
  const fs = createFaultyFs(() => {
    operations += 1;
  });
  const share = await bed.open({}, { fs });
  const front = await batchOf(share, 'first');
  const batchId = await batchOf(share, 'second');
  const deps = { share, coordinators: allBehind(front), temporal, attempt: 1 };
  const ask = async (indexes: readonly number[]) => {
    operations = 0;
    const request = { batchId, indexes, ended: [], matches: [], confirmed: [], isLook: true };
    const { waiting } = await findTurnsOf(deps, request);
    return { operations, paths: waiting.map(({ behind }) => behind.path) };
  };
  const all = Array.from({ length: IN_LINE }, (_, at) => at);

  const one = await ask([0]);
  const many = await ask(all);

  expect(one.paths).toEqual(['first/00.pdf']);
  expect(many.paths).toEqual(all.map(at => `first/${String(at).padStart(2, '0')}.pdf`));
  expect(many.operations).toBeLessThanOrEqual(one.operations);
});

test('a document in front that is not sealed yet is told without its path', async () => {
  const share = await bed.open();
  const batchId = await batchOf(share, 'second');
  await bed.drop('first/00.pdf');
  const { batch } = await share.claim(['first/00.pdf']);
  const deps = { share, coordinators: allBehind(batch?.batchId ?? ''), temporal, attempt: 1 };

  const found = await findTurnsOf(deps, { batchId, indexes: [0], ended: [], matches: [], confirmed: [] });

  expect(found.waiting).toEqual([{ index: 0, behind: { batchId: batch?.batchId, index: 0 } }]);
});

test('whoever waits for a claim that is being made, of which the coordinator is not told, is told so', async () => {
  const share = await bed.open();
  await bed.drop('first/00.pdf');
  const { batch } = await share.claim(['first/00.pdf']);
  const front = batch?.batchId ?? '';
  const batchId = await batchOf(share, 'second');
  const ask: Coordinators['ask'] = async (_, { behind }) => ({
    kind: 'turns',
    waiting: [],
    unknown: behind.map(one => one.batchId),
    passing: [],
    overtaken: [],
  });
  const request = { batchId, indexes: [0], ended: [], matches: [], confirmed: [] };
  const behind = { batchId: front, index: 0, path: 'first/00.pdf', isOnShareOnly: true };

  const told = { share, coordinators: { ...allBehind(''), ask }, temporal, attempt: 1 };
  expect((await findTurnsOf(told, request)).waiting).toEqual([{ index: 0, behind }]);

  const silent = { ...allBehind(''), ask: async () => await Promise.reject(new Error('no answer')) };
  const untold = { share, coordinators: silent, temporal, attempt: 9 };
  expect((await findTurnsOf(untold, request)).waiting).toEqual([{ index: 0, behind }]);
});

describe('a document in front that has ended on the share, of which the coordinator was not told', () => {
  const apart = (index: number): DocumentOutcome => ({
    index,
    kind: 'set-apart',
    reason: { code: 'some', text: 'Some.', fix: 'None.' },
  });
  const isHeld = (index: number) => ({ index, reason: { code: 'held', text: 'Held.', fix: 'Answer.' } });

  /** Two batches of files of the same names; of the first some have ended and the others are held. */
  async function twoBatches(share: Share, ended: readonly number[]) {
    const front = await batchOf(share, 'first');
    const batchId = await batchOf(share, 'second');
    const all = Array.from({ length: IN_LINE }, (_, at) => at);
    const held = all.filter(index => !ended.includes(index)).map(isHeld);
    await share.settleUp(front, ended.map(apart), { final: false, held, goingOn: [] });
    return { front, batchId };
  }

  test('it is told, and whoever waits behind it goes on', async () => {
    let operations = 0;
    const fs = createFaultyFs(() => {
      operations += 1;
    });
    const share = await bed.open({}, { fs });
    const { front, batchId } = await twoBatches(share, [3, 5]);
    const told: unknown[] = [];
    const gone = new Set<number>();
    const coordinators: Coordinators = {
      ...allBehind(front),
      ended: async (_, ...of) => {
        told.push(of);
        for (const index of of[1] ?? []) gone.add(index);
        return true;
      },
      ask: async (...asked) => {
        const reply = await allBehind(front).ask(...asked);
        if (reply.kind !== 'turns') return reply;
        // What goes in one answer is not told again in the next.
        const passing =
          told.length === 0 ? [{ index: 7, before: { share: 'site', batchId: 'B', index: 0 } }] : [];
        return { ...reply, passing, waiting: reply.waiting.filter(({ behind }) => !gone.has(behind.index)) };
      },
    };
    const deps = { share, coordinators, temporal, attempt: 1 };
    const request = { batchId, ended: [], matches: [], confirmed: [] };
    // Once, so that what is remembered of both is remembered.
    await findTurnsOf(
      { ...deps, coordinators: allBehind(front) },
      { ...request, indexes: [7], isLook: true },
    );
    operations = 0;
    expect((await findTurnsOf(deps, { ...request, indexes: [7] })).waiting).toHaveLength(1);
    const before = operations;
    expect(told).toEqual([]);

    operations = 0;
    const found = await findTurnsOf(deps, { ...request, indexes: [3, 5, 7] });

    expect(told).toEqual([[front, [3, 5]]]);
    expect(found.waiting.map(({ index }) => index)).toEqual([7]);
    expect(found.passing).toHaveLength(1);
    expect(operations).toBeLessThanOrEqual(before);
  });

  test('a coordinator that keeps to it is asked once more, and not for ever', async () => {
    const share = await bed.open();
    const { front, batchId } = await twoBatches(share, [3]);
    let asked = 0;
    const coordinators: Coordinators = {
      ...allBehind(front),
      ask: async (...question) => {
        asked += 1;
        return await allBehind(front).ask(...question);
      },
    };
    const deps = { share, coordinators, temporal, attempt: 1 };
    const request = { batchId, indexes: [3], ended: [], matches: [], confirmed: [], isLook: true };
    expect((await findTurnsOf(deps, request)).waiting).toMatchObject([{ index: 3, behind: { index: 3 } }]);
    expect(asked).toBe(2);
  });
});

test('a file dated before 1970 is told as the first there is: the coordinator reads no other', async () => {
  const told: OrderedBatch[] = [];
  const document = {
    keys: ['name:a'],
    revision: undefined,
    matches: undefined,
    claimedAt: '2026-01-31T09:30:00.000Z',
    isEnded: false,
    isIntended: false,
    overtakenBy: undefined,
  };
  const documents = [
    { ...document, index: 0, modifiedNs: -2_147_483_648_000_000_000n },
    { ...document, index: 1, modifiedNs: 1_700_000_000_000_000_000n },
  ];
  const project = { companyId: '1', projectId: '2' };
  const share = { name: 'tender', describeQueued: async () => ({ project, documents }) };
  const register = async (_: unknown, batch: OrderedBatch): Promise<void> => void told.push(batch);
  await registerBatch(
    { share, coordinators: { register } } as unknown as Parameters<typeof registerBatch>[0],
    '20260131-093000-k3f9a2',
  );
  expect(told.map(batch => batch.documents.map(({ modifiedNs }) => modifiedNs))).toEqual([
    ['0', '1700000000000000000'],
  ]);
  expect(registerInput.safeParse(told[0]).success).toBe(true);
});
