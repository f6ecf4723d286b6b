// Brings files that lie elsewhere into a share's drop folder, whole or not at all, never over another file.

import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isTaken } from '../../activities/host/file-trouble';
import { isLinkUnsupported } from '../../activities/share/files/write-whole';
import { SHARE_DEFAULTS, type ShareConfig } from '../../activities/share/share-config';
import { CliError } from './cli-error';

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
  const folder = join(share.folder, share.drop ?? SHARE_DEFAULTS.drop);
  await mkdir(folder, { recursive: true });
  const drop = await realpath(folder);
  const paths: string[] = [];
  const sources = new Map<string, string>();
  for (const file of files) {
    const source = await realpath(resolve(file)).catch(() => {
      // Below the drop folder it may have been claimed already: the run finds that out on the share.
      const claimed = insideOf(resolve(folder), resolve(file)) ?? insideOf(drop, resolve(file));
      if (claimed === undefined) throw new CliError(`There is no file ${file}.`);
      return join(drop, claimed);
    });
    const inside = insideOf(drop, source);
    if (inside !== undefined) {
      // The drop folder itself is everything in it.
      paths.push(inside === '' ? '.' : inside.split(sep).join('/'));
      continue;
    }
    if (!(await stat(source)).isFile()) {
      throw new CliError(`${file} is no file. Folders are carried in from the drop folder only: ${drop}`);
    }
    const name = basename(source);
    const other = sources.get(name);
    if (other === source) continue;
    if (other !== undefined) {
      throw new CliError(
        `${other} and ${source} have the same name. Rename one of them, or submit them separately.`,
      );
    }
    if (await exists(join(drop, name))) throw isThereAlready(name);
    sources.set(name, source);
    paths.push(name);
  }
  for (const source of sources.values()) await copyIn(source, drop);
  return { paths, copied: [...sources.keys()] };
}

/** The path below a folder; undefined for one that is elsewhere. */
export function insideOf(folder: string, path: string): string | undefined {
  const inside = relative(folder, path);
  const isElsewhere = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isElsewhere ? undefined : inside;
}

async function copyIn(source: string, drop: string): Promise<void> {
  const name = basename(source);
  // A name that no watcher takes, until the copy is whole.
  const partial = join(drop, `.${process.pid}-${name.slice(0, 100)}.part`);
  await copyFile(source, partial, constants.COPYFILE_EXCL);
  try {
    await link(partial, join(drop, name));
  } catch (error) {
    if (isTaken(error)) throw isThereAlready(name);
    if (!isLinkUnsupported(error)) throw error;
    // As the share moves its own files where there are no hard links: looked at, then renamed.
    if (await exists(join(drop, name))) throw isThereAlready(name);
    await rename(partial, join(drop, name));
  } finally {
    await rm(partial, { force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

function isThereAlready(name: string): CliError {
  return new CliError(
    `The drop folder has a file "${name}" already. Rename one of them, or wait until it is claimed.`,
  );
}
