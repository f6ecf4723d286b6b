// Copies a file that people name to where a share's files are, under a name that nobody takes, so that it can
// be given its own when it is whole. Others may write to both places: the source is opened once, without
// following a link, and both folders are held meanwhile.
import { dirname, join } from 'node:path';
import { requireOnlyName } from '../../activities/share/files/only-name';
import { lastNameOf, requireInPlace } from '../../activities/share/files/open-folder';
import { openRealFolder } from '../../activities/share/files/real-folder';
import { ShareError } from '../../activities/share/files/share-error';
import {
  type FileFacts,
  type OpenFolder,
  Place,
  type ShareFs,
  temporaryName,
} from '../../activities/share/files/share-fs';
import { CliError } from './cli-error';
import { explain, type Source } from './named-file';

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
