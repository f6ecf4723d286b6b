import { appendFile, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withResolvers } from '../../../activities/host/with-resolvers';
import type { Share } from '../../../activities/share/share';
import { createFaultyFs, fsError } from '../../activities/share/faulty-fs';
import {
  aHolder,
  claimAll,
  createTestBed,
  simpleHasher,
  submitted,
  type TestBed,
} from '../../activities/share/share-test-bed';
import { FakeStarter, QUICK, RunningWatcher } from './watch-test-bed';

let bed: TestBed;
let watchers: RunningWatcher[] = [];

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await Promise.all(watchers.map(async watcher => watcher.stop()));
  watchers = [];
  await bed.remove();
});

function watch(
  share: Share,
  ...rest: ConstructorParameters<typeof RunningWatcher> extends [Share, ...infer R] ? R : never
) {
  const watcher = new RunningWatcher(share, ...rest);
  watchers.push(watcher);
  return watcher;
}

async function finishBatch(share: Share, batchId: string): Promise<void> {
  const { manifest } = await share.readBatch(batchId);
  await share.settleUp(
    batchId,
    manifest.files.map(file => submitted(file.index)),
    { final: true },
  );
}

describe('files in the drop folder', () => {
  test('are claimed whether they came before or after the start, and their batches started', async () => {
    const share = await bed.open(QUICK);
    await bed.drop('before.pdf');
    const watcher = watch(share);
    await watcher.claimed(1);
    await bed.drop('folder/after.pdf');
    expect(await watcher.claimed(2)).toEqual(['before.pdf', 'folder/after.pdf']);
    await watcher.until(() => watcher.starter.started.length === 2);
    expect(await bed.list('drop')).toEqual([]);
  });

  test('are claimed in polling mode too', async () => {
    const watcher = watch(await bed.open({ ...QUICK, polling: true }));
    await bed.drop('a.pdf');
    expect(await watcher.claimed(1)).toEqual(['a.pdf']);
  });

  test('are not claimed while they grow', async () => {
    const share = await bed.open(QUICK);
    const watcher = watch(share);
    await bed.drop('growing.bin', '');
    for (let part = 0; part < 15; part += 1) {
      await appendFile(join(bed.root, 'drop/growing.bin'), 'x'.repeat(1_000));
      await sleep(60);
    }
    await watcher.claimed(1);
    expect(watcher.of('file-claimed')[0]).toMatchObject({ sizeBytes: 15_000 });
    expect(watcher.of('file-returned')).toEqual([]);
  });

  test('that are noise or unfinished downloads stay where they are', async () => {
    const watcher = watch(await bed.open(QUICK));
    for (const name of ['Thumbs.db', '.DS_Store', '~$a.docx', 'b.part', '.folder/c.pdf', 'real.pdf']) {
      await bed.drop(name);
    }
    expect(await watcher.claimed(1)).toEqual(['real.pdf']);
    expect(await bed.list('drop')).toEqual(['.DS_Store', '.folder/c.pdf', 'Thumbs.db', 'b.part', '~$a.docx']);
  });

  test('that cannot travel are told with their reason, and are part of the batch', async () => {
    const watcher = watch(await bed.open(QUICK));
    await bed.drop('empty.pdf', '');
    await symlink('/etc/passwd', join(bed.root, 'drop/link.pdf'));
    await watcher.claimed(2);
    expect(watcher.of('file-refused').map(event => event.code)).toEqual(['empty-file', 'shortcut']);
  });

  test('come in batches of at most a hundred', async () => {
    const share = await bed.open(QUICK);
    for (let index = 0; index < 250; index += 1) await bed.drop(`f${index}.pdf`);
    const watcher = watch(share);
    await watcher.claimed(250);
    await watcher.until(() => watcher.of('batch-claimed').length === 3);
    expect(watcher.of('batch-claimed').reduce((sum, event) => sum + event.files, 0)).toBe(250);
    expect(Math.max(...watcher.of('batch-claimed').map(event => event.files))).toBe(100);
  });

  test('in sub-folders leave these behind empty, and then the folders go', async () => {
    const share = await bed.open({ ...QUICK, settleMs: 50, quietMs: 50, scanEveryMs: 100 });
    await mkdir(join(bed.root, 'drop/theirs'));
    const watcher = watch(share);
    await bed.drop('a/b/c.pdf');
    await watcher.claimed(1);
    const folders = async () => readdir(join(bed.root, 'drop'));
    for (let turn = 0; turn < 100 && (await folders()).length > 1; turn += 1) await sleep(100);
    expect(await folders()).toEqual(['theirs']);
  });

  test('in use are mentioned once and claimed when they are free', async () => {
    let isOpen = true;
    const fs = createFaultyFs((operation, path) => {
      if (isOpen && operation === 'rename' && String(path).endsWith('open.docx')) throw fsError('EBUSY');
    });
    const watcher = watch(await bed.open({ ...QUICK, settleMs: 50 }, { fs }));
    await bed.drop('open.docx');
    await bed.drop('free.pdf');
    expect(await watcher.claimed(1)).toEqual(['free.pdf']);
    await watcher.until(() => watcher.of('file-waiting').length === 1);
    isOpen = false;
    expect(await watcher.claimed(2)).toEqual(['free.pdf', 'open.docx']);
    expect(watcher.of('file-waiting')).toMatchObject([{ path: 'open.docx', why: 'busy' }]);
  });

  test('are claimed once, though two watchers look', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `f${index}.pdf`);
    for (const name of names) await bed.drop(name);
    const two = [watch(await bed.open(QUICK)), watch(await bed.open(QUICK))];
    const claimed = () => two.flatMap(watcher => watcher.of('file-claimed').map(event => event.path));
    await Promise.all(
      two.map(async watcher => watcher.until(() => claimed().length >= 300).catch(() => undefined)),
    );
    expect(new Set(claimed())).toEqual(new Set(names));
    expect(claimed()).toHaveLength(300);
  }, 40_000);
});

describe('a steady stream of files', () => {
  test('keeps no other folder waiting: what lies there is in one of the first two batches', async () => {
    const share = await bed.open({ ...QUICK, maxBatchFiles: 5, maxOpenBatches: 1 });
    for (let index = 0; index < 30; index += 1) await bed.drop(`a/f${100 + index}.pdf`);
    await bed.drop('zzz/urgent.pdf');
    const watcher = watch(share);
    const claimed = () => watcher.of('batch-claimed').map(({ batchId }) => batchId);
    const urgent = () => watcher.of('file-claimed').find(({ path }) => path === 'zzz/urgent.pdf');
    for (let batch = 1; batch <= 4; batch += 1) {
      await watcher.until(() => claimed().length === batch);
      for (let index = 0; index < 5; index += 1) await bed.drop(`a/a${batch}-${index}.pdf`);
      await finishBatch(share, claimed()[batch - 1]!);
    }
    expect(claimed().slice(0, 2)).toContain(urgent()?.batchId);
  });
});

describe('a folder that is dropped', () => {
  const placesOf = async (share: Share) => {
    const places: (string | undefined)[] = [];
    for (const { batchId } of await share.openBatches()) {
      const { job } = (await share.readSeal(batchId)).manifest;
      places.push(job && `${job.place} ${job.part}`);
    }
    return places.sort();
  };

  test('is one job, cut in natural order; what comes after its end is another', async () => {
    const share = await bed.open({ ...QUICK, maxBatchFiles: 3 });
    for (const index of [10, 9, 2, 1, 100]) await bed.drop(`A/${index}.pdf`);
    await bed.drop('loose.pdf');
    const watcher = watch(share);
    await watcher.claimed(6);
    const parts: string[][] = [];
    for (const { batchId } of await share.openBatches()) {
      const { job, files } = (await share.readSeal(batchId)).manifest;
      if (job !== undefined) parts[job.part - 1] = files.map(({ path }) => path);
    }
    expect(parts).toEqual([
      ['A/1.pdf', 'A/2.pdf', 'A/9.pdf'],
      ['A/10.pdf', 'A/100.pdf'],
    ]);
    await watcher.until(() => watcher.of('job-closed').length === 1);
    expect(await placesOf(share)).toEqual(['A 1', 'A 2', undefined]);
    await bed.drop('A/late.pdf');
    await watcher.claimed(7);
    await watcher.until(() => watcher.of('job-closed').length === 2);
    expect(await placesOf(share)).toContainEqual(expect.stringMatching(/^A \(\d{4}-\d\d-\d\d\) 1$/));
  });

  test('goes as soon as its register is corrected while files that it lists are waited for', async () => {
    await bed.drop('A/1.pdf');
    await bed.drop('A/register.csv', 'File,Number\n1.pdf,N-1\nx.pdf,N-2\n');
    const watcher = watch(await bed.open(QUICK));
    await watcher.until(() => watcher.of('register-waits').length === 1);
    await bed.drop('A/register.csv', 'File,Number\n1.pdf,N-3\n');
    expect(await watcher.claimed(1)).toEqual(['A/1.pdf']);
    const [batch] = await (await bed.open()).openBatches();
    const { files } = (await (await bed.open()).readSeal(batch!.batchId)).manifest;
    expect(files[0]?.entry?.row?.cells).toEqual(['1.pdf', 'N-3']);
  });

  test('leaves what no register lists, ends without it, and takes it when a register lists it', async () => {
    const share = await bed.open({ ...QUICK, register: { leavesUnlisted: true } });
    await bed.drop('A/1.pdf');
    await bed.drop('A/x.pdf');
    await bed.drop('A/register.csv', 'File,Number\n1.pdf,N-1\n');
    const first = watch(share);
    expect(await first.claimed(1)).toEqual(['A/1.pdf']);
    await first.until(() => first.of('job-closed').length === 1);
    await first.stop();
    const watcher = watch(await bed.open({ ...QUICK, register: { leavesUnlisted: true } }));
    await watcher.until(() => watcher.of('files-left').length === 1);
    await bed.drop('A/register.csv', 'File,Number\nx.pdf,N-2\n');
    expect(await watcher.claimed(1)).toEqual(['A/x.pdf']);
    await watcher.until(() => watcher.of('job-closed').length === 1);
    expect(await placesOf(share)).toHaveLength(2);
  });

  test('is gone on with by the next watcher, and leaves no empty folder, however deep', async () => {
    const quick = { ...QUICK, settleMs: 50, scanEveryMs: 100 };
    const share = await bed.open({ ...quick, maxOpenBatches: 1, maxBatchFiles: 1 });
    await bed.drop('A/1.pdf');
    await bed.drop('A/2.pdf');
    await mkdir(join(bed.root, 'drop/A/empty/inner'), { recursive: true });
    const first = watch(share);
    await first.claimed(1);
    await first.stop();
    await finishBatch(share, first.of('batch-claimed')[0]!.batchId);
    const second = watch(await bed.open(quick));
    await second.claimed(1);
    await second.until(() => second.of('job-closed').length === 1);
    expect(await placesOf(share)).toEqual(['A 2']);
    const left = async () => readdir(join(bed.root, 'drop'));
    for (let turn = 0; turn < 100 && (await left()).length > 0; turn += 1) await sleep(50);
    expect(await left()).toEqual([]);
  });
});

describe('back-pressure', () => {
  test('claims no more than may be on their way, and goes on when one is finished', async () => {
    const share = await bed.open({ ...QUICK, maxBatchFiles: 2, maxOpenBatches: 2 });
    for (let index = 0; index < 8; index += 1) await bed.drop(`f${index}.pdf`);
    const watcher = watch(share);
    await watcher.until(() => watcher.of('batches-full').length === 1);
    await watcher.claimed(4);
    expect(await share.openBatches()).toHaveLength(2);
    await finishBatch(share, watcher.of('batch-claimed')[0]!.batchId);
    await watcher.claimed(6);
    expect(await share.openBatches()).toHaveLength(2);
  });

  test('is not held up by folders that somebody planted among the batches', async () => {
    const share = await bed.open({ ...QUICK, maxOpenBatches: 1 });
    for (const name of ['a', 'b'])
      await mkdir(join(bed.root, `.drawbridge/batches/20260131-093000-aaaaa${name}/files/x`), {
        recursive: true,
      });
    await bed.drop('a.pdf');
    const watcher = watch(share, new FakeStarter(), { timing: { recoverEveryMs: 100 } });
    expect(await watcher.claimed(1)).toHaveLength(1);
    expect(watcher.of('batch-damaged')).toEqual([]);
  });

  test('is not held up by a batch that only waits for a person', async () => {
    const share = await bed.open({ ...QUICK, maxBatchFiles: 2, maxOpenBatches: 1 });
    for (let index = 0; index < 4; index += 1) await bed.drop(`f${index}.pdf`);
    const watcher = watch(share);
    await watcher.claimed(2);
    const held = [{ index: 1, reason: { code: 'x', text: 'x', fix: 'x' } }];
    await share.settleUp(watcher.of('batch-claimed')[0]!.batchId, [submitted(0)], { final: false, held });
    expect(await watcher.claimed(4)).toHaveLength(4);
  });
});

describe('runs that have ended', () => {
  const OFTEN = { timing: { recoverEveryMs: 100 } };

  test('count no more: eight that failed do not stop the intake, and are told once each', async () => {
    const share = await bed.open({ ...QUICK, maxBatchFiles: 1, maxOpenBatches: 2 });
    for (let index = 0; index < 6; index += 1) await bed.drop(`f${index}.pdf`);
    const starter = new FakeStarter();
    starter.outcome = 'stopped';
    const watcher = watch(share, starter, OFTEN);
    expect(await watcher.claimed(6)).toHaveLength(6);
    await watcher.until(() => watcher.of('batch-stopped').length === 6);
    expect((await share.openBatches()).every(({ isStopped }) => isStopped)).toBe(true);
  });

  test('are not begun again when Temporal has forgotten them, by whatever watcher', async () => {
    const share = await bed.open(QUICK);
    await bed.drop('a.pdf');
    const { batchId } = await claimAll(share);
    const first = new FakeStarter();
    first.outcome = 'stopped';
    const before = watch(share, first, OFTEN);
    await before.until(() => before.of('batch-stopped').length === 1);
    await before.stop();
    const second = new FakeStarter();
    second.outcome = 'forgotten';
    const after = watch(await bed.open(QUICK), second, OFTEN);
    await after.until(() => after.of('batch-stopped').length === 1);
    expect(after.of('batch-stopped')).toMatchObject([{ batchId, outcome: 'forgotten' }]);
    expect(second.calls).toBe(0);
    // Resumed by a person: it is one of those on their way again.
    second.outcome = 'already-running';
    for (;;) {
      const [batch] = await share.openBatches();
      if (batch?.isStopped === false) break;
      await sleep(20);
    }
  });

  test('are known by who opened the batch, though no watcher was there when they ended', async () => {
    const share = await bed.open(QUICK);
    await bed.drop('a.pdf');
    const { batchId } = await claimAll(share);
    const { temporal } = aHolder('x', 'one');
    await share.temporals.hold(batchId, aHolder('x', 'one'));
    const starter = new FakeStarter();
    starter.outcome = 'forgotten';
    const watcher = watch(share, starter, { ...OFTEN, temporal: async () => temporal });
    await watcher.until(() => watcher.of('batch-stopped').length === 1);
    expect(starter.calls).toBe(0);
  });
});

describe('another Temporal on the share', () => {
  const QUICK_TO_FOLLOW = { ...QUICK, takeOverMs: 1_000 };
  const temporalOf = (id: string) => async () => aHolder('x', id).temporal;

  test('claims nothing beside the first; says whose it is, and follows when that one stands still', async () => {
    const first = watch(await bed.open(QUICK_TO_FOLLOW), new FakeStarter(), { temporal: temporalOf('one') });
    await bed.drop('a.pdf');
    await first.claimed(1);
    const second = watch(await bed.open(QUICK_TO_FOLLOW), new FakeStarter(), { temporal: temporalOf('two') });
    await second.until(() => second.of('watched-elsewhere').length === 1);
    expect(second.of('watched-elsewhere')).toMatchObject([{ namespace: 'namespace-one', batches: 1 }]);
    await bed.drop('b.pdf');
    await first.claimed(2);
    expect(second.of('file-claimed')).toEqual([]);
    expect(second.starter.calls).toBe(0);
    await first.stop();
    await second.until(() => second.of('watch-taken').length === 1);
    await bed.drop('c.pdf');
    expect(await second.claimed(1)).toEqual(['c.pdf']);
    // What the first one had claimed is started by its follower.
    await second.until(() => second.starter.started.length === 3);
  });

  test('that has lost its database is followed within a few beats, also by a watcher that has just begun', async () => {
    const share = await bed.open({ ...QUICK, takeOverMs: 5_000 });
    await bed.drop('a.pdf');
    const { batchId } = await claimAll(share);
    await share.temporals.hold(batchId, aHolder('x', 'one'));
    await share.temporals.watchFor(aHolder('x', 'two').temporal);
    const temporal = async () => aHolder('x', 'two', ['one']).temporal;
    const watcher = watch(share, new FakeStarter(), { temporal });
    await watcher.until(() => watcher.starter.started.length === 1);
    expect(watcher.of('batch-held-elsewhere')).toEqual([]);
  });

  test('keeps a batch that it carries while it is at work, though the share is watched from here', async () => {
    const share = await bed.open(QUICK);
    await bed.drop('a.pdf');
    const { batchId } = await claimAll(share);
    await share.temporals.hold(batchId, aHolder('x', 'one'));
    const watcher = watch(share, new FakeStarter(), {
      temporal: temporalOf('two'),
      timing: { recoverEveryMs: 50 },
    });
    await watcher.until(() => watcher.of('batch-held-elsewhere').length === 1);
    expect(watcher.of('batch-held-elsewhere')).toMatchObject([{ batchId, namespace: 'namespace-one' }]);
    await bed.drop('b.pdf');
    await watcher.until(() => watcher.starter.started.length === 1);
    expect(watcher.starter.started).not.toContain(batchId);
    expect(watcher.of('batch-held-elsewhere')).toHaveLength(1);
  });
});

test('a claim that is given up while a recovery is under way does not make the watcher spin', async () => {
  const share = await bed.open(QUICK);
  const { promise: recovering, resolve: recover } = withResolvers<void>();
  jest.spyOn(share, 'openJobs').mockImplementation(async () => {
    await recovering;
    return [];
  });
  jest.spyOn(share, 'writeManifest').mockRejectedValueOnce(new Error('given up'));
  const watcher = watch(share);
  await bed.drop('a.pdf');
  await watcher.until(() => watcher.of('share-refuses').length === 1);
  // Each turn reads the clock several times.
  const clock = jest.spyOn(performance, 'now');
  await sleep(400);
  const reads = clock.mock.calls.length;
  jest.restoreAllMocks();
  recover();
  expect(reads).toBeLessThan(150);
});

describe('what is away', () => {
  test('Temporal: batches are kept, it is said once, and they start when it is back', async () => {
    const starter = new FakeStarter();
    starter.isAway = true;
    const watcher = watch(await bed.open(QUICK), starter);
    await bed.drop('a.pdf');
    await watcher.until(() => starter.calls >= 2);
    expect(watcher.of('temporal-away')).toHaveLength(1);
    starter.isAway = false;
    await watcher.until(() => watcher.of('batch-started').length === 1);
    expect(watcher.of('temporal-back')).toHaveLength(1);
  });

  test('the share: it is said once, and work goes on when it is back', async () => {
    const watcher = watch(await bed.open(QUICK));
    await bed.drop('a.pdf');
    await watcher.claimed(1);
    await rename(bed.root, `${bed.root}-away`);
    await watcher.until(() => watcher.of('share-away').length === 1);
    await rename(`${bed.root}-away`, bed.root);
    await watcher.until(() => watcher.of('share-back').length === 1);
    await bed.drop('b.pdf');
    expect(await watcher.claimed(2)).toEqual(['a.pdf', 'b.pdf']);
    expect(watcher.of('share-away')).toHaveLength(1);
  });

  test('the root, removed and made anew: files are seen again, by their events too', async () => {
    const watcher = watch(await bed.open({ ...QUICK, scanEveryMs: 300 }));
    await bed.drop('a.pdf');
    await watcher.claimed(1);
    // Again and again, as long as what was claimed is still being noted there.
    await rm(bed.root, { recursive: true, maxRetries: 20, retryDelay: 50 });
    await mkdir(join(bed.root, 'drop'), { recursive: true });
    await bed.drop('b.pdf');
    expect(await watcher.claimed(2)).toEqual(['a.pdf', 'b.pdf']);
  });

  test('the drop folder, removed by a person: it is made again', async () => {
    const watcher = watch(await bed.open(QUICK));
    await rm(join(bed.root, 'drop'), { recursive: true });
    await watcher.until(() => watcher.of('share-away').length <= 1);
    for (let turn = 0; turn < 100; turn += 1) {
      if ((await readdir(bed.root)).includes('drop')) break;
      await sleep(50);
    }
    await bed.drop('a.pdf');
    expect(await watcher.claimed(1)).toEqual(['a.pdf']);
  });

  test('a mount that hangs: it is noticed, and the watcher still ends', async () => {
    let hangs = false;
    const fs = createFaultyFs(async operation => {
      if (hangs && operation === 'look') await new Promise(() => undefined);
    });
    const share = await bed.open(QUICK, { fs });
    const hanging = new Proxy(share, {
      get(target, property) {
        if (property === 'isReachable') return async () => ({ kind: hangs ? 'hung' : 'reachable' });
        const value: unknown = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const watcher = watch(hanging, new FakeStarter(), { timing: { stallMs: 200, finishMs: 300 } });
    await watcher.until(() => watcher.of('watch-started').length === 1);
    hangs = true;
    await watcher.until(() => watcher.of('share-away').length === 1);
    expect(watcher.of('share-away')[0]?.why).toContain('hangs');
    await watcher.stop();
  }, 40_000);

  test('room on the share: files stay in the drop folder, it is said once, and they are claimed when there is room', async () => {
    let isFull = true;
    const fs = createFaultyFs((operation, path) => {
      if (isFull && operation === 'makeFolder' && String(path).includes('/batches/')) throw fsError('ENOSPC');
    });
    const watcher = watch(await bed.open(QUICK, { fs }));
    await bed.drop('a.pdf');
    await watcher.until(() => watcher.of('share-refuses').length === 1);
    expect(await bed.list('drop')).toEqual(['a.pdf']);
    isFull = false;
    await watcher.claimed(1);
    expect(watcher.of('share-refuses')).toHaveLength(1);
    expect(watcher.of('share-accepts')).toHaveLength(1);
  });
});

describe('what others left behind', () => {
  test('a batch without a run is started, a receipt without moves is finished', async () => {
    const share = await bed.open(QUICK);
    await bed.drop('a.pdf');
    const ready = await claimAll(share);
    await bed.drop('b.pdf');
    let dies = false;
    const fs = createFaultyFs((operation, path) => {
      if (dies && operation === 'link' && String(path).includes('/files/')) throw fsError('DEAD');
    });
    const dying = await bed.open(QUICK, { fs });
    const settling = await claimAll(dying);
    dies = true;
    await expect(dying.settleUp(settling.batchId, [submitted(0)], { final: true })).rejects.toMatchObject({
      code: 'DEAD',
    });

    const watcher = watch(share);
    await watcher.until(
      () => watcher.of('batch-started').length === 1 && watcher.of('batch-settled').length === 1,
    );
    expect(watcher.of('batch-started')[0]?.batchId).toBe(ready.batchId);
    expect(await bed.list(`done/${settling.batchId}`)).toContain('b.pdf');
  });

  test('a claim without a manifest is adopted', async () => {
    let dies = true;
    const hasher = {
      hashFile: async (...input: Parameters<typeof simpleHasher.hashFile>) => {
        if (dies) throw fsError('DEAD');
        return await simpleHasher.hashFile(...input);
      },
    };
    const share = await bed.open(QUICK, { hasher });
    await bed.drop('a.pdf');
    const { batch } = await share.claim(['a.pdf']);
    await expect(share.writeManifest(batch!)).rejects.toMatchObject({ code: 'DEAD' });
    dies = false;
    const watcher = watch(share);
    await watcher.until(() => watcher.of('batch-started').length === 1);
    expect(watcher.of('batch-adopted')).toMatchObject([{ batchId: batch!.batchId, files: 1 }]);
  });

  test('is taken up though the jobs cannot be listed, which is told', async () => {
    const share = await bed.open(QUICK);
    await bed.drop('a.pdf');
    const { batchId } = await claimAll(share);
    jest.spyOn(share, 'openJobs').mockRejectedValue(fsError('EACCES'));
    const watcher = watch(share);
    await watcher.until(
      () => watcher.of('batch-started').length === 1 && watcher.of('share-refuses').length > 0,
    );
    expect(watcher.of('batch-started')).toMatchObject([{ batchId }]);
    expect(watcher.of('share-refuses')).toMatchObject([{ why: 'EACCES' }]);
  });

  test('a batch that cannot be read is said once and holds up no other', async () => {
    const share = await bed.open(QUICK);
    await bed.drop('a.pdf');
    const { batchId } = await claimAll(share);
    await rm(join(bed.root, '.drawbridge/batches', batchId, 'batch.json'));
    await bed.drop('.x');
    await rename(join(bed.root, 'drop/.x'), join(bed.root, '.drawbridge/batches', batchId, 'batch.json'));
    await bed.drop('b.pdf');
    const watcher = watch(share, new FakeStarter(), { timing: { recoverEveryMs: 100 } });
    await watcher.until(
      () => watcher.of('batch-started').length === 1 && watcher.of('batch-damaged').length === 1,
    );
    expect(watcher.of('batch-damaged')[0]).toMatchObject({ batchId });
  });
});

describe('the end', () => {
  test('comes promptly when nothing is to be done', async () => {
    const watcher = watch(await bed.open({ ...QUICK, scanEveryMs: 60_000 }));
    await watcher.until(() => watcher.of('watch-started').length === 1);
    const beganMs = performance.now();
    await watcher.stop();
    // The next round would come after a minute.
    expect(performance.now() - beganMs).toBeLessThan(10_000);
  });

  test('comes after the claim in hand has its manifest', async () => {
    let release: () => void = () => undefined;
    const begun = new Promise<void>(resolve => {
      release = resolve;
    });
    const hasher = {
      hashFile: async (...input: Parameters<typeof simpleHasher.hashFile>) => {
        release();
        await sleep(300);
        return await simpleHasher.hashFile(...input);
      },
    };
    const share = await bed.open(QUICK, { hasher });
    const watcher = watch(share);
    await bed.drop('a.pdf');
    await begun;
    await watcher.stop();
    expect(await share.openBatches()).toMatchObject([{ state: 'ready' }]);
  });

  test('leaves a claim whose hashing takes too long to the next start', async () => {
    let release: () => void = () => undefined;
    const begun = new Promise<void>(resolve => {
      release = resolve;
    });
    let isSlow = true;
    const hasher = {
      hashFile: async (...input: Parameters<typeof simpleHasher.hashFile>) => {
        release();
        if (isSlow) await sleep(60_000, undefined, { signal: input[1].signal! });
        return await simpleHasher.hashFile(...input);
      },
    };
    const share = await bed.open(QUICK, { hasher });
    const first = watch(share, new FakeStarter(), { timing: { finishMs: 100 } });
    await bed.drop('a.pdf');
    await begun;
    await first.stop();
    isSlow = false;
    const second = watch(share);
    await second.until(() => second.of('batch-adopted').length === 1);
  });
});
