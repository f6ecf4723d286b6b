// What others go by on a share is sealed: what somebody else wrote there, or what was torn, is
// followed by nobody, and said once.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendRecord, openBatch } from '../../../../activities/ingest/batches';
import type { Share } from '../../../../activities/share/share';
import { ingestWorkflowId, type UploadId } from '../../../../workflows/contract';
import { aHolder, by, claimAll, createTestBed, type TestBed } from '../share-test-bed';

const SCOPE = { signal: new AbortController().signal };

let bed: TestBed;
let share: Share;
let batchId: string;
let folder: string;
let one: ReturnType<typeof aHolder>;
let two: ReturnType<typeof aHolder>;

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open();
  await bed.drop('a.pdf');
  ({ batchId } = await claimAll(share));
  folder = join(bed.root, '.drawbridge/batches', batchId);
  const ownId = ingestWorkflowId(bed.config.project, batchId);
  one = aHolder(ownId, 'one');
  two = aHolder(ownId, 'two');
});
afterEach(async () => {
  await bed.remove();
});

const ownFile = (name: string) =>
  name === 'watch.json' ? join(bed.root, '.drawbridge', name) : join(folder, name);

/** Has the second one write each of the marks, of the batch and of the share. */
async function writeMarks(): Promise<void> {
  await share.temporals.hold(batchId, two);
  await share.temporals.watchFor(two.temporal);
  await share.temporals.noteStopped(batchId, 'failed');
}

/** Ways in which a file can be there that is none of ours. */
const SPOILT: readonly (readonly [string, (text: string) => string])[] = [
  ['without a seal', text => JSON.stringify({ ...JSON.parse(text), seal: undefined, sealedBy: undefined })],
  ['with a seal of something else', text => JSON.stringify({ ...JSON.parse(text), seal: 'a'.repeat(64) })],
  ['sealed with another key', text => JSON.stringify({ ...JSON.parse(text), sealedBy: 'another' })],
  ['changed', text => text.replace('"version":1', '"version":1,"more":1')],
  ['of another version', text => text.replace('"version":1', '"version":2')],
  ['torn', text => text.slice(0, text.length / 2)],
  ['empty', () => ''],
];

describe.each(SPOILT)('marks that are %s', (_, spoil) => {
  beforeEach(async () => {
    await writeMarks();
    for (const name of ['hold.json', 'watch.json', 'stopped.json'])
      writeFileSync(ownFile(name), spoil(readFileSync(ownFile(name), 'utf8')));
    bed.logger.lines.length = 0;
  });

  test('hold up no batch and no watcher, and are written anew', async () => {
    expect(await share.temporals.holdOf(batchId, one.temporal)).toBeUndefined();
    expect(await share.temporals.watchedBy(one.temporal)).toBeUndefined();
    expect((await share.openBatches()).map(({ isStopped }) => isStopped)).toEqual([false]);
    await expect(openBatch(share, { share: 'tender', batchId }, by(one), SCOPE)).resolves.toMatchObject({
      kind: 'open',
    });
    expect((await share.temporals.watchFor(one.temporal)).id).toBe('one');
    await share.temporals.noteStopped(batchId, 'failed');

    expect(await share.temporals.holdOf(batchId, two.temporal)).toMatchObject({ isOurs: false });
    expect(await share.temporals.watchedBy(two.temporal)).toMatchObject({ temporal: { id: 'one' } });
    expect((await share.openBatches()).map(({ isStopped }) => isStopped)).toEqual([true]);
  });

  test('are told of once, each by its name', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await share.temporals.holdOf(batchId, one.temporal);
      await share.temporals.watchedBy(one.temporal);
      await share.openBatches();
    }
    const told = bed.logger.lines.filter(({ event }) => event === 'mark-not-ours');
    expect(told.map(({ file, level }) => [level, file])).toEqual([
      ['warn', `.drawbridge/batches/${batchId}/hold.json`],
      ['warn', '.drawbridge/watch.json'],
      ['warn', `.drawbridge/batches/${batchId}/stopped.json`],
    ]);
  });
});

test('does not take the marks of one batch for those of another', async () => {
  await writeMarks();
  await bed.drop('b.pdf');
  const other = await claimAll(share);
  for (const name of ['hold.json', 'stopped.json'])
    cpSync(join(folder, name), join(folder, '..', other.batchId, name));
  expect(await share.temporals.holdOf(other.batchId, one.temporal)).toBeUndefined();
  const stopped = (await share.openBatches()).filter(({ isStopped }) => isStopped);
  expect(stopped.map(each => each.batchId)).toEqual([batchId]);
});

test('lets one go on with a batch whose hold was torn, and not the other one', async () => {
  const input = { share: 'tender', batchId };
  const record = { kind: 'intent', uploads: [{ index: 0, uploadId: 'U' as UploadId }] } as const;
  await openBatch(share, input, by(one), SCOPE);
  writeFileSync(ownFile('hold.json'), '{"version":1,"tempo');
  await openBatch(share, input, by(two), SCOPE);
  await expect(appendRecord(share, { ...input, record }, by(one))).rejects.toMatchObject({
    code: 'batch-held',
  });
  await appendRecord(share, { ...input, record }, by(two));
  expect((await share.readBatch(batchId)).known).toMatchObject([{ index: 0, intended: true }]);
});
