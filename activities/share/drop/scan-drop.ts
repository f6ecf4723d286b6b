// Walks the drop folder in bounded memory. It never follows a symbolic link, and what it meets is data:
// nothing here decides whether a file is ready.
import { isGone } from '../../host/file-trouble';
import { isIgnoredName } from '../../registers/words/ignored-names';
import { lookIfThere, openIfThere } from '../files/if-there';
import { lastNameOf, parentOf } from '../files/open-folder';
import { isNoFolder } from '../files/real-folder';
import { inFolder, isInnerPath, placeOf, type RelativePath, topOf } from '../files/relative-path';
import { ShareError, toShareError } from '../files/share-error';
import {
  type FileFacts,
  type FolderEntry,
  type FsPath,
  type OpenFolder,
  Place,
  type ShareFs,
} from '../files/share-fs';

/** Deeper than any sensible project tree; protects from loops made by mounts. */
const MAX_DEPTH = 32;

/** What a file of the drop folder looked like at one moment. */
export interface DropEntry extends RelativePath {
  readonly kind: FileFacts['kind'];
  readonly sizeBytes: number;
  readonly mtimeNs: bigint;
  /** '' where the share's inode numbers have proved to be no identity. */
  readonly identity: string;
}

export interface ScanOptions {
  /** Start at this folder of the drop folder instead of at its top. */
  readonly under?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called for each folder entered, by its relative path, '' for the top. */
  readonly onFolder?: ((path: string) => void) | undefined;
  /**
   * Asked for each name of a top folder: true when no more of that folder is wanted,
   * and the walk goes on elsewhere.
   */
  readonly isEnough?: ((top: string) => boolean) | undefined;
  /**
   * Called for each name that is left out; `isFolder` where the file system says so by the way, without a
   * look.
   */
  readonly onIgnored?: ((path: string, isFolder: boolean) => void) | undefined;
  /** Called for what cannot be entered; the walk goes on. */
  readonly onTrouble?: ((path: string, trouble: 'too-deep' | 'unreadable') => void) | undefined;
}

interface Folder extends RelativePath {
  readonly depth: number;
}

/**
 * Streams the names in the drop folder, folder by folder. Ignored names are left out,
 * and folders of such names too.
 * @throws ShareError `share-away` when the drop folder itself cannot be read.
 */
export async function* scanDrop(
  fs: ShareFs,
  drop: string,
  options: ScanOptions = {},
): AsyncGenerator<RelativePath> {
  const start = options.under ?? '';
  if (start !== '' && !isInnerPath(start)) {
    throw new ShareError('bad-request', 'The folder to look at is not inside the drop folder.');
  }
  const waiting: Folder[] = [{ path: start, depth: start === '' ? 0 : start.split('/').length }];
  const isEnough = (path: string) => options.isEnough?.(topOf(path)) === true;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (folder.path !== '' && isEnough(`${folder.path}/`)) continue;
    const open = await openInside(fs, drop, placeOf(drop, folder), folder.path, options);
    if (open === undefined) {
      if (folder.path === '') throw new ShareError('share-away', 'The drop folder is not there.');
      continue;
    }
    options.onFolder?.(folder.path);
    try {
      for await (const entry of fs.entries(new Place(open, '.'))) {
        if (options.signal?.aborted) return;
        const found = inFolder(folder, entry.name);
        if (isIgnoredName(entry.name.toString('utf8'))) {
          options.onIgnored?.(found.path, entry.kind === 'folder');
          continue;
        }
        // The top itself is read to its end: it has the names of the other folders.
        if (folder.path !== '' && isEnough(found.path)) break;
        const kind = entry.kind === 'unknown' ? await kindOf(fs, new Place(open, entry.name)) : entry.kind;
        if (kind === 'folder') {
          if (folder.depth + 1 > MAX_DEPTH) options.onTrouble?.(found.path, 'too-deep');
          else waiting.push({ ...found, depth: folder.depth + 1 });
        } else if (kind !== undefined) {
          yield found;
        }
      }
    } catch (error) {
      // A sub-folder that went away while we walked is ordinary; trouble with the top is the share's.
      if (folder.path === '' || toShareError(error) !== undefined) throw toShareError(error) ?? error;
      if (!isGone(error)) options.onTrouble?.(folder.path, 'unreadable');
    } finally {
      await open.close();
    }
  }
}

/** @returns undefined when it is gone, or is a folder. */
export async function lookAtDrop(
  fs: ShareFs,
  drop: string,
  name: RelativePath,
): Promise<DropEntry | undefined> {
  const path = placeOf(drop, name);
  const facts = fs.holdsFolders ? await lookIfThere(fs, path) : await lookInside(fs, drop, path);
  if (facts === undefined || facts.kind === 'folder') return undefined;
  const { kind, sizeBytes, mtimeNs, identity } = facts;
  // Only these fields, for tens of thousands of entries are kept in memory at a time.
  if (name.bytes === undefined) return { path: name.path, kind, sizeBytes, mtimeNs, identity };
  return { path: name.path, bytes: name.bytes, kind, sizeBytes, mtimeNs, identity };
}

/**
 * Where folders cannot be held, a claim goes by what was seen of a file, so that must not be what a link
 * leads to: it would count as the file of the drop folder.
 */
async function lookInside(fs: ShareFs, drop: string, path: FsPath): Promise<FileFacts | undefined> {
  const folder = await openIfThere(fs, drop, parentOf(path));
  if (folder === undefined) return undefined;
  try {
    const facts = await lookIfThere(fs, new Place(folder, lastNameOf(path)));
    return (await folder.isInPlace()) ? facts : undefined;
  } finally {
    await folder.close();
  }
}

/**
 * Opens a folder so that one that was swapped for a link meanwhile cannot lead out of the drop folder.
 * Undefined when it is no folder (any more).
 */
async function openInside(
  fs: ShareFs,
  drop: string,
  place: FsPath,
  path: string,
  options: ScanOptions,
): Promise<OpenFolder | undefined> {
  try {
    return await fs.openFolder(drop, place);
  } catch (error) {
    if (isGone(error) || isNoFolder(error)) return undefined;
    if (path === '' || toShareError(error) !== undefined) throw toShareError(error) ?? error;
    options.onTrouble?.(path, 'unreadable');
    return undefined;
  }
}

async function kindOf(fs: ShareFs, place: Place): Promise<FolderEntry['kind'] | undefined> {
  try {
    return (await fs.look(place)).kind;
  } catch {
    return undefined;
  }
}
