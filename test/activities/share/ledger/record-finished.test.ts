// What was submitted before there was a ledger comes into it from the receipts, once.
import { readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentWords } from '../../../../activities/share/drop/document-words';
import { createNodeShareFs } from '../../../../activities/share/files/share-fs';
import {
  type RecordedFinished,
  type RecordFinishedOptions,
  recordFinished,
} from '../../../../activities/share/ledger/record-finished';
import type { DocumentOutcome } from '../../../../workflows/ingest/ingest-contract';
import { createFaultyFs, fsError } from '../faulty-fs';
import { claimAll, submitted } from '../share-test-bed';
import { createLedgerBed, type LedgerBed, sha256Of } from './ledger-test-bed';

let bed: LedgerBed;
const bad: string[] = [];

beforeEach(async () => {
  bed = await createLedgerBed();
  bad.length = 0;
});

afterEach(async () => {
  await bed.remove();
});

/** Drops files and settles them as one batch. */
async function finish(outcomes: (index: number) => DocumentOutcome, ...names: string[]): Promise<string> {
  for (const name of names) await bed.drop(name);
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  await share.settleUp(
    batchId,
    names.map((_, index) => outcomes(index)),
    { final: true },
  );
  // As a version without a ledger leaves it.
  rmSync(bed.ledgerPath(`${batchId.slice(0, 6)}/${batchId}.1.json`));
  return batchId;
}

async function finishSetApart(name: string): Promise<string> {
  await bed.drop(name);
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  await share.settleUp(batchId, [setApart(0)], { final: true });
  return batchId;
}

const setApart = (index: number): DocumentOutcome => ({
  index,
  kind: 'set-apart',
  reason: { code: 'x', text: 'x', fix: 'x' },
});

async function record(
  options: Partial<RecordFinishedOptions> = {},
  fs = createNodeShareFs(),
): Promise<RecordedFinished> {
  const onBad = (name: string, why: string) => void bad.push(`${name}: ${why}`);
  const layout = { ...bed.layout, fs };
  return await recordFinished(layout, {
    share: 'tender',
    rules: { naming: 'file', words: new DocumentWords() },
    onBad,
    ...options,
  });
}

async function entriesOf(batchId: string) {
  const read = await bed.ledger().read({ batchId, part: 1 });
  if (read.kind !== 'record') throw new Error(`no record of ${batchId}`);
  return read.record;
}

const receiptOf = (batchId: string) =>
  join(bed.root, '.drawbridge/finished', batchId.slice(0, 6), batchId, 'receipt.json');

test('each submitted document is noted, with what the receipt shows of it', async () => {
  const batchId = await finish(
    index =>
      index === 1
        ? setApart(1)
        : {
            ...submitted(index),
            stored: [
              { label: 'NUMBER', value: ' N-7 ' },
              { label: 'Revision', value: 'P02' },
              { label: 'Title', value: 'Plan' },
            ],
          },
    'a.pdf',
    'b.pdf',
  );
  expect(await record()).toEqual({ batches: 1, added: 1 });
  const { mimeType, sizeBytes } = { mimeType: 'application/pdf', sizeBytes: 'content of a.pdf'.length };
  expect(await entriesOf(batchId)).toEqual({
    batchId,
    part: 1,
    share: 'tender',
    project: { companyId: '1', projectId: '2' },
    job: null,
    entries: [
      {
        index: 0,
        path: 'a.pdf',
        sha256: sha256Of('content of a.pdf'),
        sizeBytes,
        mimeType,
        name: 'a.pdf',
        number: 'N-7',
        revision: 'P02',
        said: { number: null, revision: null },
        uploadId: 'U0',
        revisionId: 'R0',
        submittedAtMs: Date.UTC(2026, 0, 31, 9, 30),
      },
    ],
  });
});

test('without a name, the file gives it as the share names documents', async () => {
  const one = await finish(submitted, 'x/a.pdf');
  await record({ rules: { naming: 'stem', words: new DocumentWords() } });
  expect((await entriesOf(one)).entries).toMatchObject([{ name: 'a', number: 'N-0', revision: null }]);
});

test('done twice, it notes nothing twice; what came since is added', async () => {
  await finish(submitted, 'a.pdf', 'b.pdf');
  const told: string[] = [];
  const onProgress: RecordFinishedOptions['onProgress'] = ({ month, batches, added }) =>
    void told.push(`${month.length} ${batches} ${added}`);
  expect(await record({ onProgress })).toEqual({ batches: 1, added: 2 });
  expect(await record()).toEqual({ batches: 0, added: 0 });
  await finish(submitted, 'c.pdf');
  expect(await record()).toEqual({ batches: 1, added: 1 });
  expect(told).toEqual(['6 1 2']);
});

test('a batch of which nothing became a revision is looked at once', async () => {
  const batchId = await finishSetApart('a.pdf');
  const seen = new Set<string>();
  expect(await record({ seen })).toEqual({ batches: 1, added: 0 });
  expect([...seen]).toEqual([batchId]);
  const receiptsRead: string[] = [];
  const watched = createFaultyFs((operation, path) => {
    if (operation === 'read' && String(path).includes(batchId)) receiptsRead.push(String(path));
  });
  expect(await record({ seen }, watched)).toEqual({ batches: 0, added: 0 });
  expect(receiptsRead).toEqual([]);
});

test('a receipt that was changed is told and left out; the others are noted', async () => {
  const spoiled = await finish(submitted, 'a.pdf');
  const good = await finish(submitted, 'b.pdf');
  const path = receiptOf(spoiled);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"R0"', '"R9"'));
  expect(await record()).toEqual({ batches: 2, added: 1 });
  expect(bad).toEqual([`${spoiled}: The receipt of batch ${spoiled} was changed since it was written.`]);
  expect((await entriesOf(good)).entries).toHaveLength(1);
  expect(readdirSync(bed.ledgerPath(good.slice(0, 6)))).toHaveLength(1);
});

test.each<[string, (batchId: string) => void]>([
  ['torn', batchId => truncateSync(receiptOf(batchId), 50)],
  ['gone', batchId => renameSync(receiptOf(batchId), `${receiptOf(batchId)}.old`)],
])('a receipt that is %s is told', async (_, spoil) => {
  const batchId = await finish(submitted, 'a.pdf');
  spoil(batchId);
  expect(await record()).toEqual({ batches: 1, added: 0 });
  expect(bad).toEqual([expect.stringContaining(batchId)]);
});

test('a share that goes away ends it, and it goes on later', async () => {
  await finish(submitted, 'a.pdf');
  const away = createFaultyFs((operation, path) => {
    if (operation === 'read' && String(path).endsWith('receipt.json')) throw fsError('EHOSTDOWN');
  });
  await expect(record({}, away)).rejects.toMatchObject({ code: 'share-away' });
  expect(bad).toEqual([]);
  expect(await record()).toEqual({ batches: 1, added: 1 });
});

test('a share on which nothing was finished has nothing to note', async () => {
  expect(await record()).toEqual({ batches: 0, added: 0 });
});
