// Claims a file that lies on another device than its batch: a mount, a data set or a subvolume in the drop
// folder. It cannot be renamed into the batch, so it is first renamed where it lies, to a name that nobody
// claims. That succeeds for one claimer only. Then it is copied, and removed when the copy is whole. A claim
// that ends in between is undone by whoever finishes it.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { isGone } from '../../host/file-trouble';
import { ifThere, isThere, lookIfThere, openIfThere, unlinkIfThere } from '../files/if-there';
import { moveFile } from '../files/move-file';
import { lastNameOf, parentOf, requireInPlace } from '../files/open-folder';
import { placeOf, type RelativePath } from '../files/relative-path';
import { type FileFacts, Place, type ShareFs, temporaryName } from '../files/share-fs';
import type { BatchPaths, ShareLayout } from '../files/share-layout';
import { isWanted, type WantedFile } from './claim-record';

/** What the names begin with under which files are held where they were dropped. */
const HELD = '.drawbridge-';

/**
 * @param places of the same name, in the folder it was dropped into and in the batch.
 * @returns what the copy looks like; undefined when the file is not the one that
 * was seen, and stays where it is.
 */
export async function claimByCopy(
  paths: BatchPaths,
  places: { readonly source: Place; readonly destination: Place },
  entry: WantedFile,
): Promise<FileFacts | undefined> {
  const { fs } = paths;
  const { source, destination } = places;
  const held = heldPlace(paths, source);
  const copy = join(paths.folder, temporaryName());
  await renameBeside(fs, source, held);
  try {
    const isTheSame = async () => isWanted(await fs.look(held), entry) && entry.kind === 'file';
    if (await isTheSame()) {
      const opened: FileFacts[] = [];
      await fs.copyNew(held, copy, { see: facts => void opened.push(facts) });
      // Another file may have had this name just while it was copied. Size and time prove nothing of that
      // one: whoever led there can give his own file those of another.
      const isIt = opened.every(facts => isWanted(facts, entry));
      if (isIt && (await isTheSame()) && isCopyOf(await fs.look(copy), entry)) {
        const links = 1 + (await countOtherNames(fs, held));
        await requireInPlace(source, destination);
        await fs.rename(copy, destination);
        await fs.syncFolder(new Place(destination.folder, '.'));
        await fs.unlink(held);
        // A copy has one name, whatever its file had: by that it is judged.
        return { ...(await fs.look(destination)), links };
      }
    }
  } catch (error) {
    await undo(fs, held, source, copy, destination);
    throw error;
  }
  await undo(fs, held, source, copy, destination);
  return undefined;
}

/**
 * Undoes what a claim that ended half-way has left of this file where it was dropped;
 * false when it has left nothing.
 */
export async function undoCopy(layout: ShareLayout, paths: BatchPaths, file: RelativePath): Promise<boolean> {
  const { fs } = layout;
  const dropped = placeOf(layout.drop, file);
  const folder = await openIfThere(fs, layout.root, parentOf(dropped));
  if (folder === undefined) return false;
  try {
    const source = new Place(folder, lastNameOf(dropped));
    const [held, back] = [heldPlace(paths, source), heldPlace(paths, source, '-back')];
    if (!(await isThere(fs, back))) {
      if (!(await isThere(fs, held))) return false;
      // Renamed before anything goes: a claimer that lives after all removes what it holds when its copy is
      // in place. Where it was faster, there is nothing to rename, and its copy is the only one.
      const isOurs = await ifThere(renameBeside(fs, held, back).then(() => true));
      if (isOurs === undefined) return false;
    }
    // The original is whole: the copy, whole or not, is ours to remove.
    await unlinkIfThere(fs, placeOf(paths.files, file));
    await moveFile(fs, back, source, { isDrop: true });
    return true;
  } finally {
    await folder.close();
  }
}

/** Names that are not ours: what a claim holds, or held when it died, has ours beside it. */
async function countOtherNames(fs: ShareFs, held: Place): Promise<number> {
  const { links, identity } = await fs.look(held);
  if (links <= 1) return 0;
  let ours = 0;
  for await (const { name } of fs.entries(new Place(held.folder, '.'))) {
    if (!name.toString('latin1').startsWith(HELD)) continue;
    if ((await lookIfThere(fs, new Place(held.folder, name)))?.identity === identity) ours += 1;
  }
  return Math.max(0, links - ours);
}

/** On NFS the response to a rename that did happen can be lost: the repeat then finds nothing. */
async function renameBeside(fs: ShareFs, from: Place, to: Place): Promise<void> {
  await fs.rename(from, to).catch(async error => {
    if (!isGone(error) || !(await isThere(fs, to))) throw error;
  });
}

/** By its size and time, which a copy keeps to about a millisecond; it has an inode of its own. */
function isCopyOf(facts: FileFacts, wanted: WantedFile): boolean {
  const apartNs = facts.mtimeNs - wanted.mtimeNs;
  return (
    wanted.kind === 'file' &&
    facts.kind === 'file' &&
    facts.sizeBytes === wanted.sizeBytes &&
    apartNs < 2_000_000n &&
    apartNs > -2_000_000n
  );
}

/**
 * Whether somebody's claim has copied it from another device: on the same one it would have been renamed.
 * Where inode numbers have proved to be none, the device is not known either, and size and time decide.
 */
export function isCopyFromElsewhere(facts: FileFacts, wanted: WantedFile): boolean {
  const [device] = wanted.identity.split(':');
  return isCopyOf(facts, wanted) && device !== String(facts.device);
}

async function undo(
  fs: ShareFs,
  held: Place,
  source: Place,
  copy: string,
  destination: Place,
): Promise<void> {
  await unlinkIfThere(fs, copy).catch(() => undefined);
  if (!(await isThere(fs, held))) return;
  await unlinkIfThere(fs, destination);
  await moveFile(fs, held, source, { isDrop: true });
}

/**
 * The name that the file is held under: beside it, so on its own device; found again by batch and name.
 * @param state `-back`: who finishes the claim holds it, on its way back.
 */
function heldPlace(paths: BatchPaths, source: Place, state: '' | '-back' = ''): Place {
  const name = hash('sha256', source.name).slice(0, 16);
  return new Place(source.folder, `${HELD}${paths.batchId}-${name}${state}`);
}
