// Opening a batch: only the batch's own run may carry it.

import type { AppendRecordInput } from '../../../activities';
import { appendRecord, openBatch, settleUp } from '../../../activities/ingest/batches';
import type { StopFinder } from '../../../activities/ledger/served-ledgers';
import { showUpload } from '../../../activities/service/endpoints/document-uploads';
import type { Share } from '../../../activities/share/share';
import { ingestWorkflowId } from '../../../workflows/contract';
import { aHolder, by, claimAll, createTestBed, submitted, type TestBed } from '../share/share-test-bed';

const SCOPE = { signal: new AbortController().signal };
let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed();
  await bed.drop('a.pdf');
});
afterEach(async () => {
  await bed.remove();
});

test('the batch’s own run gets its documents; a run by another id is refused in words', async () => {
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  const ownId = ingestWorkflowId(bed.config.project, batchId);
  await expect(
    openBatch(share, { share: 'tender', batchId }, by(aHolder(ownId)), SCOPE),
  ).resolves.toMatchObject({
    kind: 'open',
    documents: [{ path: 'a.pdf' }],
  });
  await expect(
    openBatch(share, { share: 'tender', batchId }, by(aHolder('started-by-hand')), SCOPE),
  ).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringContaining(ownId),
  });
});

test('a name that a Mac has decomposed goes out composed, and lies on the share as it came', async () => {
  const [composed, decomposed] = ['Plän.pdf'.normalize('NFC'), 'Plän.pdf'.normalize('NFD')];
  await bed.drop(decomposed);
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  const holder = aHolder(ingestWorkflowId(bed.config.project, batchId));
  const opened = await openBatch(share, { share: 'tender', batchId }, by(holder), SCOPE);
  if (opened.kind !== 'open') throw new Error(opened.kind);
  expect(opened.documents.map(({ path, fileName }) => [path, fileName])).toContainEqual([
    decomposed,
    composed,
  ]);
  const index = opened.documents.findIndex(({ path }) => path === decomposed);
  // Step 5 opens its session by this one.
  expect((await share.fileToSend(batchId, index)).fileName).toBe(composed);
});

test('what the service may show of uploads can be noted, however odd it is', async () => {
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  const deps = by(aHolder(ingestWorkflowId(bed.config.project, batchId)));
  const record = { kind: 'intent', uploads: [{ index: 0, uploadId: 'U0' as never }] } as const;
  for (const text of ['', 'm'.repeat(2_000), 'm'.repeat(2_001)]) {
    const { matchCriteria } = showUpload.response.parse({ data: { id: 'U0', match_criteria: text } });
    const matches = matchCriteria === null ? [] : [{ index: 0, matches: matchCriteria }];
    const input = { share: 'tender', batchId, record, inTurn: { ended: [], matches } };
    await expect(appendRecord(share, input, deps)).resolves.toBeUndefined();
  }
});

test('values are read by the patterns as they are now, whatever they were when the batch was sealed', async () => {
  const before = await bed.open({ fileNamePattern: '^(?<Nmber>.+)\\.' });
  const { batchId } = await claimAll(before);
  const share = await bed.open({ fileNamePattern: '^(?<Number>.+)\\.' });
  const ownId = ingestWorkflowId(bed.config.project, batchId);
  await expect(
    openBatch(share, { share: 'tender', batchId }, by(aHolder(ownId)), SCOPE),
  ).resolves.toMatchObject({
    documents: [{ path: 'a.pdf', values: { Number: 'a' } }],
  });
});

test.each([
  ['was not reset', {}, undefined],
  ['was reset', { afterReset: true }, true],
  ['asks in the place of the one that was reset', { runId: 'the-run-before' }, true],
] as const)('a run that opens its batch once more and %s is told so', async (_, asked, afterReset) => {
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  const deps = by(aHolder(ingestWorkflowId(bed.config.project, batchId)));
  const input = { share: 'tender', batchId, asked: { runId: deps.holder.runId, ...asked } };
  const opened = await openBatch(share, input, deps, SCOPE);
  expect(opened.kind === 'open' && opened.afterReset).toBe(afterReset);
});

test('of a finished batch everybody is told the end', async () => {
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  await share.settleUp(batchId, [submitted(0)], { final: true, held: [] });
  await expect(
    openBatch(share, { share: 'tender', batchId }, by(aHolder('started-by-hand')), SCOPE),
  ).resolves.toMatchObject({
    kind: 'settled',
    summary: { submitted: 1, setApart: 0 },
  });
});

describe('what the ledgers show', () => {
  const REASON = { code: 'already-there' as const, text: 'It is there.', fix: 'Nothing.' };
  /** Of files with these names they say that they are there. */
  const knows = (...names: string[]): StopFinder => knowing('skip', ...names);
  const knowing = (kind: 'skip' | 'hold', ...names: string[]): StopFinder => ({
    findStops: async ({ files }) =>
      new Map(
        files.flatMap(({ index, path }) =>
          names.includes(path.split('/').at(-1) ?? '') ? [[index, { kind, reason: REASON }] as const] : [],
        ),
      ),
  });
  /** Places of the documents that opening the batch says not to send. */
  async function skipped(share: Share, batchId: string, ledgers: StopFinder): Promise<number[]> {
    const deps = by(aHolder(ingestWorkflowId(bed.config.project, batchId)), undefined, 1, ledgers);
    const opened = await openBatch(share, { share: 'tender', batchId, knows: 1 }, deps, SCOPE);
    if (opened.kind !== 'open') throw new Error(opened.kind);
    return opened.documents.flatMap(({ index, skip }) => (skip === undefined ? [] : [index]));
  }

  test('is said of documents that nothing was begun for', async () => {
    await bed.drop('b.pdf');
    const share = await bed.open();
    const { batchId } = await claimAll(share);
    expect(await skipped(share, batchId, knows('a.pdf', 'b.pdf'))).toEqual([0, 1]);
    await share.appendRecord(batchId, { kind: 'created', uploads: [{ index: 0, uploadId: 'U0' as never }] });
    expect(await skipped(share, batchId, knows('a.pdf', 'b.pdf'))).toEqual([1]);
  });

  test('is not said of one that comes after another which is sent: it may be needed after that', async () => {
    const first = await bed.open();
    const { batchId: front } = await claimAll(first);
    await bed.drop('x/a.pdf', 'the present revision');
    await bed.drop('y/b.pdf');
    const share = await bed.open();
    const { batchId } = await claimAll(share);
    expect(await skipped(share, batchId, knows('a.pdf', 'b.pdf'))).toEqual([1]);
    await share.settleUp(front, [submitted(0)], { final: true });
    expect(await skipped(share, batchId, knows('a.pdf', 'b.pdf'))).toEqual([0, 1]);
  });

  test('two of one document in a batch are skipped together, or in their order', async () => {
    await bed.drop('x/a.pdf');
    const share = await bed.open();
    const { batchId, manifest } = await claimAll(share);
    expect(await skipped(share, batchId, knows('a.pdf'))).toEqual([0, 1]);
    const second: StopFinder = {
      findStops: async ({ files }) =>
        new Map(
          files
            .filter(({ path }) => path === manifest.files[1]?.path)
            .map(one => [one.index, { kind: 'skip' as const, reason: REASON }]),
        ),
    };
    expect(await skipped(share, batchId, second)).toEqual([]);
  });

  test('a doubt is said when the batch is opened, and at its turn to a run that knows how to ask', async () => {
    const share = await bed.open();
    const { batchId } = await claimAll(share);
    const deps = by(
      aHolder(ingestWorkflowId(bed.config.project, batchId)),
      undefined,
      1,
      knowing('hold', 'a.pdf'),
    );
    const opened = await openBatch(share, { share: 'tender', batchId, knows: 1 }, deps, SCOPE);
    expect(opened).toMatchObject({ documents: [{ doubt: REASON }] });
    const record = { kind: 'intent', uploads: [{ index: 0, uploadId: 'U0' as never }] } as const;
    const ask = (inTurn: AppendRecordInput['inTurn']) =>
      appendRecord(share, { share: 'tender', batchId, record, inTurn }, deps);
    expect(await ask({ ended: [], meant: [] })).toEqual({
      waiting: [],
      doubted: [{ index: 0, reason: REASON }],
    });
    expect((await share.readBatch(batchId)).known).toEqual([]);
    // Of an earlier version: it would take what it is not told to wait with for noted.
    expect(await ask({ ended: [] })).toBeUndefined();
    expect((await share.readBatch(batchId)).known).toMatchObject([{ index: 0, intended: true }]);
  });

  test('what people let go is told to the ledgers; the coordinator’s question is not asked twice', async () => {
    const share = await bed.open();
    const { batchId } = await claimAll(share);
    const asked: (readonly string[] | undefined)[] = [];
    const ledgers: StopFinder = {
      findStops: async ({ meant }) => {
        asked.push(meant?.get(0));
        return new Map();
      },
    };
    const deps = by(aHolder(ingestWorkflowId(bed.config.project, batchId)), undefined, 1, ledgers);
    const by_ = { share: 'tender', batchId: 'later' };
    await share.appendRecord(batchId, { kind: 'overtaken', documents: [{ index: 0, by: by_ }] });
    await openBatch(share, { share: 'tender', batchId, knows: 1 }, deps, SCOPE);
    const record = { kind: 'intent', uploads: [{ index: 0, uploadId: 'U0' as never }] } as const;
    const inTurn = { ended: [], meant: [{ index: 0, codes: ['same-bytes'] }] };
    await appendRecord(share, { share: 'tender', batchId, record, inTurn }, deps);
    expect(asked).toEqual([['later-there'], ['same-bytes']]);
  });

  test('keeps an intent from being noted when the turn has come', async () => {
    await bed.drop('b.pdf');
    const share = await bed.open();
    const { batchId } = await claimAll(share);
    const deps = by(
      aHolder(ingestWorkflowId(bed.config.project, batchId)),
      undefined,
      1,
      knows('a.pdf', 'b.pdf'),
    );
    await openBatch(share, { share: 'tender', batchId, knows: 1 }, { ...deps, ledgers: knows() }, SCOPE);
    const uploads = [0, 1].map(index => ({ index, uploadId: `U${index}` as never }));
    const record = { kind: 'intent', uploads } as const;
    const required = {
      requirements: [{ when: 'Type is "Drawing"', asks: ['Type'] }],
      documents: [
        { index: 0, requirement: 0 },
        { index: 1, requirement: 0 },
      ],
    };
    const inTurn = { ended: [], meant: [], confirmed: [1], required };
    expect(await appendRecord(share, { share: 'tender', batchId, record, inTurn }, deps)).toEqual({
      waiting: [],
      skipped: [{ index: 0, reason: REASON }],
    });
    const { known } = await share.readBatch(batchId);
    expect(known.map(({ index, intended }) => [index, intended])).toEqual([[1, true]]);
    // By which requirement it goes is noted of what goes.
    expect((await share.readRecords(batchId, 'required')).map(noted => noted.record)).toEqual([
      { kind: 'required', documents: [{ index: 1, when: 'Type is "Drawing"', asks: ['Type'] }] },
    ]);
  });

  test.each(['skip', 'hold'] as const)(
    '%s: a run that does not say that it can take it is told nothing',
    async kind => {
      const share = await bed.open();
      const { batchId } = await claimAll(share);
      const ledgers = knowing(kind, 'a.pdf');
      const deps = by(aHolder(ingestWorkflowId(bed.config.project, batchId)), undefined, 1, ledgers);
      const opened = await openBatch(share, { share: 'tender', batchId }, deps, SCOPE);
      if (opened.kind !== 'open') throw new Error(opened.kind);
      const { tellsDoubts, keepsHow, namesEarly } = opened;
      expect([tellsDoubts, keepsHow, namesEarly]).toEqual([undefined, undefined, undefined]);
      expect(opened.documents[0]).not.toHaveProperty('skip');
      expect(opened.documents[0]).not.toHaveProperty('doubt');
      const record = { kind: 'intent', uploads: [{ index: 0, uploadId: 'U0' as never }] } as const;
      const input = { share: 'tender', batchId, record, inTurn: { ended: [] } };
      expect(await appendRecord(share, input, deps)).toBeUndefined();
      expect((await share.readBatch(batchId)).known).toMatchObject([{ index: 0, intended: true }]);
    },
  );
});

describe('an intent of another upload than before, as after a reset by hand', () => {
  const upload = (index: number, id: string) => ({ index, uploadId: id as never });

  /** The intents of both documents are noted, of uploads of before; the first one is a revision. */
  async function reset() {
    await bed.drop('b.pdf');
    const share = await bed.open();
    const { batchId } = await claimAll(share);
    const deps = by(aHolder(ingestWorkflowId(bed.config.project, batchId)));
    await openBatch(share, { share: 'tender', batchId }, deps, SCOPE);
    await share.appendRecord(batchId, { kind: 'intent', uploads: [upload(0, 'O0'), upload(1, 'O1')] });
    await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] });
    const record = { kind: 'intent', uploads: [upload(0, 'N0'), upload(1, 'N1')] } as const;
    const ask = async (inTurn: AppendRecordInput['inTurn']) => {
      const noted = await appendRecord(share, { share: 'tender', batchId, record, inTurn }, deps);
      const intents = await share.readRecords(batchId, 'intent');
      const uploads = intents.flatMap(one => ('uploads' in one.record ? one.record.uploads : []));
      return {
        skipped: noted?.skipped?.map(({ index, reason }) => [index, reason.code]),
        doubted: noted?.doubted?.map(({ index, reason }) => [index, reason.code]),
        noted: uploads.map(({ uploadId }) => String(uploadId)).filter(id => id.startsWith('N')),
      };
    };
    return ask;
  }

  test('a revision is not made again, whatever is answered; a person looks for what may be one', async () => {
    const ask = await reset();
    const skipped = [[0, 'already-there']];
    const doubted = [[1, 'perhaps-submitted']];
    expect(await ask({ ended: [], meant: [] })).toEqual({ skipped, doubted, noted: [] });
    // What the coordinator or the ledgers ask for is another question.
    const other = { ended: [], confirmed: [0, 1], meant: [{ index: 1, codes: ['later-there'] }] };
    expect(await ask(other)).toEqual({ skipped, doubted, noted: [] });
    const codes = ['perhaps-submitted'];
    const meant = [
      { index: 0, codes },
      { index: 1, codes },
    ];
    expect(await ask({ ended: [], meant })).toEqual({ skipped, doubted: undefined, noted: ['N1'] });
  });

  test('a run that cannot be told of it is not: it would send them all the same, without an intent', async () => {
    const ask = await reset();
    expect(await ask({ ended: [] })).toEqual({ skipped: undefined, doubted: undefined, noted: ['N0', 'N1'] });
  });
});

describe('settling up a batch whose coordinator cannot be told what has ended', () => {
  const reason = { code: 'some', text: 'Some.', fix: 'None.' };
  const outcomes = [{ index: 0, kind: 'set-apart' as const, reason }];
  const held = [{ index: 1, reason }];

  /** Settles it up as the given attempt; says whether that has failed, and what the share has by then. */
  async function settle(input: { held: typeof held; final: boolean }, attempt: number) {
    await bed.drop('b.pdf');
    const share = await bed.open();
    const { batchId } = await claimAll(share);
    const holder = aHolder(ingestWorkflowId(bed.config.project, batchId));
    await openBatch(share, { share: 'tender', batchId }, by(holder), SCOPE);
    const both = [...outcomes, { index: 1, kind: 'set-apart' as const, reason }];
    const deps = by(holder, { ...by(holder).coordinators, ended: async () => false }, attempt);
    const given = { share: 'tender', batchId, outcomes: input.final ? both : outcomes, ...input };
    const failure = await settleUp(share, given, deps).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { failure, share, batchId };
  }

  test('is tried again while others are held, which say nothing for days; the share has it all the same', async () => {
    const { failure, share, batchId } = await settle({ held, final: false }, 1);
    expect(failure).toMatchObject({ type: 'SERVICE_UNAVAILABLE', nonRetryable: false });
    const queued = await share.describeQueued(batchId);
    expect(queued?.documents.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  });

  test.each([
    ['nothing is held: what moves says it with its next question', { held: [], final: false }, 1],
    ['it is over: a run that has ended is seen by the coordinator itself', { held: [], final: true }, 1],
    ['it was tried often enough', { held, final: false }, 5],
  ])('but not where %s', async (_, input, attempt) => {
    expect((await settle(input, attempt)).failure).toBeUndefined();
  });
});
