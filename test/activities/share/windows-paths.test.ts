// The share's code on Windows paths: `path.win32` in place of the system's, over a file system that takes
// them. Windows itself was not tried; what is ours to get wrong about its paths is.
import * as fsPromises from 'node:fs/promises';
import type { posix, win32 } from 'node:path';
import {
  lastNameOf,
  namesBelow,
  type OpenFolder,
  Place,
  parentOf,
  pathOfBase,
} from '../../../activities/share/files/open-folder';
import { comparePaths, isInnerPath } from '../../../activities/share/files/relative-path';
import { createNodeShareFs, type FsPlace, type ShareFs } from '../../../activities/share/files/share-fs';
import { belowBytes } from '../../../activities/share/files/share-layout';
import { openShare } from '../../../activities/share/open-share';
import { SHARE_DEFAULTS } from '../../../activities/share/share-config';
import { claimAll, FakeLogger, POLICY, SHARE_KEY, simpleHasher, submitted } from './share-test-bed';

jest.mock('node:path', () => jest.requireActual<typeof import('node:path')>('node:path').win32);

const DRIVE = 'C:';
const { posix: posixRules, win32: win32Rules } = jest.requireActual<{
  posix: typeof posix;
  win32: typeof win32;
}>('node:path');

/** The helpers of other tests join paths as the system does, which is not what is wanted here. */
const bed = {
  root: '',
  logger: new FakeLogger(),
  async drop(path: string, content: string): Promise<void> {
    const place = `${bed.root}/drop/${path}`;
    await fsPromises.mkdir(posixRules.dirname(place), { recursive: true });
    await fsPromises.writeFile(place, content);
  },
  async list(folder: string): Promise<string[]> {
    const found = await fsPromises.readdir(`${bed.root}/${folder}`, { withFileTypes: true });
    const inner = found.map(async entry =>
      entry.isDirectory()
        ? (await bed.list(`${folder}/${entry.name}`)).map(name => `${entry.name}/${name}`)
        : [entry.name],
    );
    return (await Promise.all(inner)).flat().sort(comparePaths);
  },
};

beforeEach(async () => {
  bed.root = await fsPromises.mkdtemp('/tmp/drawbridge-windows-');
});

afterEach(async () => {
  await fsPromises.rm(bed.root, { recursive: true });
});

const toWindows = (path: string): string => DRIVE + path.replaceAll('/', '\\');

/**
 * A path of Windows as the system below has it. Whatever is not whole, or not below the drive, is refused.
 */
function toReal(place: FsPlace): string | Buffer {
  const path = place instanceof Place ? place.path : place;
  const text = path.toString('latin1');
  if (!text.startsWith(DRIVE) || !/^C:[\\/]/.test(text)) throw new Error(`not a path of Windows: ${text}`);
  const real = text.slice(DRIVE.length).replaceAll('\\', '/');
  return typeof path === 'string'
    ? path.slice(DRIVE.length).replaceAll('\\', '/')
    : Buffer.from(real, 'latin1');
}

function createWindowsFs(): ShareFs {
  const real = createNodeShareFs({ byDescriptor: false });
  const openFolder: ShareFs['openFolder'] = async (base, folder, how) => {
    const from = pathOfBase(base);
    const names = namesBelow(from, folder);
    if (names === undefined) throw new RangeError(`not below its base: ${String(folder)}`);
    let path: string | Buffer = from;
    for (const name of [undefined, ...names]) {
      if (name !== undefined) path = Buffer.concat([Buffer.from(path), Buffer.from('\\'), Buffer.from(name)]);
      if (how?.make && name !== undefined) await fsPromises.mkdir(toReal(path)).catch(() => undefined);
      const facts = await real.look(toReal(path));
      if (facts.kind !== 'folder') throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' });
    }
    const isText = typeof folder === 'string';
    const opened = isText ? path.toString() : path;
    const open: OpenFolder = {
      path: opened,
      reach: opened,
      isInPlace: async () => true,
      close: async () => undefined,
    };
    return open;
  };
  return {
    ...real,
    openFolder,
    look: path => real.look(toReal(path)),
    realpath: async path => toWindows(await real.realpath(toReal(path) as string)),
    entries: path => real.entries(toReal(path)),
    makeFolder: (path, how) => real.makeFolder(toReal(path), how),
    makeFolders: async (base, folder) => void (await openFolder(base, folder, { make: true })),
    makeRoot: path => real.makeRoot(toReal(path) as string),
    makePrivate: path => real.makePrivate(toReal(path)),
    removeFolder: path => real.removeFolder(toReal(path)),
    rename: (from, to) => real.rename(toReal(from), toReal(to)),
    link: (from, to) => real.link(toReal(from), toReal(to)),
    unlink: path => real.unlink(toReal(path)),
    read: (path, most, see) => real.read(toReal(path), most, see),
    writeNew: (path, bytes) => real.writeNew(toReal(path), bytes),
    copyNew: (from, to, how) => real.copyNew(toReal(from), toReal(to), how),
    syncFolder: path => real.syncFolder(toReal(path)),
    touch: path => real.touch(toReal(path)),
    freeBytes: path => real.freeBytes(toReal(path) as string),
  };
}

async function openOnWindows() {
  const hasher: typeof simpleHasher = {
    hashFile: (path, input) => simpleHasher.hashFile(toReal(path) as string, input),
  };
  const config = {
    ...SHARE_DEFAULTS,
    name: 'tender',
    folder: toWindows(bed.root),
    project: { companyId: '1', projectId: '2' },
    policy: POLICY,
  };
  return await openShare(config, { hasher, logger: bed.logger, fs: createWindowsFs(), key: SHARE_KEY });
}

test('carries files in nested folders from the drop folder to where they end', async () => {
  const share = await openOnWindows();
  await bed.drop('Package A/deep/a.pdf', 'a');
  await bed.drop('Package A/b.pdf', 'b');
  await bed.drop('c.pdf', 'c');
  const { batchId, manifest } = await claimAll(share);
  expect(manifest.files.map(file => file.path)).toEqual(['Package A/b.pdf', 'Package A/deep/a.pdf', 'c.pdf']);
  expect((await share.fileToSend(batchId, 1)).path).toBe(
    toWindows(`${bed.root}/.drawbridge/batches/${batchId}/files/Package A/deep/a.pdf`),
  );
  const reason = { code: 'x', text: 'x', fix: 'x' };
  const settled = await share.settleUp(
    batchId,
    [submitted(0), { index: 1, kind: 'set-apart', reason }, submitted(2)],
    { final: true },
  );
  expect(settled.receipts).toEqual([`attention/${batchId}/receipt.csv`, `done/${batchId}/receipt.csv`]);
  expect(await bed.list(`done/${batchId}`)).toEqual([
    'Package A/b.pdf',
    'c.pdf',
    'receipt.csv',
    'receipt.json',
  ]);
  expect(await bed.list('.drawbridge/batches')).toEqual([]);

  const [apart] = (await share.setApart()).files;
  expect(await share.takeUpAgain(apart!)).toEqual({ kind: 'in-drop' });
  expect(await bed.list('drop')).toEqual(['Package A/deep/a.pdf']);
});

test('gives back a file of a nested folder', async () => {
  const share = await openOnWindows();
  await bed.drop('Package A/deep/a.pdf', 'first');
  const entry = await share.look({ path: 'Package A/deep/a.pdf' });
  await bed.drop('Package A/deep/a.pdf', 'second');
  expect(await share.claim([entry!])).toMatchObject({ batch: undefined, notClaimed: [{ why: 'changed' }] });
  expect(await fsPromises.readFile(`${bed.root}/drop/Package A/deep/a.pdf`, 'utf8')).toBe('second');
});

test.each([
  '..\\outside.pdf',
  'C:\\outside.pdf',
  'C:outside.pdf',
  'sub\\..\\..\\outside.pdf',
  'sub/../outside.pdf',
])('claims nothing outside of the drop folder: %s', async path => {
  const share = await openOnWindows();
  await expect(share.claim([path])).rejects.toMatchObject({ code: 'bad-request' });
});

describe('the parts of a path', () => {
  test.each<[string, string, string[] | undefined]>([
    ['C:\\share', 'C:\\share', []],
    ['C:\\share', 'C:\\share\\done\\x', ['done', 'x']],
    ['C:\\share', 'C:\\share\\done/x', ['done', 'x']],
    ['C:\\', 'C:\\done', ['done']],
    ['\\\\server\\share', '\\\\server\\share\\done\\x', ['done', 'x']],
    ['C:\\share', 'C:\\shared\\done', undefined],
    ['C:\\share', 'C:\\share\\..\\done', undefined],
  ])('on Windows: from %s to %s', (base, folder, names) => {
    expect(namesBelow(base, folder, win32Rules)).toEqual(names);
    expect(namesBelow(base, Buffer.from(folder), win32Rules)).toEqual(names?.map(name => Buffer.from(name)));
  });

  test.each<[string, string, string[] | undefined]>([
    ['/share', '/share/done/x', ['done', 'x']],
    ['/', '/done', ['done']],
    ['/share', '/share/with\\backslash/x', ['with\\backslash', 'x']],
    ['/share', '/shared', undefined],
  ])('elsewhere: from %s to %s', (base, folder, names) => {
    expect(namesBelow(base, folder, posixRules)).toEqual(names);
  });

  test('are found from the end, too', () => {
    expect(parentOf(Buffer.from('C:\\share\\a'), win32Rules).toString()).toBe('C:\\share');
    expect(parentOf(Buffer.from('C:\\share/a'), win32Rules).toString()).toBe('C:\\share');
    expect(lastNameOf(Buffer.from('C:\\share\\a'), win32Rules).toString()).toBe('a');
    expect(lastNameOf(Buffer.from('/share/with\\backslash'), posixRules).toString()).toBe('with\\backslash');
    expect(parentOf(belowBytes('C:\\share', Buffer.from('sub/a')), win32Rules).toString()).toBe(
      'C:\\share\\sub',
    );
  });

  test('of what people ask for may hold a backslash where it is a letter like others', () => {
    expect(isInnerPath('back\\slash.pdf', '/')).toBe(true);
    expect(isInnerPath('back\\slash.pdf', '\\')).toBe(false);
  });
});
