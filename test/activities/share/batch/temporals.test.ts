// Which Temporal carries a batch, and which one watches the share: by what lies there, and by our own clock.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { appendRecord, openBatch, settleUp } from '../../../../activities/ingest/batches';
import { StillWatch } from '../../../../activities/share/batch/still-watch';
import type { Share } from '../../../../activities/share/share';
import { ingestWorkflowId, type UploadId } from '../../../../workflows/contract';
import type { DocumentOutcome, JournalRecord } from '../../../../workflows/ingest/ingest-contract';
import { createFaultyFs, fsError } from '../faulty-fs';
import { aHolder, by, claimAll, createTestBed, submitted, type TestBed } from '../share-test-bed';

const TAKE_OVER_MS = 10_000;
const BEAT_MS = TAKE_OVER_MS / 10;
const SCOPE = { signal: new AbortController().signal };

let bed: TestBed;
let share: Share;
let batchId: string;
let nowMs: number;
/** Runs of two Temporals with the batch's own id. */
let one: ReturnType<typeof aHolder>;
let two: ReturnType<typeof aHolder>;

beforeEach(async () => {
  bed = await createTestBed();
  nowMs = 0;
  share = await open();
  await bed.drop('a.pdf');
  ({ batchId } = await claimAll(share));
  const ownId = ingestWorkflowId(bed.config.project, batchId);
  one = aHolder(ownId, 'one');
  two = aHolder(ownId, 'two');
  await share.temporals.beat(one.temporal);
  await share.temporals.beat(two.temporal);
});
afterEach(async () => {
  await bed.remove();
});

async function open(deps: Parameters<TestBed['open']>[1] = {}): Promise<Share> {
  const clock = { wallMs: () => Date.now(), monotonicMs: () => nowMs };
  return await bed.open({ takeOverMs: TAKE_OVER_MS }, { clock, ...deps });
}

/**
 * Time goes by on the host of the second, which looks as often as everybody
 * does; `also` is at work meanwhile.
 */
async function pass(ms: number, also?: ReturnType<typeof aHolder>): Promise<void> {
  for (const endMs = nowMs + ms; nowMs < endMs; nowMs += BEAT_MS) {
    if (also !== undefined) {
      // Two marks of one millisecond are one mark.
      await delay(2);
      await share.temporals.beat(also.temporal);
    }
    await share.temporals.beat(two.temporal);
  }
}

const input = () => ({ share: 'tender', batchId });
const uploads = [{ index: 0, uploadId: 'U' as UploadId }];
const intent = (): JournalRecord => ({ kind: 'intent', uploads });
const created = (): JournalRecord => ({ kind: 'created', uploads });
const held = { code: 'batch-held', message: expect.stringContaining('namespace "namespace-one"') };

test('a batch is carried by the Temporal that opened it first, also after a restart of it', async () => {
  await openBatch(share, input(), by(one), SCOPE);
  await expect(openBatch(share, input(), by(two), SCOPE)).rejects.toMatchObject(held);
  await expect(openBatch(share, input(), by({ ...one, runId: 'another' }), SCOPE)).resolves.toMatchObject({
    kind: 'open',
  });
});

test('of two that open it at one moment, one gets it', async () => {
  const answers = await Promise.allSettled(
    [one, two, one, two].map(async holder => openBatch(share, input(), by(holder), SCOPE)),
  );
  const isOpened = answers.map(({ status }) => status === 'fulfilled');
  expect(isOpened[0]).toBe(isOpened[2]);
  expect(isOpened[1]).toBe(isOpened[3]);
  expect(isOpened[0]).not.toBe(isOpened[1]);
});

test('one that is at work keeps its batch for ever, one that stands still loses it after the time', async () => {
  await openBatch(share, input(), by(one), SCOPE);
  await pass(3 * TAKE_OVER_MS, one);
  await expect(openBatch(share, input(), by(two), SCOPE)).rejects.toMatchObject(held);
  await pass(TAKE_OVER_MS - 2 * BEAT_MS);
  await expect(openBatch(share, input(), by(two), SCOPE)).rejects.toMatchObject(held);
  await pass(4 * BEAT_MS);
  await expect(openBatch(share, input(), by(two), SCOPE)).resolves.toMatchObject({ kind: 'open' });
  // It comes back, and is told.
  for (const record of [intent(), { ...intent(), kind: 'created' } as JournalRecord]) {
    await expect(appendRecord(share, { ...input(), record }, by(one))).rejects.toMatchObject({
      code: 'batch-held',
      message: expect.stringContaining('namespace "namespace-two"'),
    });
  }
  const outcomes = { outcomes: [submitted(0)], held: [], final: true };
  await expect(settleUp(share, { ...input(), ...outcomes }, by(one))).rejects.toMatchObject({
    code: 'batch-held',
  });
  expect((await share.readBatch(batchId)).known).toEqual([]);
});

test('what was noted until the batch changed hands is known to the next one', async () => {
  await openBatch(share, input(), by(one), SCOPE);
  await appendRecord(share, { ...input(), record: intent() }, by(one));
  await pass(2 * TAKE_OVER_MS);
  await expect(openBatch(share, input(), by(two), SCOPE)).resolves.toMatchObject({
    known: [{ index: 0, intended: true }],
  });
});

test('ids that were told to the one before are kept, once, and go into the receipt of the next one', async () => {
  await openBatch(share, input(), by(one), SCOPE);
  await appendRecord(share, { ...input(), record: intent() }, by(one));
  await share.temporals.takeOver(batchId, two);
  const record: JournalRecord = { kind: 'outcome', outcomes: [submitted(0)] };
  const untold = { ...submitted(0), revisionId: null } as DocumentOutcome;
  for (let tries = 0; tries < 2; tries++) {
    for (const outcomes of [[untold], record.outcomes]) {
      const told = appendRecord(share, { ...input(), record: { ...record, outcomes } }, by(one));
      await expect(told).rejects.toMatchObject({ code: 'batch-held' });
    }
  }
  expect((await share.readRecords(batchId, 'outcome')).map(noted => noted.record)).toEqual([record]);
  await settleUp(share, { ...input(), outcomes: [untold], held: [], final: true }, by(two));
  const { receipt } = await share.readBatch(batchId);
  expect(receipt?.files).toMatchObject([{ revisionId: (submitted(0) as { revisionId: string }).revisionId }]);
});

test('of what was never about to be submitted, no end is taken from the one before', async () => {
  await openBatch(share, input(), by(one), SCOPE);
  await share.temporals.takeOver(batchId, two);
  const record: JournalRecord = { kind: 'outcome', outcomes: [submitted(0)] };
  const told = appendRecord(share, { ...input(), record }, by(one));
  await expect(told).rejects.toMatchObject({ code: 'batch-held' });
  expect(await share.readRecords(batchId, 'outcome')).toEqual([]);
});

test.each([
  ['an intent', 'nothing be submitted', intent()],
  ['a note of new uploads', 'nothing be linked', created()],
])('%s that was being written while the batch changed hands lets %s', async (_what, _not, record) => {
  await openBatch(share, input(), by(one), SCOPE);
  const fs = createFaultyFs(async (operation, path) => {
    if (operation === 'syncFolder' && String(path).endsWith('journal'))
      await share.temporals.takeOver(batchId, two);
  });
  const slow = await open({ fs });
  await expect(appendRecord(slow, { ...input(), record }, by(one))).rejects.toMatchObject({
    code: 'batch-held',
  });
});

test('a batch that its Temporal finishes at that moment is not taken over, and needs it no more', async () => {
  await openBatch(share, input(), by(one), SCOPE);
  let isEnding = false;
  const fs = createFaultyFs(async (operation, path) => {
    // The hold of the one before was looked at, and the batch is put away before ours is written.
    if (isEnding || operation !== 'rename' || !String(path).endsWith('hold.json')) return;
    isEnding = true;
    await settleUp(share, { ...input(), outcomes: [submitted(0)], held: [], final: true }, by(one));
  });
  const taking = await open({ fs });
  await expect(taking.temporals.takeOver(batchId, two)).resolves.toBe('finished');
  await expect(share.temporals.takeOver(batchId, two)).resolves.toBe('finished');
});

test('one that has lost its database is followed within a few beats, while it does not move', async () => {
  await openBatch(share, input(), by(one), SCOPE);
  const knowing = { ...two, temporal: { ...two.temporal, former: ['one'] } };
  await pass(4 * BEAT_MS);
  await expect(share.temporals.hold(batchId, knowing)).resolves.toEqual({ kind: 'ours', isNew: true });
});

test('a finished batch is told as it ended to whoever asks, and takes no further record', async () => {
  await openBatch(share, input(), by(one), SCOPE);
  const outcomes = { outcomes: [submitted(0)], held: [], final: true };
  await settleUp(share, { ...input(), ...outcomes }, by(one));
  await expect(settleUp(share, { ...input(), ...outcomes }, by(two))).resolves.toMatchObject({
    submitted: 1,
  });
  await expect(openBatch(share, input(), by(two), SCOPE)).resolves.toMatchObject({ kind: 'settled' });
  await expect(appendRecord(share, { ...input(), record: intent() }, by(two))).rejects.toMatchObject({
    code: 'bad-request',
  });
});

test('the share is watched by one Temporal, and by the next one once that stands still, or by word', async () => {
  expect((await share.temporals.watchFor(one.temporal)).id).toBe('one');
  await pass(2 * TAKE_OVER_MS, one);
  expect((await share.temporals.watchFor(two.temporal)).id).toBe('one');
  await pass(2 * TAKE_OVER_MS);
  expect((await share.temporals.watchFor(two.temporal)).id).toBe('two');
  expect((await share.temporals.watchFor(one.temporal)).id).toBe('two');
  await share.temporals.watchFor(one.temporal, true);
  expect((await share.temporals.watchFor(two.temporal)).id).toBe('one');
});

test('a share without hard links keeps them apart as well', async () => {
  const fs = createFaultyFs(operation => {
    if (operation === 'link') throw Object.assign(new Error('no links'), { code: 'ENOTSUP' });
  });
  const plain = await open({ fs });
  const answers = await Promise.allSettled(
    [one, two].map(async holder => openBatch(plain, input(), by(holder), SCOPE)),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const left = await readdir(join(bed.root, '.drawbridge', 'batches', batchId));
  expect(left.filter(name => name.includes('tmp') || name.includes('lock'))).toEqual([]);
});

test.each([
  ['with', undefined],
  ['without', 'ENOTSUP'],
])(
  'who comes a moment after a new holder leaves the batch to that one, on a share %s hard links',
  async (_, noLinks) => {
    await openBatch(share, input(), by(one), SCOPE);
    const hold = join(bed.root, '.drawbridge', 'batches', batchId, 'hold.json');
    const winner = aHolder(ingestWorkflowId(bed.config.project, batchId), 'three');
    const faster = await open();
    let isAhead = false;
    const fs = createFaultyFs(async (operation, from) => {
      if (operation === 'link' && noLinks !== undefined) throw fsError(noLinks);
      if (operation !== 'rename' || String(from) !== hold || isAhead) return;
      isAhead = true;
      await faster.temporals.takeOver(batchId, winner);
    });
    share = await open({ fs });
    await pass(2 * TAKE_OVER_MS);
    await expect(openBatch(share, input(), by(two), SCOPE)).rejects.toMatchObject({
      code: 'batch-held',
      message: expect.stringContaining('namespace "namespace-three"'),
    });
    expect([isAhead, JSON.parse(await readFile(hold, 'utf8')).temporal.id]).toEqual([true, 'three']);
  },
);

test('time that went by while nobody looked does not count as standing still', () => {
  let clock = 0;
  const watch = new StillWatch(() => clock, 100);
  expect(watch.look('x', 'a')).toBe(0);
  clock = 60_000;
  expect(watch.look('x', 'a')).toBe(100);
  clock = 60_050;
  expect(watch.look('x', 'a')).toBe(150);
  expect(watch.look('x', 'b')).toBe(0);
});
