import { chmod, mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../activities/host/clock';
import { createNodeShareFs, type FsPlace } from '../../../activities/share/files/share-fs';
import { createFaultyFs, fsError } from './faulty-fs';
import { createTestBed, type TestBed } from './share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

describe('openShare', () => {
  test('makes its folders, ours for us alone', async () => {
    const share = await bed.open({ folder: join(bed.root, 'new/share') });
    expect(share.dropFolder).toBe(join(bed.root, 'new/share/drop'));
    expect((await stat(join(bed.root, 'new/share/.drawbridge'))).mode & 0o777).toBe(0o700);
  });

  test('says everything that is wrong with the configuration at once', async () => {
    const opening = bed.open({
      name: 'Tender!',
      drop: '../elsewhere',
      done: '.drawbridge/done',
      maxBatchFiles: 101,
      settleMs: 0,
      fileNamePattern: '(',
      folderPattern: '^[a-z]+$',
    });
    const error = await opening.then(
      () => undefined,
      error => error,
    );
    expect(error).toMatchObject({ code: 'share-faults' });
    expect(error.faults.map((fault: { setting: string }) => fault.setting)).toEqual([
      'name',
      'drop',
      'done',
      'settleMs',
      'maxBatchFiles',
      'fileNamePattern',
      'folderPattern',
    ]);
  });

  test.each([
    [{ drop: 'in', done: 'in' }, 'same folder'],
    [{ drop: 'in', done: 'in/done' }, 'inside the folder'],
  ])('refuses folders that are not apart: %j', async (overrides, text) => {
    await expect(bed.open(overrides)).rejects.toThrow(text);
  });

  test.each(['drop', 'done', 'attention', '.drawbridge'])(
    'refuses a link where %s should be, and leaves what it leads to alone',
    async name => {
      await mkdir(join(bed.root, 'elsewhere'));
      await symlink(join(bed.root, 'elsewhere'), join(bed.root, name));
      await expect(bed.open()).rejects.toThrow(`${name} is a link`);
      expect(await readdir(join(bed.root, 'elsewhere'))).toEqual([]);
    },
  );

  test('refuses folders on another device', async () => {
    const fs = createNodeShareFs();
    const elsewhere = {
      ...fs,
      look: async (path: FsPlace) => ({
        ...(await fs.look(path)),
        ...(String(path).endsWith('/done') ? { device: -1n } : {}),
      }),
    };
    await expect(bed.open({}, { fs: elsewhere })).rejects.toThrow('another disk or mount');
  });

  test('closes its own folder to others, whoever made it', async () => {
    await mkdir(join(bed.root, '.drawbridge'));
    await chmod(join(bed.root, '.drawbridge'), 0o777);
    await bed.open();
    expect((await stat(join(bed.root, '.drawbridge'))).mode & 0o777).toBe(0o700);
  });

  test('refuses its own folder when it belongs to another user', async () => {
    const fs = createNodeShareFs();
    const ofAnother = {
      ...fs,
      look: async (path: FsPlace) => ({
        ...(await fs.look(path)),
        ...(String(path).endsWith('/.drawbridge') ? { owner: 4_242 } : {}),
      }),
    };
    await expect(bed.open({}, { fs: ofAnother })).rejects.toThrow('belongs to another user (4242)');
  });

  test('uses a share that keeps neither owners nor modes', async () => {
    const fs = createNodeShareFs();
    const withoutModes = {
      ...fs,
      look: async (path: FsPlace) => ({ ...(await fs.look(path)), owner: 4_242, mode: 0o777 }),
    };
    await expect(bed.open({}, { fs: withoutModes })).resolves.toBeDefined();
  });

  test('says at once when another host has sealed the share with another key', async () => {
    await bed.open();
    const opening = bed.open({}, { key: Buffer.alloc(32, 8) });
    await expect(opening).rejects.toMatchObject({ code: 'share-faults', faults: [{ setting: 'shareKey' }] });
    await expect(opening).rejects.toThrow('sealed with another key');
  });

  test('says what cannot be written, and what is no folder', async () => {
    const fs = createFaultyFs((operation, _from, to) => {
      if (operation === 'rename' && String(to).includes('/attention/')) throw fsError('EACCES');
    });
    await expect(bed.open({}, { fs })).rejects.toThrow('attention cannot be written (EACCES)');
    await writeFile(join(bed.root, 'inbox'), '');
    await expect(bed.open({ drop: 'inbox' })).rejects.toMatchObject({ code: 'share-faults' });
  });

  test('does not make a share where none is mounted, when told so', async () => {
    const folder = join(bed.root, 'not/mounted');
    await expect(bed.open({ folder, createFolder: false })).rejects.toThrow('is not there');
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('makes nothing for somebody who only looks, and says what is missing', async () => {
    await expect(bed.open({}, { looksOnly: true })).rejects.toMatchObject({
      faults: ['drop', 'done', 'attention', '.drawbridge'].map(setting => ({ setting })),
    });
    expect(await readdir(bed.root)).toEqual([]);
    await bed.open();
    await rm(join(bed.root, '.drawbridge/key-id'));
    const share = await bed.open({}, { looksOnly: true });
    expect(await share.tryOut()).toMatchObject({ hasLinks: true, foldsCase: expect.any(Boolean) });
    expect(await bed.list('.')).toEqual([]);
  });

  test('tells how far the clock of the share is from the one that it was opened with', async () => {
    const clock = { ...systemClock, wallMs: () => Date.now() - 3_600_000 };
    const share = await bed.open({}, { clock });
    expect((await share.tryOut()).clock.lowMs).toBeGreaterThan(3_000_000);
  });

  test('leaves no traces of its checks', async () => {
    await bed.open();
    await writeFile(join(bed.root, 'drop/.drawbridge-probe'), '');
    await bed.open();
    expect(await bed.list('.')).toEqual(['.drawbridge/key-id']);
  });
});

describe('a share that goes and comes back', () => {
  test('is seen as gone, and used again when it is back', async () => {
    const share = await bed.open();
    await rename(bed.root, `${bed.root}-away`);
    expect(await share.isInPlace()).toBe(false);
    expect(await share.isReachable()).toEqual({ kind: 'missing' });
    await expect(share.reopen()).rejects.toMatchObject({ code: 'share-away' });
    await expect(share.readBatch('20260131-093000-k3f2a2')).rejects.toMatchObject({ code: 'share-away' });
    await rename(`${bed.root}-away`, bed.root);
    expect((await share.isReachable()).kind).toBe('reachable');
    await share.reopen();
    expect(await share.isInPlace()).toBe(true);
  });

  test('is used again when its root was made anew', async () => {
    const share = await bed.open();
    await rm(bed.root, { recursive: true });
    await mkdir(bed.root);
    await share.reopen();
    await bed.drop('a.pdf');
    expect((await share.claim(['a.pdf'])).batch?.files).toHaveLength(1);
  });

  test('is not taken for the bare folder under its mount point', async () => {
    const mounted = await createTestBed('/dev/shm');
    try {
      const folder = join(bed.root, 'mnt');
      await symlink(mounted.root, folder);
      const share = await bed.open({ folder });
      await rm(folder);
      await mkdir(folder);
      await mounted.remove();
      await expect(share.reopen()).rejects.toMatchObject({ code: 'share-away' });
      expect(await bed.list('mnt')).toEqual([]);
    } finally {
      await mounted.remove();
    }
  });
});
