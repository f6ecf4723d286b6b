// Somebody who may write to the share exchanges a folder for a link, in the very moment between our look and
// what follows from it: nothing is taken from where the link leads, and nothing is left there.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWanted } from '../../../../activities/share/claim/claim-record';
import { RealFolders } from '../../../../activities/share/files/real-folder';
import { createNodeShareFs, type FsPlace, Place } from '../../../../activities/share/files/share-fs';
import type { Share } from '../../../../activities/share/share';
import { createFaultyFs, type Operation } from '../faulty-fs';
import {
  changeClaim,
  claimAll,
  createTestBed,
  DEAD,
  simpleHasher,
  submitted,
  type TestBed,
} from '../share-test-bed';

const SECRET = 'a token that is nobody else’s business';

let bed: TestBed;
let outside: string;

beforeEach(async () => {
  bed = await createTestBed();
  outside = join(bed.root, 'outside');
  await mkdir(outside, { mode: 0o700 });
  await writeFile(join(outside, 'plan.pdf'), SECRET, { mode: 0o600 });
});

afterEach(async () => {
  await bed.remove();
});

/** Once, before the first `operation` whose paths match, the folder becomes a link to the one outside. */
function createSwapper(byDescriptor: boolean, operation: Operation, matches: RegExp, folder: () => string) {
  const state = { isArmed: false, hasSwapped: false };
  const fs = createFaultyFs(
    async (name, ...paths) => {
      const shown = paths.filter(path => typeof path !== 'object' || path !== null).map(String);
      if (!state.isArmed || state.hasSwapped || name !== operation || !shown.some(path => matches.test(path)))
        return;
      state.hasSwapped = true;
      await swap(join(bed.root, folder()));
    },
    { byDescriptor },
  );
  return { fs, state };
}

async function swap(folder: string): Promise<void> {
  await rename(folder, `${folder}-away`);
  await symlink(outside, folder);
}

async function expectNothingTakenOrLeft(): Promise<void> {
  expect(await readdir(outside)).toEqual(['plan.pdf']);
  expect(readFileSync(join(outside, 'plan.pdf'), 'utf8')).toBe(SECRET);
  // Neither moved nor linked from elsewhere.
  expect(lstatSync(join(outside, 'plan.pdf')).nlink).toBe(1);
}

describe.each([
  ['held by descriptors', true],
  ['looked at before and after', false],
])('folders that are %s', (_, byDescriptor) => {
  test.each<[Operation]>([['rename'], ['openFolder']])(
    'claims nothing from behind a link that is put there before %s',
    async operation => {
      const matches = operation === 'rename' ? /\/drop\/sub\// : /\/drop\/sub$/;
      const { fs, state } = createSwapper(byDescriptor, operation, matches, () => 'drop/sub');
      const share = await bed.open({}, { fs });
      await bed.drop('sub/plan.pdf', 'the dropper’s own');
      const entry = await share.look({ path: 'sub/plan.pdf' });
      state.isArmed = true;
      const { batch } = await share.claim([entry!]);
      expect(state.hasSwapped).toBe(true);
      const [mistaken] = await share.listMistaken();
      // Where folders cannot be held, it is kept: the way back may lead into the drop folder by then.
      expect(mistaken !== undefined).toBe(!byDescriptor && operation === 'rename');
      if (mistaken === undefined) await expectNothingTakenOrLeft();
      else expect(await bed.read(`.drawbridge/mistaken/${mistaken}/sub/plan.pdf`)).toBe(SECRET);
      // What is taken, if anything, is what was looked at.
      if (batch !== undefined) {
        expect(readFileSync(join(batch.paths.files, 'sub/plan.pdf'), 'utf8')).toBe('the dropper’s own');
      }
    },
  );

  test('gives nothing back to behind a link', async () => {
    const { fs, state } = createSwapper(byDescriptor, 'link', /\/drop\/sub\//, () => 'drop/sub');
    const written = {
      ...fs,
      rename: async (...places: Parameters<typeof fs.rename>) => {
        if (state.isArmed && String(places[0]).endsWith('/drop/sub/other.pdf'))
          await writeFile(join(bed.root, 'drop/sub/other.pdf'), 'second');
        await fs.rename(...places);
      },
    };
    const share = await bed.open({}, { fs: written });
    await bed.drop('sub/other.pdf', 'first');
    const entry = await share.look({ path: 'sub/other.pdf' });
    state.isArmed = true;
    await share.claim([entry!]).catch(() => undefined);
    expect(state.hasSwapped).toBe(true);
    await expectNothingTakenOrLeft();
  });

  test('puts no finished file and no receipt behind a link', async () => {
    for (const [operation, name] of [
      ['link', 'plan.pdf'],
      ['link', 'receipt.csv'],
    ] as const) {
      await bed.remove();
      bed = await createTestBed();
      outside = join(bed.root, 'outside');
      await mkdir(outside);
      await writeFile(join(outside, 'plan.pdf'), SECRET);
      const batchIds: string[] = [];
      const { fs, state } = createSwapper(
        byDescriptor,
        operation,
        new RegExp(`/done/.*/${name}$`),
        () => `done/${batchIds[0]}`,
      );
      const share = await bed.open({}, { fs });
      await bed.drop('plan.pdf', 'mine');
      const { batchId } = await claimAll(share);
      batchIds.push(batchId);
      state.isArmed = true;
      await share.settleUp(batchId, [submitted(0)], { final: true }).catch(() => undefined);
      expect(state.hasSwapped).toBe(true);
      await expectNothingTakenOrLeft();
    }
  });

  test('takes nothing up again from behind a link', async () => {
    const batchIds: string[] = [];
    const { fs, state } = createSwapper(
      byDescriptor,
      'link',
      /\/attention\/.*\/sub\//,
      () => `attention/${batchIds[0]}/sub`,
    );
    const share = await bed.open({}, { fs });
    await bed.drop('sub/plan.pdf', 'mine');
    const { batchId } = await claimAll(share);
    batchIds.push(batchId);
    const reason = { code: 'x', text: 'x', fix: 'x' };
    await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason }], { final: true });
    const [file] = (await share.setApart()).files;
    state.isArmed = true;
    await share.takeUpAgain(file!).catch(() => undefined);
    expect(state.hasSwapped).toBe(true);
    await expectNothingTakenOrLeft();
  });
});

describe('a link that is there for a moment only, where folders cannot be held', () => {
  /** While a file is renamed, its folder is a link to the one outside; `after` comes before that ends. */
  function createFlicker(after: () => Promise<void> = async () => undefined) {
    const fs = createNodeShareFs({ byDescriptor: false });
    const state = { isArmed: false, isBack: true };
    const renameThere = async (...places: Parameters<typeof fs.rename>) => {
      if (!state.isArmed || !/drop.sub.plan\.pdf$/.test(String(places[0]))) return await fs.rename(...places);
      state.isArmed = false;
      const sub = join(bed.root, 'drop/sub');
      await swap(sub);
      await fs.rename(...places);
      await after();
      if (!state.isBack) return;
      await rm(sub);
      await rename(`${sub}-away`, sub);
    };
    return { fs: { ...fs, rename: renameThere }, state };
  }

  async function expectKept(batchId: string): Promise<void> {
    expect(await bed.read(`.drawbridge/mistaken/${batchId}/sub/plan.pdf`)).toBe(SECRET);
    expect(bed.logger.lines).toContainEqual(
      expect.objectContaining({ event: 'mistaken-file', level: 'warn', batchId, path: 'sub/plan.pdf' }),
    );
  }

  test.each([
    ['and the folder is back', true],
    ['and still there', false],
  ])('what it led to is kept, told, and neither claimed nor dropped: %s', async (_, isBack) => {
    const { fs, state } = createFlicker();
    const share = await bed.open({}, { fs });
    await bed.drop('sub/plan.pdf', 'the dropper’s own');
    const entry = await share.look({ path: 'sub/plan.pdf' });
    Object.assign(state, { isArmed: true, isBack });
    expect(await share.claim([entry!])).toMatchObject({
      batch: undefined,
      notClaimed: [{ why: 'mistaken' }],
    });
    const [batchId = ''] = await share.listMistaken();
    await expectKept(batchId);
    expect(await bed.list('drop')).not.toContain('plan.pdf');
    expect(await bed.read(`drop/${isBack ? 'sub' : 'sub-away'}/plan.pdf`)).toBe('the dropper’s own');
    expect(await share.openBatches()).toEqual([]);
  });

  test('nothing that came meanwhile to where the link leads is written over', async () => {
    const { fs, state } = createFlicker(
      async () => await writeFile(join(outside, 'plan.pdf'), 'a newer one'),
    );
    const share = await bed.open({}, { fs });
    await bed.drop('sub/plan.pdf', 'the dropper’s own');
    const entry = await share.look({ path: 'sub/plan.pdf' });
    Object.assign(state, { isArmed: true, isBack: false });
    await share.claim([entry!]);
    expect(readFileSync(join(outside, 'plan.pdf'), 'utf8')).toBe('a newer one');
  });

  test('by size and time alone nothing is taken for the file that was seen', async () => {
    const { fs, state } = createFlicker();
    const share = await bed.open({}, { fs });
    await bed.drop('sub/plan.pdf', SECRET.replaceAll(/\w/g, 'x'));
    for (const place of [join(outside, 'plan.pdf'), join(bed.root, 'drop/sub/plan.pdf')])
      await utimes(place, 1_000, 1_000);
    const entry = await share.look({ path: 'sub/plan.pdf' });
    Object.assign(state, { isArmed: true, isBack: false });
    const { batch } = await share.claim([{ ...entry!, identity: '' }]);
    expect(batch).toBeUndefined();
    const [batchId = ''] = await share.listMistaken();
    await expectKept(batchId);
  });

  test('a claimer that is killed right then leaves it to be kept by whoever finishes the claim', async () => {
    const share = await bed.open();
    await bed.drop('sub/plan.pdf', 'the dropper’s own');
    await bed.drop('sub/section.pdf', 'another');
    const [plan, section] = await Promise.all(
      ['sub/plan.pdf', 'sub/section.pdf'].map(async path => (await share.look({ path }))!),
    );
    const { batch } = await share.claim([section!]);
    const files = batch!.paths.files;
    await rename(join(outside, 'plan.pdf'), join(files, 'sub/plan.pdf'));
    const wanted = join(files, '..', 'wanted.json');
    await rm(wanted);
    await writeWanted(batch!.paths, [plan!, section!], undefined);
    changeClaim(batch!, DEAD);
    const other = await bed.open({ abandonedMs: 0 }, { fs: createNodeShareFs({ byDescriptor: false }) });
    const adopted = await other.adopt(batch!.batchId);
    expect(adopted?.manifest.files.map(({ path }) => path)).toEqual(['sub/section.pdf']);
    await expectKept(batch!.batchId);
    expect(await bed.list('drop')).toEqual(['sub/plan.pdf']);
    expect(await bed.read('drop/sub/plan.pdf')).toBe('the dropper’s own');
  });

  test('a file that is written to in the moment of its claim goes back, for it is the one that was seen', async () => {
    const fs = createNodeShareFs({ byDescriptor: false });
    const renameThere = async (...places: Parameters<typeof fs.rename>) => {
      if (/drop.plan\.pdf$/.test(String(places[0])))
        await writeFile(join(bed.root, 'drop/plan.pdf'), 'longer now');
      await fs.rename(...places);
    };
    const share = await bed.open({}, { fs: { ...fs, rename: renameThere } });
    await bed.drop('plan.pdf', 'short');
    expect(await share.claim(['plan.pdf'])).toMatchObject({ notClaimed: [{ why: 'changed' }] });
    expect(await bed.read('drop/plan.pdf')).toBe('longer now');
    expect(await share.listMistaken()).toEqual([]);
  });

  test('one that was saved anew since it was seen is left where it is', async () => {
    const share = await bed.open({}, { fs: createNodeShareFs({ byDescriptor: false }) });
    await bed.drop('plan.pdf', 'first');
    const entry = await share.look({ path: 'plan.pdf' });
    await writeFile(join(bed.root, 'drop/saving'), 'second');
    await rename(join(bed.root, 'drop/saving'), join(bed.root, 'drop/plan.pdf'));
    expect(await share.claim([entry!])).toMatchObject({ notClaimed: [{ why: 'changed' }] });
    expect(await bed.list('drop')).toEqual(['plan.pdf']);
    expect(await share.listMistaken()).toEqual([]);
  });
});

describe('where folders cannot be held, what a link in the drop folder leads to', () => {
  test('is not looked at', async () => {
    const share = await bed.open({}, { fs: createNodeShareFs({ byDescriptor: false }) });
    await symlink(outside, join(bed.root, 'drop/sub'));
    expect(await share.look({ path: 'sub/plan.pdf' })).toBeUndefined();
    await bed.drop('real/plan.pdf', 'the dropper’s own');
    expect(await share.look({ path: 'real/plan.pdf' })).toMatchObject({ kind: 'file' });
    expect(await share.look({ path: 'sub' })).toMatchObject({ kind: 'symlink' });
  });

  test('is not claimed by what it was seen as, however often the link comes and goes', async () => {
    const real = createNodeShareFs({ byDescriptor: false });
    const sub = join(bed.root, 'drop/sub');
    let isLink = true;
    /** The folder stands there whenever it is looked at, and the link whenever the file is. */
    const behindLink = async <Result>(place: unknown, work: () => Promise<Result>): Promise<Result> => {
      if (!/drop.sub.plan\.pdf$/.test(String(place))) return await work();
      if (!isLink) await swap(sub);
      try {
        return await work();
      } finally {
        isLink = false;
        await rm(sub);
        await rename(`${sub}-away`, sub);
      }
    };
    const fs = {
      ...real,
      look: async (place: FsPlace) => await behindLink(place, () => real.look(place)),
      rename: async (...places: Parameters<typeof real.rename>) =>
        await behindLink(places[0], () => real.rename(...places)),
    };
    const share = await bed.open({}, { fs });
    await bed.drop('sub/plan.pdf', 'the dropper’s own');
    await swap(sub);
    expect(await share.claim(['sub/plan.pdf'])).toEqual({
      batch: undefined,
      notClaimed: [{ path: 'sub/plan.pdf', why: 'gone' }],
    });
    await expectNothingTakenOrLeft();
  });
});

describe('a claim that is finished by another', () => {
  async function abandon(): Promise<{ share: Share; batchId: string; files: string }> {
    const share = await bed.open({ abandonedMs: 0 });
    await bed.drop('sub/plan.pdf', 'the dropper’s own');
    const { batch } = await share.claim(['sub/plan.pdf']);
    changeClaim(batch!, DEAD);
    return { share, batchId: batch!.batchId, files: batch!.paths.files };
  }

  test('takes up what its claimer had noted, and gives back all else', async () => {
    const { share, batchId, files } = await abandon();
    await writeFile(join(files, 'sub/never noted.pdf'), 'planted');
    const adopted = await share.adopt(batchId);
    expect(adopted?.manifest.files.map(file => file.path)).toEqual(['sub/plan.pdf']);
    expect(await bed.list('drop')).toEqual(['sub/never noted.pdf']);
  });

  test('gives back a file that is not the one that was noted', async () => {
    const { share, batchId, files } = await abandon();
    await rename(join(files, 'sub/plan.pdf'), join(bed.root, 'taken'));
    await writeFile(join(files, 'sub/plan.pdf'), 'another one of the same name');
    expect(await share.adopt(batchId)).toBeUndefined();
    expect(await bed.read('drop/sub/plan.pdf')).toBe('another one of the same name');
    expect(await share.openBatches()).toEqual([]);
  });

  test('believes no note that was written by somebody else', async () => {
    const { share, batchId, files } = await abandon();
    const path = join(files, '..', 'wanted.json');
    const wanted = JSON.parse(readFileSync(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...wanted, files: [...wanted.files, ...wanted.files] }));
    expect(await share.adopt(batchId)).toBeUndefined();
    expect(await bed.list('drop')).toEqual(['sub/plan.pdf']);
  });
});

describe('a file that must go back to where a link, or a file, stands in its folder’s place', () => {
  /**
   * Somebody writes to his file while it is hashed, and has put something else in the place of its folder.
   */
  function createSpoiler(inPlace: () => Promise<void>): typeof simpleHasher {
    let isDone = false;
    return {
      async hashFile(path, input) {
        const hashed = await simpleHasher.hashFile(path, input);
        if (isDone || !path.endsWith('/plan.pdf')) return hashed;
        isDone = true;
        await writeFile(path, 'written to while it was hashed');
        await rename(join(bed.root, 'drop/sub'), join(bed.root, 'taken-away'));
        await inPlace();
        return hashed;
      },
    };
  }

  test.each<[string, () => Promise<void>]>([
    ['a link', async () => await symlink(outside, join(bed.root, 'drop/sub'))],
    ['a file', async () => await writeFile(join(bed.root, 'drop/sub'), 'a file')],
  ])('holds up nobody else’s, whatever is there: %s', async (_, inPlace) => {
    const share = await bed.open({}, { hasher: createSpoiler(inPlace) });
    await bed.drop('sub/plan.pdf', 'the dropper’s own');
    await bed.drop('others/section.pdf', 'of somebody else');
    const { batch } = await share.claim(['sub/plan.pdf', 'others/section.pdf']);
    const sealed = await share.writeManifest(batch!);
    expect(sealed.batchId).toBe(batch!.batchId);
    expect((await share.readBatch(batch!.batchId)).manifest.files).toMatchObject([
      { path: 'others/section.pdf' },
    ]);
    // In the nearest folder that is one.
    expect(await bed.read('drop/plan.pdf')).toBe('written to while it was hashed');
    await expectNothingTakenOrLeft();
  });
});

test('keeps the last two folders open, however many are used', async () => {
  const fs = createNodeShareFs({ byDescriptor: true });
  const folders = new RealFolders(fs, bed.root);
  for (const name of ['first', '2', '3', '4', '5', '6', '7', '8']) await folders.get(join(bed.root, name));
  const first = await folders.get(join(bed.root, 'first'));
  const another = await folders.get(join(bed.root, '9'));
  await fs.writeNew(new Place(first, 'a'), 'a');
  await fs.writeNew(new Place(another, 'b'), 'b');
  expect(await bed.list('first')).toEqual(['a']);
  expect(await bed.list('9')).toEqual(['b']);
  await folders.close();
  expect(() => new Place(first, 'a').path).toThrow('after it was closed');
});

test('opens no folder through a link, wherever on the way it is', async () => {
  await mkdir(join(bed.root, 'a/b'), { recursive: true });
  await symlink(join(bed.root, 'a'), join(bed.root, 'link'));
  await writeFile(join(bed.root, 'file'), '');
  for (const byDescriptor of [true, false]) {
    const fs = createNodeShareFs({ byDescriptor });
    const open = await fs.openFolder(bed.root, join(bed.root, 'a/b'));
    expect(existsSync(String(open.reach))).toBe(true);
    await open.close();
    for (const path of ['link', 'link/b', 'file']) {
      await expect(fs.openFolder(bed.root, join(bed.root, path))).rejects.toMatchObject({
        code: expect.stringMatching(/ELOOP|ENOTDIR/),
      });
    }
    await expect(fs.openFolder(bed.root, join(bed.root, '..'))).rejects.toThrow(RangeError);
  }
});

test('hashes what was claimed, not what its path leads to by then', async () => {
  const fs = createNodeShareFs({ byDescriptor: true });
  const hasher: typeof simpleHasher = {
    async hashFile(path, input) {
      const own = join(bed.root, '.drawbridge');
      await rename(own, `${own}-away`);
      const [batchId = ''] = await readdir(`${own}-away/batches`);
      await mkdir(join(own, 'batches', batchId), { recursive: true });
      await symlink(outside, join(own, 'batches', batchId, 'files'));
      const hashed = await simpleHasher.hashFile(path, input);
      await rename(own, `${own}-planted`);
      await rename(`${own}-away`, own);
      return hashed;
    },
  };
  const share = await bed.open({}, { fs, hasher });
  await bed.drop('plan.pdf', 'mine');
  const { manifest } = await claimAll(share);
  expect(manifest.files[0]?.sha256).toBe(createHash('sha256').update('mine').digest('hex'));
});
