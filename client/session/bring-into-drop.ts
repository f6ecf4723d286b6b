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

/**
 * Files below the drop folder stay where they are; others are copied to its top. What has its name there is
 * carried in by the watcher, too, perhaps to its end before this returns: all are looked at before one is
 * copied, and all are copied before one gets its name.
 * @param tell called with each that was copied in, as soon as it has its name.
 * @returns their paths below the drop folder, with `/` between parts. @throws CliError naming the file.
 */
export async function bringIntoDrop(
  share: ShareConfig,
  files: readonly string[],
  tell: (name: string) => void,
): Promise<readonly string[]> {
  const fs = createNodeShareFs();
  await fs.makeRoot(share.folder);
  const root = await fs.realpath(share.folder);
  const name = share.drop ?? SHARE_DEFAULTS.drop;
  const drop = await openTarget(fs, root, name);
  try {
    const into = { fs, root, drop, folder: join(root, name) };
    const { paths, sources } = await lookAtAll(into, join(share.folder, name), files);
    await copyIn(sources, into, tell);
    return paths;
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

interface Asked {
  readonly paths: readonly string[];
  /** Those that are to be copied, by their names. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** @param named the drop folder as the settings have it. */
async function lookAtAll(into: Drop, named: string, files: readonly string[]): Promise<Asked> {
  const { root, folder: drop } = into;
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
    await requireFree(into, name);
    sources.set(name, source);
    paths.push(name);
  }
  return { paths, sources };
}

/** The path below a folder; undefined for one that is elsewhere. */
export function insideOf(folder: string, path: string): string | undefined {
  const inside = relative(folder, path);
  const isElsewhere = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isElsewhere ? undefined : inside;
}

async function copyIn(
  sources: ReadonlyMap<string, Source>,
  into: Drop,
  tell: (name: string) => void,
): Promise<void> {
  const { fs, drop } = into;
  // Under names that no watcher takes.
  const drafts = new Map<string, Place>();
  try {
    for (const [name, source] of sources) drafts.set(name, await copyDraft(fs, source, drop));
    for (const name of drafts.keys()) await requireFree(into, name);
    for (const [name, draft] of drafts) {
      if (!(await nameInDrop(fs, draft, new Place(drop, name)))) throw isThereAlready(name);
      drafts.delete(name);
      tell(name);
    }
    if (sources.size > 0) await fs.syncFolder(new Place(drop, '.'));
  } finally {
    for (const draft of drafts.values()) await fs.unlink(draft).catch(() => undefined);
  }
}

async function requireFree({ fs, drop }: Drop, name: string): Promise<void> {
  if (await isThere(fs, new Place(drop, name))) throw isThereAlready(name);
}

function isThereAlready(name: string): CliError {
  return new CliError(
    `The drop folder has a file "${name}" already. Rename one of them, or wait until it is claimed.`,
  );
}
