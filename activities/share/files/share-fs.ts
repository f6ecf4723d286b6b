// The few file operations a share needs, as a port: one adapter on node:fs, replaceable where faults
// are tried out. Every operation here makes at most one round trip that can hang; the adapter runs few
// of them at a time, so that a share that has stopped answering leaves threads for everything else.

import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants, type Dir, type Dirent } from 'node:fs';
import * as fs from 'node:fs/promises';
import { systemClock } from '../../host/clock';
import type { Limit } from '../../host/concurrency';
import { troubleOf } from '../../host/file-trouble';
import { openFileTurns } from './file-threads';
import { type GrowingFile, openGrowing } from './growing-file';
import {
  type FolderBase,
  type FolderMaking,
  type FsPath,
  type FsPlace,
  hasDescriptorPaths,
  namesBelow,
  type OpenFolder,
  openFolderAt,
  pathOf,
  pathOfBase,
} from './open-folder';

export { type FsPath, type FsPlace, type OpenFolder, Place } from './open-folder';

const COPY_BYTES = 1024 ** 2;

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'symlink' | 'special';
  readonly sizeBytes: number;
  readonly mtimeNs: bigint;
  /**
   * Device and inode. Names the file as long as the file system keeps its inode numbers; not all shares do.
   */
  readonly identity: string;
  readonly device: bigint;
  readonly links: number;
  /** User id and permission bits; where a file system keeps none, those that the mount gives everything. */
  readonly owner: number;
  readonly mode: number;
}

export interface FolderEntry {
  readonly name: Buffer;
  readonly kind: FileFacts['kind'] | 'unknown';
}

export interface CopyHow {
  readonly see?: ((opened: FileFacts) => void) | undefined;
  readonly hear?: ((bytes: Uint8Array) => void) | undefined;
}

export interface ShareFs {
  /** By descriptors; else they are looked at before and after each use. */
  readonly holdsFolders: boolean;
  /**
   * Opens a folder that is `base` or below it, following no link on the way; `make`: with everything between
   * them. ELOOP or ENOTDIR when one of them is no folder. The caller closes it.
   */
  openFolder(base: FolderBase, folder: FsPath, how?: { readonly make: boolean }): Promise<OpenFolder>;
  /** Never follows a symbolic link. */
  look(path: FsPlace): Promise<FileFacts>;
  realpath(path: string): Promise<string>;
  /** Streams a folder's entries; memory does not grow with the folder. */
  entries(path: FsPlace): AsyncIterable<FolderEntry>;
  /** EEXIST when it is there. `private`: for us alone (0700). */
  makeFolder(path: FsPlace, how?: { readonly private: boolean }): Promise<void>;
  /**
   * With everything between it and `base`, and no error when it is there. The base is never made: when the
   * share is not mounted, a folder made in its place would be taken for it.
   */
  makeFolders(base: FolderBase, folder: FsPath, how?: { readonly private: boolean }): Promise<void>;
  /** The folder of a new share, with everything above it. */
  makeRoot(path: string): Promise<void>;
  removeFolder(path: FsPlace): Promise<void>;
  /** Lets nobody else into a folder of ours; without effect where no modes are kept. */
  makePrivate(path: FsPath): Promise<void>;
  /** Overwrites its destination: only ever into a place that is ours alone. */
  rename(from: FsPlace, to: FsPlace): Promise<void>;
  /** EEXIST when the destination is there. */
  link(from: FsPlace, to: FsPlace): Promise<void>;
  unlink(path: FsPlace): Promise<void>;
  /** Ordinary files only; EFBIG for more than `maxBytes`. `see` is called with what was opened. */
  read(path: FsPlace, maxBytes: number, see?: (opened: FileFacts) => void): Promise<Buffer>;
  /** Creates the file, EEXIST when it is there; on disk when it returns. */
  writeNew(path: FsPlace, bytes: string | Buffer): Promise<void>;
  /** Opens a file of ours that is still to grow; made when it is not there. The caller closes it. */
  openGrowing(path: FsPlace): Promise<GrowingFile>;
  /**
   * Copies to a file that must not be there; on disk, with the source's times, when it returns. Ordinary
   * files only. `see` is called with what was opened, then `hear` with all that is copied, in order.
   */
  copyNew(from: FsPlace, to: FsPlace, how?: CopyHow): Promise<void>;
  /** Makes the names in a folder durable; does nothing where folders cannot be synced. */
  syncFolder(path: FsPlace): Promise<void>;
  touch(path: FsPlace): Promise<void>;
  freeBytes(path: string): Promise<number>;
}

/**
 * @param options.byDescriptor whether folders are held by descriptors; where that cannot be, they
 * are looked at before and after.
 */
export function createNodeShareFs(options: { readonly byDescriptor?: boolean } = {}): ShareFs {
  const limit = openFileTurns();
  const byDescriptor = options.byDescriptor ?? hasDescriptorPaths();
  const open = async (base: FolderBase, folder: FsPath, make: FolderMaking) => {
    const names = namesBelow(pathOfBase(base), folder);
    if (names === undefined) throw new RangeError('Not a folder below its base.');
    return await openFolderAt(base, names, { make, byDescriptor }, limit);
  };
  return {
    holdsFolders: byDescriptor,
    openFolder: (base, folder, how = { make: false }) => open(base, folder, how.make),
    look: path => limit(() => look(pathOf(path))),
    realpath: path => limit(() => fs.realpath(path)),
    entries: path => streamEntries(pathOf(path), limit),
    makeFolder: (path, how) =>
      limit(async () => {
        await fs.mkdir(pathOf(path), { mode: how?.private ? 0o700 : 0o777 });
      }),
    makeFolders: async (base, folder, how) => {
      await (await open(base, folder, how?.private ? 'private' : true)).close();
    },
    makeRoot: path =>
      limit(async () => {
        await fs.mkdir(path, { recursive: true });
      }),
    removeFolder: path => limit(() => fs.rmdir(pathOf(path))),
    makePrivate: path => limit(() => fs.chmod(path, 0o700)),
    rename: (from, to) => limit(() => fs.rename(pathOf(from), pathOf(to))),
    link: (from, to) => limit(() => fs.link(pathOf(from), pathOf(to))),
    unlink: path => limit(() => fs.unlink(pathOf(path))),
    read: (path, maxBytes, see) => limit(() => read(pathOf(path), maxBytes, see)),
    writeNew: (path, bytes) => limit(() => writeNew(pathOf(path), bytes)),
    openGrowing: path => openGrowing(pathOf(path), limit),
    copyNew: (from, to, how) => limit(() => copyNew(pathOf(from), pathOf(to), how)),
    syncFolder: path => limit(() => syncFolder(pathOf(path))),
    touch: path =>
      limit(async () => {
        const now = new Date(systemClock.wallMs());
        await fs.utimes(pathOf(path), now, now);
      }),
    freeBytes: path =>
      limit(async () => {
        const room = await fs.statfs(path);
        return room.bavail * room.bsize;
      }),
  };
}

/** A name for a file that is not finished; what a crash leaves of these is recognised and ignored. */
export function temporaryName(): string {
  return `.tmp-${randomBytes(9).toString('base64url')}`;
}

async function look(path: FsPath): Promise<FileFacts> {
  return toFacts(await fs.lstat(path, { bigint: true }));
}

/** What the system says of a file, be it of a name or of an opening. */
export function toFacts(stats: BigIntStats): FileFacts {
  return {
    kind: kindOf(stats) ?? 'special',
    sizeBytes: Number(stats.size),
    mtimeNs: stats.mtimeNs,
    identity: `${stats.dev}:${stats.ino}`,
    device: stats.dev,
    links: Number(stats.nlink),
    owner: Number(stats.uid),
    mode: Number(stats.mode) & 0o777,
  };
}

/** Undefined when the system does not say: some file systems leave it out when a folder is listed. */
function kindOf(found: Dirent | BigIntStats): FileFacts['kind'] | undefined {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'folder';
  if (found.isSymbolicLink()) return 'symlink';
  const isSpecial = found.isFIFO() || found.isSocket() || found.isBlockDevice() || found.isCharacterDevice();
  return isSpecial ? 'special' : undefined;
}

async function* streamEntries(path: FsPath, limit: Limit): AsyncIterable<FolderEntry> {
  const bytes = typeof path === 'string' ? Buffer.from(path) : path;
  // The typings know no buffers here; Node gives names as bytes when asked so.
  const open = fs.opendir as unknown as (
    path: Buffer,
    options: { encoding: 'buffer'; bufferSize: number },
  ) => Promise<Dir>;
  const folder = await limit(() => open(bytes, { encoding: 'buffer', bufferSize: 512 }));
  try {
    for (;;) {
      const entry = await limit(() => folder.read());
      if (entry === null) return;
      yield { name: entry.name as unknown as Buffer, kind: kindOf(entry) ?? 'unknown' };
    }
  } finally {
    await limit(() => folder.close());
  }
}

async function read(path: FsPath, maxBytes: number, see?: (opened: FileFacts) => void): Promise<Buffer> {
  const file = await openOrdinary(path);
  try {
    const opened = toFacts(await file.stat({ bigint: true }));
    see?.(opened);
    if (opened.sizeBytes > maxBytes)
      throw Object.assign(new Error('The file is larger than expected.'), { code: 'EFBIG' });
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function writeNew(path: FsPath, bytes: string | Buffer): Promise<void> {
  const file = await fs.open(path, 'wx', 0o666);
  try {
    await file.writeFile(bytes);
    // On NFS a full disk may show only here or at close.
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * What is copied is one opening of an ordinary file: a link or a pipe that somebody puts
 * there meanwhile is not followed.
 */
async function copyNew(from: FsPath, to: FsPath, { see, hear }: CopyHow = {}): Promise<void> {
  const source = await openOrdinary(from);
  try {
    const stats = await source.stat({ bigint: true });
    see?.(toFacts(stats));
    const mode = Number(stats.mode) & 0o777;
    const copy = await fs.open(to, 'wx', mode);
    try {
      // The process's umask takes bits away from the mode that a file is made with.
      await copy.chmod(mode);
      const buffer = Buffer.allocUnsafe(COPY_BYTES);
      for (;;) {
        const { bytesRead } = await source.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) break;
        // All of it, however much of it one call of the system takes.
        await copy.writeFile(buffer.subarray(0, bytesRead));
        hear?.(buffer.subarray(0, bytesRead));
      }
      await copy.utimes(stats.atime, stats.mtime);
      await copy.sync();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

/** Without O_NONBLOCK, opening a pipe would wait for somebody to write into it. */
async function openOrdinary(path: FsPath): Promise<fs.FileHandle> {
  const file = await fs.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if ((await file.stat()).isFile()) return file;
    throw Object.assign(new Error('This is no ordinary file.'), { code: 'EINVAL' });
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Without O_DIRECTORY, opening a pipe that stands there by now would wait for somebody to write into it. */
async function syncFolder(path: FsPath): Promise<void> {
  try {
    const folder = await fs.open(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    const trouble = troubleOf(error);
    // Windows, and some network file systems, cannot sync a folder.
    if (trouble !== 'unsupported' && trouble !== 'denied' && trouble !== 'is-folder') throw error;
  }
}
