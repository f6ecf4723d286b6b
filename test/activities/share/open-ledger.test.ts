// What became a revision is in the ledger before anybody else can be told that it has ended.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withResolvers } from '../../../activities/host/with-resolvers';
import { openShare } from '../../../activities/share/open-share';
import { createFaultyFs, DyingFs, fsError } from './faulty-fs';
import { createLedgerBed, type LedgerBed } from './ledger/ledger-test-bed';
import { claimAll, SHARE_KEY, simpleHasher, submitted } from './share-test-bed';

let bed: LedgerBed;
beforeEach(async () => {
  bed = await createLedgerBed();
});
afterEach(async () => {
  await bed.remove();
});

async function claimTwo(): Promise<string> {
  await bed.drop('a.pdf');
  await bed.drop('b.pdf');
  return (await claimAll(await bed.open())).batchId;
}

async function openWith(fs: DyingFs['fs']) {
  return await openShare(bed.config, { hasher: simpleHasher, logger: bed.logger, fs, key: SHARE_KEY });
}

/** Places of the documents that the ledger has of a batch, part by part. */
async function partsOf(batchId: string): Promise<number[][]> {
  const parts: number[][] = [];
  for (let part = 1; ; part += 1) {
    const read = await bed.ledger().read({ batchId, part });
    if (read.kind !== 'record') return parts;
    parts.push(read.record.entries.map(({ index }) => index));
  }
}

async function endedInJournal(batchId: string): Promise<readonly number[]> {
  const { known } = await (await bed.open()).readBatch(batchId);
  return known.flatMap(({ index, outcome }) => (outcome === undefined ? [] : [index]));
}

test('an outcome is noted once, whoever tells it how often; settling up adds what the journal never had', async () => {
  const batchId = await claimTwo();
  const share = await bed.open();
  await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] });
  await (await bed.open()).appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] });
  await share.settleUp(batchId, [submitted(0)], { final: false, held: [] });
  expect(await partsOf(batchId)).toEqual([[0]]);
  await share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
  await share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
  expect(await partsOf(batchId)).toEqual([[0], [1]]);
  const { record } = (await bed.ledger().read({ batchId, part: 2 })) as Extract<
    Awaited<ReturnType<ReturnType<LedgerBed['ledger']>['read']>>,
    { kind: 'record' }
  >;
  expect(record).toMatchObject({ share: 'tender', job: null, entries: [{ path: 'b.pdf', number: 'N-1' }] });
});

test('earlier revisions of all documents are looked for at once, and each is noted behind its own', async () => {
  const batchId = await claimTwo();
  const share = await bed.open();
  const { submittedAtMs: atMs } = submitted(0) as { submittedAtMs: number };
  const how = new Set<string>();
  let asked = 0;
  const bothAsked = withResolvers<'at once'>();
  share.noteAfter(async (_, { index }) => {
    asked += 1;
    if (asked === 2) bothAsked.resolve('at once');
    // So long only where the test fails.
    how.add(await Promise.race([bothAsked.promise, delay(5_000, 'one by one' as const, { ref: false })]));
    // The first one is the last to be answered.
    if (index === 0) await delay(20);
    return index === 0 ? atMs + 60_000 : undefined;
  });
  await share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
  expect([...how]).toEqual(['at once']);
  const read = await bed.ledger().read({ batchId, part: 1 });
  expect(read).toMatchObject({
    record: {
      entries: [
        { index: 0, submittedAtMs: atMs + 60_001 },
        { index: 1, submittedAtMs: atMs },
      ],
    },
  });
});

test('what did not become a revision is not noted', async () => {
  const batchId = await claimTwo();
  const reason = { code: 'x', text: 'x', fix: 'x' };
  await (await bed.open()).settleUp(
    batchId,
    [
      { index: 0, kind: 'set-apart', reason },
      { index: 1, kind: 'skipped', reason },
    ],
    { final: true },
  );
  expect(await partsOf(batchId)).toEqual([]);
});

test('killed at any moment of noting: the ledger is never behind the journal, and the next one completes it', async () => {
  const opening = new DyingFs(Number.POSITIVE_INFINITY);
  await openWith(opening.fs);
  for (let at = opening.count + 1; ; at += 1) {
    const batchId = await claimTwo();
    const dying = new DyingFs(at);
    const share = await openWith(dying.fs);
    const isAlive = await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] }).then(
      () => true,
      () => false,
    );
    const inLedger = (await partsOf(batchId)).flat();
    for (const index of await endedInJournal(batchId)) expect(inLedger).toContain(index);
    const next = await bed.open();
    await next.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] });
    await next.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
    expect(await partsOf(batchId)).toEqual([[0], [1]]);
    if (isAlive) break;
  }
});

test.each([
  ['EBUSY', 'unreadable-now'],
  ['EMFILE', 'unreadable-now'],
  ['ESTALE', 'share-away'],
])(
  'a manifest that cannot be read for a moment (%s) keeps the journal from being ahead',
  async (fault, code) => {
    const batchId = await claimTwo();
    const record = { kind: 'outcome', outcomes: [submitted(0)] } as const;
    let isOver = false;
    const fs = createFaultyFs((operation, path) => {
      if (isOver || operation !== 'read' || !String(path).endsWith('/batch.json')) return;
      isOver = true;
      throw fsError(fault);
    });
    // Of a process that has just begun, and knows no manifest yet.
    const share = await openWith(fs);
    await expect(share.appendRecord(batchId, record)).rejects.toMatchObject({ code });
    expect(await endedInJournal(batchId)).toEqual([]);
    await share.appendRecord(batchId, record);
    expect([await partsOf(batchId), await endedInJournal(batchId)]).toEqual([[[0]], [0]]);
  },
);

test('of a batch whose manifest is spoilt for good the journal is written all the same', async () => {
  const batchId = await claimTwo();
  const journal = join(bed.root, '.drawbridge/batches', batchId, 'journal');
  const manifest = join(bed.root, '.drawbridge/batches', batchId, 'batch.json');
  writeFileSync(manifest, '{');
  await (await bed.open()).appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] });
  expect(readdirSync(journal)).toHaveLength(1);
});

test('a share that goes away keeps the journal from being ahead; a ledger that takes no more keeps nobody', async () => {
  const batchId = await claimTwo();
  const record = { kind: 'outcome', outcomes: [submitted(0)] } as const;
  const away = createFaultyFs((_, path) => {
    if (String(path).includes('/ledger/')) throw fsError('EHOSTDOWN');
  });
  await expect((await openWith(away)).appendRecord(batchId, record)).rejects.toMatchObject({
    code: 'share-away',
  });
  expect(await endedInJournal(batchId)).toEqual([]);

  const strange = await bed.open();
  const long = { ...submitted(1), uploadId: 'x'.repeat(201) as never };
  await strange.settleUp(batchId, [submitted(0), long], { final: true });
  expect(bed.logger.lines).toContainEqual(
    expect.objectContaining({ event: 'ledger-record', record: batchId }),
  );
  expect(readdirSync(join(bed.root, 'done'))).toHaveLength(1);
});
