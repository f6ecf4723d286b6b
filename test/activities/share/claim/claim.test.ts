import { link, mkdir, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { comparePaths } from '../../../../activities/share/files/relative-path';
import type { Share } from '../../../../activities/share/share';
import { createFaultyFs, fsError } from '../faulty-fs';
import { claimAll, createTestBed, simpleHasher, type TestBed } from '../share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

async function codesOf(share: Share): Promise<Record<string, string | undefined>> {
  const { manifest } = await claimAll(share);
  return Object.fromEntries(manifest.files.map(file => [file.path, file.refused?.code]));
}

describe('names', () => {
  const names = [
    'with space & ampersand + plus.pdf',
    'é composed.pdf',
    'e\u0301 decomposed.pdf',
    'twin é.pdf',
    'twin e\u0301.pdf',
    '図面 101 改訂.pdf',
    `${'x'.repeat(196)}.pdf`,
    'CON',
    'trailing space ',
    'quote\'and"double.pdf',
    'back\\slash.pdf',
    '#% ?*:|<>.pdf',
    'receipt.csv',
    '%2e%2e%2fetc.pdf',
  ];

  test('are kept byte by byte and go out composed, and files are found again by their index', async () => {
    const share = await bed.open();
    for (const name of names) await bed.drop(`Sub folder &/${name}`, `bytes of ${name}`);
    const { batchId, manifest } = await claimAll(share);
    expect(manifest.files.map(file => file.path)).toEqual(
      names.map(name => `Sub folder &/${name}`).sort(comparePaths),
    );
    for (const file of manifest.files) {
      const sent = await share.fileToSend(batchId, file.index);
      expect(`Sub folder &/${sent.fileName}`).toBe(file.path.normalize('NFC'));
      expect(sent.sha256).toBe((await simpleHasher.hashFile(sent.path, { segments: [] })).sha256);
    }
  });

  test('that are not UTF-8 are set apart, byte by byte, without holding others back', async () => {
    const share = await bed.open();
    const raw = Buffer.from([0x61, 0xff, 0xfe, 0x2e, 0x70, 0x64, 0x66]);
    await bed.drop(raw, 'raw');
    await bed.drop('good.pdf');
    const entries = [];
    for await (const name of share.scan()) entries.push(await share.look(name));
    const { batch } = await share.claim(entries.filter(entry => entry !== undefined));
    const sealed = await share.writeManifest(batch!);
    if (sealed.batchId === undefined) throw new Error('nothing was sealed');
    const [first, second] = sealed.manifest.files;
    expect(first).toMatchObject({ refused: { code: 'unreadable-name' }, pathBytes: raw.toString('base64') });
    expect(second).toMatchObject({ path: 'good.pdf' });
    await share.settleUp(
      sealed.batchId,
      [{ index: 1, kind: 'set-apart', reason: { code: 'x', text: 'x', fix: 'x' } }],
      { final: true },
    );
    const apart = Buffer.concat([Buffer.from(`${bed.root}/attention/${sealed.batchId}/`), raw]);
    await expect(rename(apart, join(bed.root, 'found'))).resolves.toBeUndefined();
  });

  test('of folders that are not UTF-8 hold nobody back either', async () => {
    const share = await bed.open();
    const folder = Buffer.concat([Buffer.from(`${bed.root}/drop/`), Buffer.from([0xff, 0xfe])]);
    await mkdir(folder);
    await writeFile(Buffer.concat([folder, Buffer.from('/plan.pdf')]), 'in a folder that cannot be read');
    await bed.drop('good.pdf');
    const entries = [];
    for await (const name of share.scan()) entries.push(await share.look(name));
    const { batch } = await share.claim(entries.filter(entry => entry !== undefined));
    const sealed = await share.writeManifest(batch!);
    if (sealed.batchId === undefined) throw new Error('nothing was sealed');
    const refused = sealed.manifest.files.map(file => file.refused?.code);
    expect(refused.toSorted()).toEqual(['unreadable-name', undefined]);
    const reason = { code: 'x', text: 'x', fix: 'x' };
    const outcomes = sealed.manifest.files.map(({ index }) => ({
      index,
      kind: 'set-apart' as const,
      reason,
    }));
    expect(await share.settleUp(sealed.batchId, outcomes, { final: true })).toMatchObject({ attention: 2 });
  });

  test('with line breaks or disguising marks are set apart', async () => {
    const share = await bed.open();
    await bed.drop('line\nbreak.pdf');
    await bed.drop('invoice\u202Efdp.exe');
    expect(await codesOf(share)).toEqual({
      'line\nbreak.pdf': 'control-characters',
      'invoice\u202Efdp.exe': 'direction-marks',
    });
  });
});

describe('what cannot travel', () => {
  test('is refused with a reason, and the others go on', async () => {
    const share = await bed.open({ maxFileBytes: 1_000 });
    await bed.drop('empty.pdf', '');
    await bed.drop('large.pdf', 'x'.repeat(1_001));
    await bed.drop('good.pdf');
    await bed.drop('twice.pdf');
    await writeFile(join(bed.root, 'elsewhere'), 'x');
    await link(join(bed.root, 'drop/twice.pdf'), join(bed.root, 'linked'));
    await symlink('/etc/passwd', join(bed.root, 'drop/passwd.pdf'));
    expect(await codesOf(share)).toEqual({
      'empty.pdf': 'empty-file',
      'good.pdf': undefined,
      'large.pdf': 'too-large',
      'passwd.pdf': 'shortcut',
      'twice.pdf': 'linked-twice',
    });
  });

  test('does not lead out of the drop folder through a linked folder', async () => {
    const share = await bed.open();
    await mkdir(join(bed.root, 'outside'));
    await writeFile(join(bed.root, 'outside/secret.pdf'), 'secret');
    await symlink(join(bed.root, 'outside'), join(bed.root, 'drop/folder'));
    const { manifest } = await claimAll(share);
    expect(manifest.files).toMatchObject([{ path: 'folder', refused: { code: 'shortcut' } }]);
    expect(await bed.list('outside')).toEqual(['secret.pdf']);
  });

  test('does not follow a folder that is swapped for a link after it was looked at', async () => {
    const share = await bed.open();
    await bed.drop('folder/plan.pdf', 'plan');
    const entry = await share.look({ path: 'folder/plan.pdf' });
    await mkdir(join(bed.root, 'outside'));
    await writeFile(join(bed.root, 'outside/plan.pdf'), 'secret');
    await rename(join(bed.root, 'drop/folder'), join(bed.root, 'moved'));
    await symlink(join(bed.root, 'outside'), join(bed.root, 'drop/folder'));
    const { batch, notClaimed } = await share.claim([entry!]);
    expect(batch).toBeUndefined();
    expect(notClaimed).toEqual([{ path: 'folder/plan.pdf', why: 'gone' }]);
    expect(await bed.list('outside')).toEqual(['plan.pdf']);
  });

  test('refuses paths that are not inside the drop folder', async () => {
    const share = await bed.open();
    await expect(share.claim(['../done/x'])).rejects.toMatchObject({ code: 'bad-request' });
    await expect(share.claim(['/etc/passwd'])).rejects.toMatchObject({ code: 'bad-request' });
  });

  test('refuses more than a hundred files', async () => {
    const share = await bed.open();
    const paths = Array.from({ length: 101 }, (_, index) => `f${index}`);
    await expect(share.claim(paths)).rejects.toMatchObject({ code: 'bad-request' });
  });

  test('takes a hundred files at once: as many as the service takes', async () => {
    const share = await bed.open();
    expect(share.config.maxBatchFiles).toBe(100);
    for (let index = 0; index < 100; index += 1) await bed.drop(`f${index}`);
    const { manifest } = await claimAll(share);
    expect(manifest.files).toHaveLength(100);
  });
});

describe('what we make for ourselves', () => {
  test('lets nobody else in, whatever the mask: neither our folder nor that of a batch', async () => {
    const mask = process.umask(0);
    try {
      const share = await bed.open();
      await bed.drop('a.pdf');
      const { batchId } = await claimAll(share);
      for (const folder of ['.drawbridge', `.drawbridge/batches/${batchId}`]) {
        const { mode } = await stat(join(bed.root, folder));
        expect([folder, mode & 0o777]).toEqual([folder, 0o700]);
      }
    } finally {
      process.umask(mask);
    }
  });
});

describe('files that change underfoot', () => {
  test('stay in the drop folder when they are not what was looked at', async () => {
    const share = await bed.open();
    await bed.drop('a.pdf', 'first');
    const entry = await share.look({ path: 'a.pdf' });
    await writeFile(join(bed.root, 'drop/a.pdf'), 'second');
    const { batch, notClaimed } = await share.claim([entry!]);
    expect(batch).toBeUndefined();
    expect(notClaimed).toEqual([{ path: 'a.pdf', why: 'changed' }]);
    expect(await bed.read('drop/a.pdf')).toBe('second');
    expect(await bed.list('.drawbridge/batches')).toEqual([]);
  });

  test('go back when they change while they are hashed, and are set apart the third time', async () => {
    let appended = 0;
    const growing = {
      async hashFile(path: string, input: Parameters<typeof simpleHasher.hashFile>[1]) {
        const hashed = await simpleHasher.hashFile(path, input);
        appended += 1;
        await writeFile(path, `${appended}`, { flag: 'a' });
        return hashed;
      },
    };
    const share = await bed.open({}, { hasher: growing });
    await bed.drop('log.txt');
    for (let turn = 1; turn <= 2; turn += 1) {
      const { batch } = await share.claim(['log.txt']);
      const sealed = await share.writeManifest(batch!);
      expect(sealed).toEqual({ batchId: undefined, returned: [{ path: 'log.txt', why: 'changed' }] });
      expect(await bed.list('drop')).toEqual(['log.txt']);
    }
    const { manifest } = await claimAll(share);
    expect(manifest.files[0]?.refused?.code).toBe('keeps-changing');
  });

  test('go back, too, when what was written meanwhile has the same length', async () => {
    const share = await bed.open(
      {},
      {
        hasher: {
          async hashFile(path, input) {
            const hashed = await simpleHasher.hashFile(path, input);
            await writeFile(path, 'after!');
            await utimes(path, 1_700_000_000, 1_700_000_000);
            return hashed;
          },
        },
      },
    );
    await bed.drop('a.pdf', 'before');
    const { batch } = await share.claim(['a.pdf']);
    expect(await share.writeManifest(batch!)).toMatchObject({
      returned: [{ path: 'a.pdf', why: 'changed' }],
    });
    expect(await bed.read('drop/a.pdf')).toBe('after!');
  });

  test('are not sent when they are replaced after the claim', async () => {
    const share = await bed.open();
    await bed.drop('a.pdf', 'first');
    await bed.drop('b.pdf', 'other');
    const { batchId } = await claimAll(share);
    const { path: absolutePath } = await share.fileToSend(batchId, 0);
    await writeFile(absolutePath, 'firsT');
    await expect(share.fileToSend(batchId, 0)).rejects.toMatchObject({ code: 'file-changed' });
    await writeFile(absolutePath, 'longer than before');
    await expect(share.fileToSend(batchId, 0)).rejects.toMatchObject({ code: 'file-changed' });
    await rename(absolutePath, join(bed.root, 'away'));
    await expect(share.fileToSend(batchId, 0)).rejects.toMatchObject({ code: 'file-missing' });
    await symlink('/etc/passwd', absolutePath);
    await expect(share.fileToSend(batchId, 0)).rejects.toMatchObject({ code: 'file-changed' });
    await expect(share.fileToSend(batchId, 1)).resolves.toMatchObject({ fileName: 'b.pdf' });
  });

  test('are sent when only their time wobbles', async () => {
    const share = await bed.open();
    await bed.drop('a.pdf');
    const { batchId } = await claimAll(share);
    const { path: absolutePath } = await share.fileToSend(batchId, 0);
    await utimes(absolutePath, 1, 1);
    await expect(share.fileToSend(batchId, 0)).resolves.toMatchObject({ fileName: 'a.pdf' });
  });
});

describe('a share that does not take it', () => {
  test.each([
    ['ENOSPC', 'share-full'],
    ['EROFS', 'share-read-only'],
    ['EIO', 'share-away'],
  ])('leaves all files in the drop folder on %s', async (code, expected) => {
    let left = Number.POSITIVE_INFINITY;
    const fs = createFaultyFs((operation, path) => {
      if (operation !== 'rename' || !String(path).includes('/drop/')) return;
      left -= 1;
      if (left < 0) throw fsError(code);
    });
    const share = await bed.open({}, { fs });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await bed.drop(`folder/${name}.pdf`);
    left = 2;
    const paths = ['a', 'b', 'c', 'd', 'e'].map(name => `folder/${name}.pdf`);
    await expect(share.claim(paths)).rejects.toMatchObject({ code: expected });
    expect(await bed.list('drop')).toEqual(paths);
    expect(await share.openBatches()).toEqual([]);
  });

  test('keeps a claim whose manifest could not be written, to be adopted later', async () => {
    let isFull = false;
    const fs = createFaultyFs((operation, path) => {
      if (isFull && operation === 'writeNew' && String(path).includes('/batches/')) throw fsError('ENOSPC');
    });
    const share = await bed.open({}, { fs });
    await bed.drop('a.pdf');
    const { batch } = await share.claim(['a.pdf']);
    isFull = true;
    await expect(share.writeManifest(batch!)).rejects.toMatchObject({ code: 'share-full' });
    isFull = false;
    expect(await share.openBatches()).toMatchObject([{ state: 'claiming', claim: 'abandoned' }]);
    const adopted = await share.adopt(batch!.batchId);
    expect(adopted?.manifest.files).toMatchObject([{ path: 'a.pdf' }]);
  });

  test('says so when a file is in use, and takes the others', async () => {
    const fs = createFaultyFs((operation, path) => {
      if (operation === 'rename' && String(path).endsWith('open.pdf')) throw fsError('EBUSY');
    });
    const share = await bed.open({}, { fs });
    await bed.drop('open.pdf');
    await bed.drop('free.pdf');
    const { batch, notClaimed } = await share.claim(['free.pdf', 'open.pdf']);
    expect(notClaimed).toEqual([{ path: 'open.pdf', why: 'busy' }]);
    expect(batch?.files.map(file => file.path)).toEqual(['free.pdf']);
  });

  test('believes a rename whose answer was lost', async () => {
    const { rename: realRename } = await import('node:fs/promises');
    const fs = createFaultyFs(async (operation, from, to) => {
      if (operation !== 'rename' || !String(from).includes('/drop/')) return;
      await realRename(String(from), String(to));
      throw fsError('ENOENT');
    });
    const share = await bed.open({}, { fs });
    await bed.drop('a.pdf');
    const { batch } = await share.claim(['a.pdf']);
    expect(batch?.files.map(file => file.path)).toEqual(['a.pdf']);
  });
});

describe('claims asked for under a key', () => {
  test('are found again under it', async () => {
    const share = await bed.open();
    await bed.drop('a.pdf');
    const { batch } = await share.claim(['a.pdf'], { key: 'run 1' });
    await share.writeManifest(batch!);
    expect(await share.batchesOfKey('run 1')).toEqual([batch!.batchId]);
    expect(await share.batchesOfKey('run 2')).toEqual([]);
  });
});
