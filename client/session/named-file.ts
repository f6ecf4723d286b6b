// Files that people name are read, or copied to where a share's files are: there under a name that nobody
// takes, so that a copy gets its own when it is whole. Others may write to the places of both: what was named
// may be a link by then, or lie behind one, and lead to what only who runs the command may read. So a file is
// opened once, without following a link, and the folders are held meanwhile.
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { hasCode } from '../../activities/host/error-code';
import { type SystemCode, troubleOf } from '../../activities/host/file-trouble';
import { requireOnlyName } from '../../activities/share/files/only-name';
import { lastNameOf, namesBelow, requireInPlace } from '../../activities/share/files/open-folder';
import { isNoFolder, openRealFolder } from '../../activities/share/files/real-folder';
import { ShareError } from '../../activities/share/files/share-error';
import {
  createNodeShareFs,
  type FileFacts,
  type OpenFolder,
  Place,
  type ShareFs,
  temporaryName,
} from '../../activities/share/files/share-fs';
import { CliError } from './cli-error';

/** A file by its path, and the folder from which on no link is followed; that one is resolved. */
export interface Source {
  readonly base: string;
  readonly path: string;
  /** Others may write to the folder: a file that has another name as well may be somebody else's. */
  readonly isShared: boolean;
}

/** A share, or another folder to which others may write. */
export interface SharedPlace {
  readonly folder: string;
}

/**
 * Where a named file lies in one of these places; undefined for one that lies elsewhere, where links are of
 * who runs the command. What leads to the place is resolved, what lies below it is as it was named.
 * @param places any that is not there is left out.
 */
export async function findShared(places: readonly SharedPlace[], file: string): Promise<Source | undefined> {
  const resolved = await Promise.all(places.map(({ folder }) => realpath(folder).catch(() => undefined)));
  const bases = resolved.filter(base => base !== undefined);
  const path = resolve(file);
  const { root } = parse(path);
  const names = relative(root, path).split(sep);
  let at = root;
  for (;;) {
    const base = bases.find(each => namesBelow(each, at) !== undefined);
    if (base !== undefined) return { base, path: join(at, ...names), isShared: true };
    const name = names.shift();
    const next = name === undefined ? undefined : await realpath(join(at, name)).catch(() => undefined);
    if (next === undefined) return undefined;
    at = next;
  }
}

/**
 * Reads a file that lies in such a place: one opening of an ordinary file, no link followed.
 * @throws CliError when it is something else, is gone, or has more than `mostBytes`.
 */
export async function readShared(source: Source, mostBytes: number): Promise<Buffer> {
  const fs = createNodeShareFs();
  const { base, path } = source;
  const folder = await fs.openFolder(base, dirname(path)).catch(explain(source));
  try {
    return await readIn(fs, new Place(folder, lastNameOf(path)), source, mostBytes);
  } catch (error) {
    if (hasCode<SystemCode>(error, 'EFBIG'))
      throw new CliError(`${path} is too large for what it should be.`);
    throw error instanceof ShareError ? new CliError(`${path}: ${error.message}`) : error;
  } finally {
    await folder.close();
  }
}

/**
 * Reads a file that people name.
 * @throws CliError as `readShared`; what the system says of a file that lies elsewhere.
 */
export async function readNamed(
  places: readonly SharedPlace[],
  file: string,
  mostBytes: number,
): Promise<Buffer> {
  const source = await findShared(places, file);
  return source === undefined ? await readFile(file) : await readShared(source, mostBytes);
}

async function readIn(fs: ShareFs, place: Place, source: Source, mostBytes: number): Promise<Buffer> {
  const opened: FileFacts[] = [];
  await requireInPlace(place);
  const bytes = await fs.read(place, mostBytes, facts => void opened.push(facts)).catch(explain(source));
  await requireInPlace(place);
  for (const facts of opened) await requireOnlyName(fs, place, facts);
  return bytes;
}

/**
 * A folder of a share, made when it is missing. The caller closes it.
 * @param root of the share, resolved. @throws CliError when it is a link, or lies behind one.
 */
export async function openTarget(fs: ShareFs, root: string, folder: string): Promise<OpenFolder> {
  try {
    return await openRealFolder(fs, root, join(root, folder));
  } catch (error) {
    throw error instanceof ShareError ? new CliError(`${join(root, folder)}: ${error.message}`) : error;
  }
}

/**
 * The copy in a folder, on disk; the caller names or removes it.
 * @param hear called with all that is copied, in order.
 * @throws CliError when the source is no ordinary file (any more), or a link.
 */
export async function copyDraft(
  fs: ShareFs,
  source: Source,
  folder: OpenFolder,
  hear?: (bytes: Uint8Array) => void,
): Promise<Place> {
  const draft = new Place(folder, temporaryName());
  const from = await fs.openFolder(source.base, dirname(source.path)).catch(explain(source));
  try {
    const place = new Place(from, lastNameOf(source.path));
    await requireInPlace(place, draft);
    const opened: FileFacts[] = [];
    const see = (facts: FileFacts) => void opened.push(facts);
    await fs.copyNew(place, draft, { see, hear }).catch(explain(source));
    await requireInPlace(place, draft);
    if (source.isShared) for (const facts of opened) await requireOnlyName(fs, place, facts);
    return draft;
  } catch (error) {
    await fs.unlink(draft).catch(() => undefined);
    throw error instanceof ShareError ? new CliError(`${source.path}: ${error.message}`) : error;
  } finally {
    await from.close();
  }
}

/** For what cannot be opened as an ordinary file. */
function explain({ path }: Source): (error: unknown) => never {
  return error => {
    const trouble = troubleOf(error);
    if (trouble === 'gone') throw new CliError(`There is no file ${path}.`);
    if (isNoFolder(error)) throw new CliError(`${path} is a link, or lies behind one.`);
    if (trouble === 'unsupported') throw new CliError(`${path} is no file.`);
    throw error;
  };
}
