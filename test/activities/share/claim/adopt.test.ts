import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClaimedBatch } from '../../../../activities/share/claim/claim-files';
import type { ClaimOwner } from '../../../../activities/share/claim/claim-owner';
import { createFaultyFs, fsError } from '../faulty-fs';
import { changeClaim, createTestBed, DEAD, simpleHasher, type TestBed } from '../share-test-bed';

let bed: TestBed;
let nowMs = 0;
const clock = { wallMs: () => Date.parse('2026-01-31T09:30:00Z'), monotonicMs: () => nowMs };

beforeEach(async () => {
  bed = await createTestBed();
  nowMs = 1_000_000;
});

afterEach(async () => {
  await bed.remove();
});

/** A claim without a manifest, whose file says it is somebody else's. */
async function abandon(changes: Partial<ClaimOwner>) {
  const share = await bed.open({}, { clock });
  await bed.drop('folder/a.pdf', 'a');
  const { batch } = await share.claim(['folder/a.pdf'], { key: 'by hand' });
  if (batch === undefined) throw new Error('nothing was claimed');
  changeClaim(batch, changes);
  return { share, batch, path: batch.paths.claim };
}

/** As builds wrote it until claims were sealed from their making on. */
function writeAsBefore({ paths }: ClaimedBatch): void {
  const { seal: _seal, sealedBy: _by, ...owner } = JSON.parse(readFileSync(paths.claim, 'utf8'));
  writeFileSync(paths.claim, JSON.stringify(owner));
  const { seal: _other, sealedBy, ...wanted } = JSON.parse(readFileSync(paths.wanted, 'utf8'));
  const seal = paths.seals.of('claim', JSON.stringify(wanted));
  writeFileSync(paths.wanted, JSON.stringify({ ...wanted, seal, sealedBy }));
}

describe('a claim without a manifest', () => {
  test('is left alone while its claimer is at work', async () => {
    const { share, batch } = await abandon({});
    expect(await share.openBatches()).toMatchObject([{ state: 'claiming', claim: 'held' }]);
    expect(await share.adopt(batch.batchId)).toBeUndefined();
    expect(await share.writeManifest(batch)).toMatchObject({ batchId: batch.batchId });
  });

  test('of a process that is gone is finished at once', async () => {
    const { share, batch } = await abandon(DEAD);
    const adopted = await share.adopt(batch.batchId);
    expect(adopted).toMatchObject({
      batchId: batch.batchId,
      manifest: { createdAt: '2026-01-31T09:30:00.000Z' },
    });
    expect(adopted?.manifest.files).toMatchObject([{ path: 'folder/a.pdf' }]);
    expect(await share.openBatches()).toMatchObject([{ state: 'ready' }]);
    expect(await share.batchesOfKey('by hand')).toEqual([batch.batchId]);
  });

  test('of a process id that another process has by now is finished at once', async () => {
    const { share } = await abandon({ pid: process.ppid, processStart: '1' });
    expect(await share.openBatches()).toMatchObject([{ claim: 'abandoned' }]);
  });

  test('of another host is finished only when it has stood still for five minutes of our own watching', async () => {
    const { share, batch, path } = await abandon({ host: 'elsewhere' });
    // Its times say nothing: the other host's clock may be anywhere.
    await utimes(path, 1, 1);
    expect(await share.openBatches()).toMatchObject([{ claim: 'held' }]);
    nowMs += 299_000;
    expect(await share.openBatches()).toMatchObject([{ claim: 'held' }]);
    await utimes(path, 2, 2);
    nowMs += 299_000;
    expect(await share.openBatches()).toMatchObject([{ claim: 'held' }]);
    nowMs += 299_000;
    expect(await share.openBatches()).toMatchObject([{ claim: 'held' }]);
    nowMs += 2_000;
    expect(await share.openBatches()).toMatchObject([{ claim: 'abandoned' }]);
    expect(await share.adopt(batch.batchId)).toMatchObject({ batchId: batch.batchId });
  });

  test('is adopted by one of several', async () => {
    const { batch } = await abandon(DEAD);
    const shares = await Promise.all(Array.from({ length: 5 }, async () => bed.open({}, { clock })));
    const results = await Promise.all(shares.map(async share => share.adopt(batch.batchId)));
    expect(results.filter(result => result !== undefined)).toHaveLength(1);
  });

  test.each([
    ['with', undefined],
    ['without', 'ENOTSUP'],
  ])(
    'stays that of who adopted it a moment before another one, on a share %s hard links',
    async (_, noLinks) => {
      const { batch, path } = await abandon(DEAD);
      let isAhead = false;
      const fs = createFaultyFs((operation, from) => {
        if (operation === 'link' && noLinks !== undefined) throw fsError(noLinks);
        if (operation !== 'rename' || String(from) !== path || isAhead) return;
        isAhead = true;
        changeClaim(batch, { claimId: 'the winner', host: 'elsewhere' });
      });
      expect(await (await bed.open({}, { clock, fs })).adopt(batch.batchId)).toBeUndefined();
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ claimId: 'the winner' });
      expect(readdirSync(batch.paths.folder).filter(name => /tmp|lock/.test(name))).toEqual([]);
    },
  );

  test('whose files are all gone disappears', async () => {
    const { share, batch } = await abandon(DEAD);
    const { rm } = await import('node:fs/promises');
    await rm(join(batch.paths.files, 'folder/a.pdf'));
    expect(await share.adopt(batch.batchId)).toBeUndefined();
    expect(await share.openBatches()).toEqual([]);
    expect(await bed.list('.drawbridge/batches')).toEqual([]);
  });

  test('whose claim cannot be read is watched like another host’s', async () => {
    const { share, batch, path } = await abandon({});
    await writeFile(path, '{"version":');
    expect(await share.openBatches()).toMatchObject([{ claim: 'held' }]);
    nowMs += 301_000;
    expect(await share.openBatches()).toMatchObject([{ claim: 'abandoned' }]);
    expect(await share.adopt(batch.batchId)).toMatchObject({ batchId: batch.batchId });
  });

  test('that another host has made of one which this process gave up is left alone', async () => {
    const { share, batch } = await abandon({});
    await expect(share.writeManifest(batch, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(await share.openBatches()).toMatchObject([{ claim: 'abandoned' }]);
    changeClaim(batch, { claimId: 'theirs', host: 'elsewhere' });
    expect(await share.openBatches()).toMatchObject([{ claim: 'held' }]);
    expect(await share.adopt(batch.batchId)).toBeUndefined();
  });

  test('that an earlier build made is finished once it has stood still, and not while its claimer is at work', async () => {
    const { share, batch, path } = await abandon({ host: 'elsewhere' });
    writeAsBefore(batch);
    expect(await share.openBatches()).toMatchObject([{ state: 'claiming', isProven: true, claim: 'held' }]);
    nowMs += 299_000;
    await utimes(path, 1, 1);
    await share.openBatches();
    nowMs += 299_000;
    expect(await share.openBatches()).toMatchObject([{ claim: 'held' }]);
    nowMs += 2_000;
    expect(await share.openBatches()).toMatchObject([{ claim: 'abandoned' }]);
    const adopted = await share.adopt(batch.batchId);
    expect(adopted?.manifest.files).toMatchObject([{ path: 'folder/a.pdf' }]);
    expect(await share.openBatches()).toMatchObject([{ state: 'ready', isProven: true }]);
  });

  test('that its slow claimer finishes after all has one manifest, and both know it', async () => {
    const { share, batch } = await abandon({ host: 'elsewhere' });
    const other = await bed.open({}, { clock, hasher: simpleHasher });
    await other.openBatches();
    nowMs += 301_000;
    const adopted = await other.adopt(batch.batchId);
    const late = await share.writeManifest(batch);
    expect(late).toMatchObject({ manifestSha256: adopted?.manifestSha256 });
  });
});
