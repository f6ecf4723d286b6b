// Opens folders where people can write too, without ever being led elsewhere by
// a link that somebody put there.

import { hasCode } from '../../host/error-code';
import { isGone, troubleOf } from '../../host/file-trouble';
import { lastNameOf, namesBelow, parentOf } from './open-folder';
import { ShareError, type ShareErrorCode } from './share-error';
import type { FsPath, OpenFolder, ShareFs } from './share-fs';

/**
 * Opens `folder`, made with everything between it and `base` when it is missing. Each part
 * must be a real folder. The caller closes it.
 * @throws ShareError `file-refused` when one is something else.
 */
export async function openRealFolder(fs: ShareFs, base: string, folder: FsPath): Promise<OpenFolder> {
  try {
    return await fs.openFolder(base, folder, { make: true });
  } catch (error) {
    if (!isNoFolder(error)) throw error;
    const names = namesBelow(base, folder) ?? [lastNameOf(folder)];
    const shown = names.map(name => name.toString()).join('/');
    throw new ShareError(
      'file-refused',
      `Where the folder "${shown}" should be, or one above it, there is a link or a file. Remove it from the share.`,
      error,
    );
  }
}

/** The folder and those above it, the nearest first; `top`, which it is below, is the last. */
export function* foldersUpTo(top: string, folder: FsPath): Generator<FsPath> {
  for (let at = folder; ; at = parentOf(at)) {
    yield at;
    if ((namesBelow(top, at)?.length ?? 0) === 0) return;
  }
}

/**
 * Opens the first of these folders in whose place no link or file stands: else one file would hold up the
 * others of its batch for as long as somebody leaves it so.
 * @param open as `openRealFolder`.
 * @throws ShareError `file-refused`, of the first one, where none can be opened.
 */
export async function openFirst(
  folders: Iterable<FsPath>,
  open: (folder: FsPath) => Promise<OpenFolder>,
): Promise<OpenFolder> {
  let refused: unknown;
  for (const folder of folders) {
    try {
      return await open(folder);
    } catch (error) {
      if (!hasCode<ShareErrorCode>(error, 'file-refused')) throw error;
      refused ??= error;
    }
  }
  throw refused;
}

/** The same, for one piece of work. */
export async function inRealFolder<T>(
  fs: ShareFs,
  base: string,
  folder: FsPath,
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const open = await openRealFolder(fs, base, folder);
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

/** A link, or something else that is no folder, lies where a folder was asked for. */
export function isNoFolder(error: unknown): boolean {
  const trouble = troubleOf(error);
  return trouble === 'link' || trouble === 'no-folder';
}

/**
 * Makes the names in these folders durable, and the folders themselves: each with
 * everything between it and `base`.
 */
export async function syncFolders(fs: ShareFs, base: string, folders: Iterable<FsPath>): Promise<void> {
  const synced = new Set<string>();
  for (const folder of folders) {
    for (let at = folder; !synced.has(at.toString('latin1')); at = parentOf(at)) {
      synced.add(at.toString('latin1'));
      await fs.syncFolder(at);
      if (namesBelow(base, at)?.length === 0) break;
    }
  }
}

/**
 * Folders that are used one after the other: the last few stay open, for files of one folder come together.
 */
export class RealFolders {
  readonly #fs: ShareFs;
  readonly #base: string;
  readonly #open = new Map<string, OpenFolder>();

  constructor(fs: ShareFs, base: string) {
    this.#fs = fs;
    this.#base = base;
  }

  /** Made when it is missing. It may be used until the next but one folder is asked for. */
  async get(folder: FsPath): Promise<OpenFolder> {
    return (
      this.#known(folder) ?? (await this.#keep(folder, await openRealFolder(this.#fs, this.#base, folder)))
    );
  }

  /** Undefined when it is missing; it is not made. */
  async getIfThere(folder: FsPath): Promise<OpenFolder | undefined> {
    const known = this.#known(folder);
    if (known !== undefined) return known;
    const open = await this.#fs.openFolder(this.#base, folder).catch(error => {
      if (isGone(error)) return undefined;
      throw error;
    });
    return open && (await this.#keep(folder, open));
  }

  #known(folder: FsPath): OpenFolder | undefined {
    const key = folder.toString('latin1');
    const known = this.#open.get(key);
    // The one asked for last is closed last: whoever asks for a second one still uses the first.
    if (known !== undefined && this.#open.delete(key)) this.#open.set(key, known);
    return known;
  }

  async #keep(folder: FsPath, open: OpenFolder): Promise<OpenFolder> {
    this.#open.set(folder.toString('latin1'), open);
    const [oldest] = this.#open;
    if (this.#open.size > 8 && oldest !== undefined) {
      this.#open.delete(oldest[0]);
      await oldest[1].close();
    }
    return open;
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const folder of open) await folder.close().catch(() => undefined);
  }
}
