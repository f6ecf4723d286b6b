// Brings files that lie elsewhere into a share's drop folder, whole or not at all, never over another file.

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isThere } from '../../activities/share/files/if-there';
import { nameInDrop } from '../../activities/share/files/move-file';
import {
  createNodeShareFs,
  type OpenFolder,
  Place,
  type ShareFs,
} from '../../activities/share/files/share-fs';
import { SHARE_DEFAULTS, type ShareConfig } from '../../activities/share/share-config';
import { CliError } from './cli-error';
import { copyDraft, findShared, openTarget, type Source } from './named-file';

export interface BroughtFiles {
  /** Relative to the drop folder, with `/` between parts. */
  readonly paths: readonly string[];
  /** Those of them that were copied in. */
  readonly copied: readonly string[];
}

/**
 * Files below the drop folder stay where they are; others are copied to its top. Throws CliError naming the
 * file; all of them are looked at before one is copied, for what is copied is carried in by the watcher, too.
 */
export async function bringIntoDrop(share: ShareConfig, files: readonly string[]): Promise<BroughtFiles> {
  const fs = createNodeShareFs();
  await fs.makeRoot(share.folder);
  const root = await fs.realpath(share.folder);
  const name = share.drop ?? SHARE_DEFAULTS.drop;
  const drop = await openTarget(fs, root, name);
  try {
    return await bringInto({ fs, root, drop, folder: join(root, name) }, join(share.folder, name), files);
  } finally {
    await drop.close();
  }
}

interface Drop {
  readonly fs: ShareFs;
  /** Of the share, resolved. */
  readonly root: string;
  readonly drop: OpenFolder;
  /** Where it is, resolved. */
  readonly folder: string;
}

/** @param named the drop folder as the settings have it. */
async function bringInto(into: Drop, named: string, files: readonly string[]): Promise<BroughtFiles> {
  const { fs, root, drop: open, folder: drop } = into;
  const paths: string[] = [];
  const sources = new Map<string, Source>();
  for (const file of files) {
    const real = await realpath(resolve(file)).catch(() => {
      // Below the drop folder it may have been claimed already: the run finds that out on the share.
      const claimed = insideOf(resolve(named), resolve(file)) ?? insideOf(drop, resolve(file));
      if (claimed === undefined) throw new CliError(`There is no file ${file}.`);
      return join(drop, claimed);
    });
    const inside = insideOf(drop, real);
    if (inside !== undefined) {
      // The drop folder itself is everything in it.
      paths.push(inside === '' ? '.' : inside.split(sep).join('/'));
      continue;
    }
    // Whoever may write to the share can make links in it; elsewhere what is named is resolved.
    const shared =
      (await findShared([{ folder: root }], file)) ?? (await findShared([{ folder: root }], real));
    const source = shared ?? { base: dirname(real), path: real, isShared: false };
    if (source.isShared && insideOf(root, real) === undefined)
      throw new CliError(`${file} is a link, or lies behind one.`);
    if (!(await stat(real)).isFile()) {
      throw new CliError(`${file} is no file. Folders are carried in from the drop folder only: ${drop}`);
    }
    const name = basename(source.path);
    const other = sources.get(name)?.path;
    if (other === source.path) continue;
    if (other !== undefined) {
      throw new CliError(
        `${other} and ${source.path} have the same name. Rename one of them, or submit them separately.`,
      );
    }
    if (await isThere(fs, new Place(open, name))) throw isThereAlready(name);
    sources.set(name, source);
    paths.push(name);
  }
  for (const source of sources.values()) await copyIn(source, into);
  return { paths, copied: [...sources.keys()] };
}

/** The path below a folder; undefined for one that is elsewhere. */
export function insideOf(folder: string, path: string): string | undefined {
  const inside = relative(folder, path);
  const isElsewhere = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isElsewhere ? undefined : inside;
}

async function copyIn(source: Source, { fs, drop }: Drop): Promise<void> {
  const name = basename(source.path);
  // A name that no watcher takes, until the copy is whole.
  const draft = await copyDraft(fs, source, drop);
  try {
    if (!(await nameInDrop(fs, draft, new Place(drop, name)))) throw isThereAlready(name);
    await fs.syncFolder(new Place(drop, '.'));
  } finally {
    await fs.unlink(draft).catch(() => undefined);
  }
}

function isThereAlready(name: string): CliError {
  return new CliError(
    `The drop folder has a file "${name}" already. Rename one of them, or wait until it is claimed.`,
  );
}
