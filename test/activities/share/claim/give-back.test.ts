// Files on their way back into the drop folder, and processes that die on that way: whatever is left can be
// claimed as what it is, and nothing of ours can be claimed at all.
import { readFileSync, writeFileSync } from 'node:fs';
import { link, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withResolvers } from '../../../../activities/host/with-resolvers';
import { keepClaimed, toClaimText } from '../../../../activities/share/claim/claim-owner';
import { Seals } from '../../../../activities/share/files/seals';
import type { BatchPaths } from '../../../../activities/share/files/share-layout';
import { openShare } from '../../../../activities/share/open-share';
import type { Share } from '../../../../activities/share/share';
import { createFaultyFs, DyingFs, fsError } from '../faulty-fs';
import {
  changeClaim,
  claimAll,
  createTestBed,
  DEAD,
  SHARE_KEY,
  simpleHasher,
  submitted,
  type TestBed,
} from '../share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

/** Claims a file that has become another one meanwhile, so that it is given back. */
async function giveBack(share: Share): Promise<void> {
  const entry = await share.look({ path: 'sub/plan.pdf' });
  writeFileSync(join(bed.root, 'drop/sub/plan.pdf'), 'the second version');
  await share.claim([entry!]);
}

/** What a claim of everything would take now. */
async function claimable(share: Share): Promise<string[]> {
  const contents: string[] = [];
  for await (const { path } of share.scan())
    contents.push(readFileSync(join(bed.root, 'drop', path), 'utf8'));
  return contents;
}

async function recover(share: Share): Promise<void> {
  for (const batch of await share.openBatches()) {
    if (batch.state === 'claiming' && batch.claim === 'abandoned') await share.adopt(batch.batchId);
  }
}

test.each([
  ['with hard links', undefined],
  ['without hard links', 'ENOTSUP'],
])(
  'on a share %s nothing but the file itself is ever there to be claimed',
  async (_, code) => {
    for (let dieAt = 1, isDead = true; isDead; dieAt += 1) {
      await bed.remove();
      bed = await createTestBed();
      const recovering = await bed.open({ abandonedMs: 0 });
      await bed.drop('sub/plan.pdf', 'the first version');
      const dying = new DyingFs(dieAt);
      const fs = {
        ...dying.fs,
        link: async (...paths: Parameters<typeof dying.fs.link>) => {
          if (code !== undefined) throw fsError(code);
          await dying.fs.link(...paths);
        },
      };
      const deps = { hasher: simpleHasher, logger: bed.logger, fs, key: SHARE_KEY };
      await openShare(bed.config, deps)
        .then(giveBack)
        .catch(() => undefined);
      isDead = dying.isDead;

      for (const content of await claimable(recovering))
        expect(content).toMatch(/^the (first|second) version$/);
      await recover(recovering);
      // Adopted, it lies in its batch; given back, in the drop folder: once, and whole.
      const places = [...(await bed.list('drop')), ...(await bed.list('.drawbridge/batches'))];
      expect(places.filter(path => path.endsWith('plan.pdf'))).toHaveLength(1);
      for (const content of await claimable(recovering))
        expect(content).toMatch(/^the (first|second) version$/);
    }
  },
  60_000,
);

test('a file with two names, one of them left in its claim by a kill, is claimed like any other', async () => {
  const isKilled = { now: false };
  const fs = createFaultyFs((operation, path) => {
    if (operation === 'unlink' && String(path).includes('/files/sub/')) isKilled.now = true;
    if (isKilled.now) throw fsError('DEAD');
  });
  const share = await bed.open({}, { fs });
  await bed.drop('sub/plan.pdf', 'the first version');
  await expect(giveBack(share)).rejects.toMatchObject({ code: 'DEAD' });
  expect(await bed.list('drop')).toEqual(['sub/plan.pdf']);

  const { manifest } = await claimAll(await bed.open({ abandonedMs: 0 }));
  expect(manifest.files).toMatchObject([{ path: 'sub/plan.pdf', sha256: expect.any(String) }]);
  expect(manifest.files[0]?.refused).toBeUndefined();
});

test('a file that others have linked is still refused', async () => {
  const share = await bed.open();
  await bed.drop('plan.pdf');
  await link(join(bed.root, 'drop/plan.pdf'), join(bed.root, 'another'));
  expect((await claimAll(share)).manifest.files[0]?.refused?.code).toBe('linked-twice');
});

test.each([
  ['whose claimer is at work', 'z.pdf', {}],
  ['whose claimer is gone', 'z.pdf', DEAD],
  ['that has its name in another folder', 'other/a.pdf', DEAD],
  ['that was linked under its name anew, while its claimer is at work', 'a.pdf', {}],
])('a file stays in its claim when another name of it is claimed: one %s', async (_, other, owner) => {
  const share = await bed.open();
  await bed.drop('a.pdf');
  await bed.drop('other/b.pdf');
  await link(join(bed.root, 'drop/a.pdf'), join(bed.root, 'kept'));
  const { batch } = await share.claim(['a.pdf']);
  changeClaim(batch!, owner);
  await link(join(bed.root, 'kept'), join(bed.root, 'drop', other));
  await share.claim([other]);
  expect(await bed.list(`.drawbridge/batches/${batch!.batchId}/files`)).toEqual(['a.pdf']);
});

test.each(['sub/plan (2).pdf', 'plan.pdf'])('a file that was given back as %s has one name', async path => {
  const share = await bed.open();
  await bed.drop('sub/plan.pdf');
  const { batch } = await share.claim(['sub/plan.pdf']);
  changeClaim(batch!, DEAD);
  const claimed = join(bed.root, '.drawbridge/batches', batch!.batchId, 'files/sub/plan.pdf');
  await link(claimed, join(bed.root, 'drop', path));
  expect((await claimAll(share)).manifest.files).toMatchObject([{ path, sha256: expect.any(String) }]);
});

test('a folder that took the place of a file goes back as it is, beside what has its name by then', async () => {
  const { rename, rm } = await import('node:fs/promises');
  const fs = createFaultyFs(async (operation, from) => {
    if (operation !== 'rename' || !String(from).endsWith('/drop/plan.pdf')) return;
    await rm(String(from));
    await mkdir(join(bed.root, 'made'));
    await writeFile(join(bed.root, 'made/inside.pdf'), 'inside');
    await rename(join(bed.root, 'made'), String(from));
  });
  const share = await bed.open({}, { fs });
  await bed.drop('plan.pdf');
  expect(await share.claim(['plan.pdf'])).toMatchObject({ notClaimed: [{ why: 'changed' }] });
  expect(await bed.list('drop')).toEqual(['plan.pdf/inside.pdf']);
  expect(await share.openBatches()).toEqual([]);
});

describe('names that a drop folder ignores', () => {
  test('are finished like all others once they were claimed by their path', async () => {
    const share = await bed.open({ abandonedMs: 0 });
    await bed.drop('~$plan.docx', 'a file somebody named like this');
    const { batch } = await share.claim(['~$plan.docx']);
    changeClaim(batch!, DEAD);
    const adopted = await share.adopt(batch!.batchId);
    expect(adopted?.manifest.files.map(file => file.path)).toEqual(['~$plan.docx']);
    await share.settleUp(batch!.batchId, [submitted(0)], { final: true });
    expect(await bed.list(`done/${batch!.batchId}`)).toContain('~$plan.docx');
  });

  test('are not buried when they lie in a batch that is put away', async () => {
    const share = await bed.open();
    await bed.drop('plan.pdf');
    const { batchId } = await claimAll(share);
    await writeFile(join(bed.root, '.drawbridge/batches', batchId, 'files/.late.part'), 'late');
    await share.settleUp(batchId, [submitted(0)], { final: true });
    expect(await bed.list('drop')).toEqual(['.late.part']);
    expect((await bed.list('.drawbridge/finished')).filter(path => path.includes('/files/'))).toEqual([]);
  });

  test('and a batch is not put away while anything lies in it', async () => {
    const late = join(bed.root, 'late');
    const state: { files?: string } = {};
    const fs = createFaultyFs(async (operation, path) => {
      if (operation === 'removeFolder' && String(path) === state.files)
        await writeFile(`${state.files}/x`, 'x');
    });
    await writeFile(late, '');
    const share = await bed.open({}, { fs });
    await bed.drop('plan.pdf');
    const { batchId } = await claimAll(share);
    state.files = join(bed.root, '.drawbridge/batches', batchId, 'files');
    await expect(share.settleUp(batchId, [submitted(0)], { final: true })).rejects.toMatchObject({
      code: 'unreadable-now',
    });
    delete state.files;
    await share.settleUp(batchId, [submitted(0)], { final: true });
    expect(await bed.list('drop')).toEqual(['x']);
  });
});

test('other claims are looked through once for all files that others have linked, not once for each', async () => {
  let operations = 0;
  const share = await bed.open({}, { fs: createFaultyFs(() => void operations++) });
  const claimLinked = async (): Promise<number> => {
    const names = Array.from({ length: 20 }, (_, n) => `${n}.pdf`);
    for (const name of names) {
      await bed.drop(name);
      await link(join(bed.root, 'drop', name), join(bed.root, `${operations} ${name}`));
    }
    const before = operations;
    expect((await claimAll(share)).manifest.files.map(file => file.refused?.code)).toEqual(
      names.map(() => 'linked-twice'),
    );
    return operations - before;
  };
  const alone = await claimLinked();
  const planted = Array.from({ length: 40 }, (_, n) => `20260131-0930${10 + n}-aaaaaa`);
  for (const batchId of planted) await mkdir(join(bed.root, '.drawbridge/batches', batchId));
  expect((await claimLinked()) - alone).toBeLessThan(5 * planted.length);
});

describe('a claimer that stalled until another host took its claim over', () => {
  let nowMs = 1_000_000;
  const clock = { wallMs: () => Date.parse('2026-01-31T09:30:00Z'), monotonicMs: () => nowMs };

  /** What another host does that sees the claim stand still. */
  async function takeOver() {
    const other = await bed.open({}, { clock });
    const [claim] = await other.openBatches();
    const path = join(bed.root, '.drawbridge/batches', claim!.batchId, 'claim.json');
    const { seal: _seal, sealedBy: _by, ...owner } = JSON.parse(readFileSync(path, 'utf8'));
    const seals = new Seals(SHARE_KEY);
    writeFileSync(
      path,
      toClaimText({ seals, batchId: claim!.batchId } as BatchPaths, { ...owner, host: 'elsewhere' }),
    );
    await other.openBatches();
    nowMs += 301_000;
    const sealed = await other.adopt(claim!.batchId);
    const files = `.drawbridge/batches/${claim!.batchId}/files`;
    return { other, sealed, files: async () => await bed.list(files) };
  }

  test('leaves all that the other one has sealed when the share fails it', async () => {
    const [isHeld, fail] = [withResolvers<void>(), withResolvers<void>()];
    let renames = 0;
    const fs = createFaultyFs(async (operation, _, to) => {
      const isClaimed = operation === 'rename' && /\/batches\/[^/]+\/files/.test(String(to));
      if (!isClaimed || ++renames !== 2) return;
      isHeld.resolve();
      await fail.promise;
      throw fsError('EIO');
    });
    const names = ['a.pdf', 'b.pdf', 'c.pdf', 'd.pdf', 'e.pdf', 'f.pdf'];
    for (const name of names) await bed.drop(`Job/${name}`);
    const stalled = await bed.open({}, { clock, fs });
    const claim = stalled.claim(names.map(name => `Job/${name}`));
    await isHeld.promise;
    while (renames < names.length) await delay(5);
    await delay(50);
    const { sealed, files } = await takeOver();
    const before = await files();
    expect(before).toHaveLength(5);
    expect(sealed?.manifest.files.map(({ path }) => path)).toEqual(before);
    fail.resolve();
    await expect(claim).rejects.toMatchObject({ code: 'share-away' });
    expect(await files()).toEqual(before);
    expect(await bed.list('drop')).toHaveLength(1);
  });

  test('leaves a file that has changed since to the batch that it is sealed in', async () => {
    const takenOver = withResolvers<void>();
    await bed.drop('plan.pdf', 'the first version');
    const hasher: typeof simpleHasher = {
      hashFile: async (path, how) => {
        await takenOver.promise;
        await writeFile(path, 'the second one');
        return await simpleHasher.hashFile(path, how);
      },
    };
    const stalled = await bed.open({}, { clock, hasher });
    const { batch } = await stalled.claim(['plan.pdf']);
    const sealing = stalled.writeManifest(batch!);
    const other = await takeOver();
    takenOver.resolve();
    await expect(sealing).rejects.toMatchObject({ code: 'unreadable-now' });
    expect(await other.files()).toEqual(['plan.pdf']);
    expect(await bed.list('drop')).toEqual([]);
  });

  test('does not make the claim of the other one look as if somebody were at it', async () => {
    await bed.drop('plan.pdf');
    const { batch } = await (await bed.open({}, { clock })).claim(['plan.pdf']);
    const touched: unknown[] = [];
    const fs = { ...batch!.paths.fs, touch: async (path: unknown) => void touched.push(path) };
    jest.useFakeTimers({ doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const letGo = keepClaimed({ ...batch!.paths, fs }, batch!.owner);
      jest.advanceTimersByTime(10_000);
      await delay(50);
      expect(touched).toHaveLength(1);
      changeClaim(batch!, { claimId: 'of another one' });
      jest.advanceTimersByTime(10_000);
      await delay(50);
      letGo();
      expect(touched).toHaveLength(1);
    } finally {
      jest.useRealTimers();
    }
  });
});
