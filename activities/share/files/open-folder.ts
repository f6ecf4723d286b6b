// A folder held open, and names in it. Others may write to a share: a folder that was looked at can be a link
// by the time it is used, and by its path we would then take or leave files elsewhere. A descriptor goes on
// leading to the folder that was opened.

import { constants, existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as native from 'node:path';
import type { Limit } from '../../host/concurrency';
import { isTaken, troubleOf } from '../../host/file-trouble';
import { ShareError } from './share-error';

const MOST_REMOVALS = 5;

/** Paths are strings, or the raw bytes when a name is not UTF-8. */
export type FsPath = string | Buffer;

export interface OpenFolder {
  /** As it was opened: for messages. */
  readonly path: FsPath;
  /** What leads to it now, to be put before a name. */
  readonly reach: FsPath;
  /** Whether its path still leads to it; by descriptor that does not matter, and then it is yes. */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

/** A name in a folder that is held open. */
export class Place {
  readonly folder: OpenFolder;
  readonly name: FsPath;

  /** @param name one name, or `.` for the folder itself. */
  constructor(folder: OpenFolder, name: FsPath) {
    const text = name.toString('latin1');
    if (text === '' || text === '..' || text.includes('/') || text.includes('\0')) {
      throw new RangeError('This is not the name of one thing in a folder.');
    }
    this.folder = folder;
    this.name = name;
  }

  get path(): FsPath {
    return joinName(this.folder.reach, this.name);
  }

  /** Where it was when the folder was opened. */
  toString(): string {
    const shown = this.folder.path.toString();
    return this.name.toString() === '.' ? shown : `${shown}/${this.name.toString()}`;
  }
}

export type FsPlace = FsPath | Place;

export function pathOf(place: FsPlace): FsPath {
  return place instanceof Place ? place.path : place;
}

/**
 * For systems that cannot hold folders by descriptor: called before and after each use, so that nothing is
 * taken from or left in a folder that the path came to lead to. @throws ShareError `file-refused`.
 */
export async function requireInPlace(...places: readonly FsPlace[]): Promise<void> {
  for (const place of places) {
    if (!(place instanceof Place) || (await place.folder.isInPlace())) continue;
    throw new ShareError(
      'file-refused',
      'A folder of the share was exchanged for another while it was used.',
    );
  }
}

/** Another name beside a place. */
export function besides(place: FsPlace, name: FsPath): FsPlace {
  if (place instanceof Place) return new Place(place.folder, name);
  return joinName(parentOf(place), name);
}

/** The folder that a place is in. */
export function folderAround(place: FsPlace): FsPlace {
  return place instanceof Place ? new Place(place.folder, '.') : parentOf(place);
}

/** The last part of a path. */
export function lastNameOf(path: FsPath, paths: PathRules = native): FsPath {
  if (typeof path === 'string') return paths.basename(path);
  return path.subarray(lastSeparator(path, paths) + 1);
}

/** The folder of a path; text for text, bytes for bytes. */
export function parentOf(path: FsPath, paths: PathRules = native): FsPath {
  if (typeof path === 'string') return paths.dirname(path);
  return path.subarray(0, Math.max(1, lastSeparator(path, paths)));
}

/** How paths are written: on this system, or on another one in tests. */
export type PathRules = Pick<typeof native.posix, 'sep' | 'dirname' | 'basename'>;

/**
 * The names that lead from `base` to `folder`; undefined when it is not below it. A
 * backslash parts names on Windows only.
 */
export function namesBelow(base: string, folder: FsPath, paths: PathRules = native): FsPath[] | undefined {
  const isText = typeof folder === 'string';
  const text = isText ? folder : folder.toString('latin1');
  const from = isText ? base : Buffer.from(base).toString('latin1');
  if (text === from) return [];
  const isBetween = (character: string | undefined) => character === '/' || character === paths.sep;
  // A root ends with its separator: `/`, `C:\`.
  const start = isBetween(from.at(-1)) ? from.length : from.length + 1;
  if (!text.startsWith(from) || !isBetween(text[start - 1])) return undefined;
  const names = text.slice(start).split(paths.sep === '\\' ? /[\\/]/ : '/');
  if (names.some(name => name === '' || name === '.' || name === '..')) return undefined;
  return isText ? names : names.map(name => Buffer.from(name, 'latin1'));
}

/** Where opening begins: a path, or a folder that is held open already. */
export type FolderBase = string | OpenFolder;

/** Whether missing folders on the way are made; `private`: for us alone (0700). */
export type FolderMaking = boolean | 'private';

/** Opens folder after folder, so that no link on the way is followed. The base is never made. */
export async function openFolderAt(
  base: FolderBase,
  names: readonly FsPath[],
  how: { readonly make: FolderMaking; readonly byDescriptor: boolean },
  limit: Limit,
): Promise<OpenFolder> {
  return how.byDescriptor
    ? await openByDescriptor(base, names, how.make, limit)
    : await openByPath(base, names, how.make, limit);
}

export function pathOfBase(base: FolderBase): string {
  return typeof base === 'string' ? base : base.path.toString();
}

/** Linux leads from a descriptor to what is in its folder; others do not. */
export function hasDescriptorPaths(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd');
}

async function openByDescriptor(
  base: FolderBase,
  names: readonly FsPath[],
  make: FolderMaking,
  limit: Limit,
): Promise<OpenFolder> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let path: FsPath = pathOfBase(base);
  const begin = typeof base === 'string' ? base : joinName(base.reach, '.');
  let handle = await limit(() => fs.open(begin, flags));
  try {
    for (const name of names) {
      const place = joinName(`/proc/self/fd/${handle.fd}`, name);
      const next = await makeAndOpen(place, make, limit, () => fs.open(place, flags));
      await handle.close();
      handle = next;
      path = joinName(path, name);
    }
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
  const open = handle;
  const reach = `/proc/self/fd/${open.fd}`;
  let isClosed = false;
  return {
    path,
    get reach() {
      // The number of a closed descriptor is given to what is opened next, which may be any other folder.
      if (isClosed) throw new RangeError('A folder was used after it was closed.');
      return reach;
    },
    isInPlace: async () => true,
    close: async () => {
      isClosed = true;
      await open.close();
    },
  };
}

/** Nothing holds the folder here: whoever uses it calls `requireInPlace` before and after. */
async function openByPath(
  base: FolderBase,
  names: readonly FsPath[],
  make: FolderMaking,
  limit: Limit,
): Promise<OpenFolder> {
  const seen: { readonly path: FsPath; readonly identity: string }[] = [];
  let path: FsPath = pathOfBase(base);
  if (typeof base !== 'string') await requireInPlace(new Place(base, '.'));
  for (const name of [undefined, ...names]) {
    if (name !== undefined) path = joinName(path, name);
    const place = path;
    const identity = await makeAndOpen(place, name !== undefined && make, limit, () => identityOf(place));
    if (identity === undefined) throw Object.assign(new Error('This is no folder.'), { code: 'ENOTDIR' });
    seen.push({ path, identity });
  }
  return {
    path,
    reach: path,
    async isInPlace() {
      for (const { path, identity } of seen) {
        const now = await limit(() => identityOf(path)).catch(() => undefined);
        if (now !== identity) return false;
      }
      return true;
    },
    close: async () => undefined,
  };
}

async function identityOf(path: FsPath): Promise<string | undefined> {
  const stats = await fs.lstat(path, { bigint: true });
  return stats.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined;
}

/**
 * Whoever tidies up may take away an empty folder between its making and its opening: then it is made again.
 */
async function makeAndOpen<T>(
  place: FsPath,
  make: FolderMaking,
  limit: Limit,
  open: () => Promise<T>,
): Promise<T> {
  for (let left = MOST_REMOVALS; ; left--) {
    if (make !== false) await limit(() => makeUnlessThere(place, make === 'private' ? 0o700 : 0o777));
    try {
      return await limit(open);
    } catch (error) {
      if (make === false || left === 0 || troubleOf(error) !== 'gone') throw error;
    }
  }
}

async function makeUnlessThere(path: FsPath, mode: number): Promise<void> {
  await fs.mkdir(path, { mode }).catch(error => {
    if (!isTaken(error)) throw error;
  });
}

function joinName(folder: FsPath, name: FsPath): FsPath {
  if (typeof folder === 'string' && typeof name === 'string') return `${folder}${native.sep}${name}`;
  return Buffer.concat([Buffer.from(folder), Buffer.from('/'), Buffer.from(name)]);
}

function lastSeparator(path: Buffer, paths: PathRules): number {
  return Math.max(path.lastIndexOf(0x2f), paths.sep === '\\' ? path.lastIndexOf(0x5c) : -1);
}
