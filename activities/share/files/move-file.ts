// Moves a file to where people find it. Nothing is ever overwritten: a taken name gets " (2)". Where the file
// system cannot link, a placeholder of ours holds the name in `done` and `attention`; it names the one move
// that it is for. In the drop folder nothing of ours may stand under a name that could be claimed: there a
// lock folder, whose name is never claimed, keeps our own processes apart, and the target name is looked at
// right before the rename.

import { hash } from 'node:crypto';
import { relative } from 'node:path';
import { isGone, isTaken, troubleOf } from '../../host/file-trouble';
import { withFolderLock } from './folder-lock';
import { ifThere, isThere, lookIfThere, unlinkIfThere } from './if-there';
import { requireMissing } from './missing';
import { besides, folderAround, requireInPlace } from './open-folder';
import { ShareError, toShareError } from './share-error';
import { type FileFacts, type FsPath, type FsPlace, Place, type ShareFs, temporaryName } from './share-fs';
import { isLinkUnsupported } from './write-whole';

const MAX_SUFFIX = 10_000;
/** How often a file may be gone at the moment of its move and be there again, before we give up. */
const MOST_VANISHED = 3;
const MAX_NAME_BYTES = 255;
/** An ending longer than this, with its dot, is not taken for a file name's extension; in characters. */
const MAX_ENDING = 40;

/** How a placeholder begins; the move that it is for follows. */
const PLACEHOLDER = 'Drawbridge is about to move a file here.';
/** Of a whole one. */
const PLACEHOLDER_BYTES = `${PLACEHOLDER} (0123456789abcdef)\n`.length;
/** The lock folder: its name is ignored by every scan, and it is always empty. */
const MOVING = '.drawbridge-moving';

export interface MoveOptions {
  /**
   * Files are claimed from the destination: what stands there under an ordinary name can become a document.
   */
  readonly isDrop?: boolean;
  /** People may have it open, and save it anew in the moment of its move: what has its name then stays. */
  readonly isOfPeople?: boolean;
}

/**
 * Moves within a share, into a folder that is held open; safe to repeat after a crash at any point.
 * @returns where it is now, or undefined when the source is not there (any more).
 */
export async function moveFile(
  fs: ShareFs,
  from: FsPlace,
  to: Place,
  options: MoveOptions = {},
): Promise<Place | undefined> {
  await requireInPlace(from, to);
  const facts = await lookIfThere(fs, from);
  if (facts === undefined) return undefined;
  let vanished = 0;
  for (let turn = 1; turn <= MAX_SUFFIX; turn += 1) {
    const place = new Place(to.folder, withSuffix(to.name, turn));
    if (facts.kind === 'folder') {
      if (await moveFolder(fs, from, place)) return place;
      continue;
    }
    try {
      await fs.link(from, place);
    } catch (error) {
      if (isTaken(error)) {
        // A crash after the link and before the unlink left the same file under both names.
        const isOurs =
          (await isSameFile(fs, from, place)) ||
          (!options.isDrop && (await replacesPlaceholder(fs, from, place)));
        if (!isOurs) continue;
        if (!(options.isOfPeople && (await isAnother(fs, from, place)))) await unlinkMoved(fs, from, place);
        return place;
      }
      if (isGone(error)) {
        if (!(await isThere(fs, from))) return undefined;
        // Gone and there again: somebody keeps moving it; or it is the destination folder that is gone.
        vanished += 1;
        if (vanished > MOST_VANISHED) throw error;
        turn -= 1;
        continue;
      }
      if (!isLinkUnsupported(error)) throw error;
      if (!(await isThere(fs, from))) return undefined;
      const isMoved = options.isDrop
        ? await moveIntoDrop(fs, from, place)
        : await moveWithPlaceholder(fs, from, place);
      if (!isMoved) continue;
      await requireInPlace(from, place);
      return place;
    }
    // Before the other name goes: a link that leads elsewhere can be taken back.
    await requireInPlace(from, place).catch(async error => {
      await fs.unlink(place).catch(() => undefined);
      throw error;
    });
    if (!(options.isOfPeople && (await isAnother(fs, from, place)))) await unlinkMoved(fs, from, place);
    return place;
  }
  throw new ShareError('file-refused', 'There are too many files of this name at the destination.');
}

/** Finishes a move that a crash has cut while the file had both names; false when there is none to finish. */
export async function finishMove(fs: ShareFs, from: FsPlace, to: Place): Promise<boolean> {
  for (let turn = 1; turn <= MAX_SUFFIX; turn += 1) {
    const place = new Place(to.folder, withSuffix(to.name, turn));
    if (!(await isThere(fs, place))) return false;
    if (!(await isSameFile(fs, from, place))) continue;
    await unlinkMoved(fs, from, place);
    return true;
  }
  return false;
}

/** `plan.pdf`, `plan (2).pdf`, `plan (3).pdf`, ...; text for text, bytes for bytes. */
export function withSuffix(path: FsPath, turn: number): FsPath {
  if (turn <= 1) return path;
  const text = typeof path === 'string' ? path : path.toString('latin1');
  const nameAt = text.lastIndexOf('/') + 1;
  const dot = text.lastIndexOf('.');
  const cut = dot > nameAt && text.length - dot <= MAX_ENDING ? dot : text.length;
  const suffix = ` (${turn})`;
  const ending = text.slice(cut);
  const isBytes = typeof path !== 'string';
  const sizeOf = (part: string) => (isBytes ? part.length : Buffer.byteLength(part));
  // No file system takes a longer name: its own part gives way to the number.
  const stem = [...text.slice(nameAt, cut)];
  while (stem.length > 1 && sizeOf(stem.join('') + suffix + ending) > MAX_NAME_BYTES) stem.pop();
  const suffixed = `${text.slice(0, nameAt)}${stem.join('')}${suffix}${ending}`;
  return isBytes ? Buffer.from(suffixed, 'latin1') : suffixed;
}

/**
 * Moves a folder that somebody put in the place of a file. An empty folder of ours holds the new name first:
 * a rename replaces only an empty one.
 */
async function moveFolder(fs: ShareFs, from: FsPlace, to: FsPlace): Promise<boolean> {
  try {
    await fs.makeFolder(to);
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
  await fs.rename(from, to);
  return true;
}

/** @returns false when the name is taken, be it that somebody took it while a copy was made. */
async function moveIntoDrop(fs: ShareFs, from: FsPlace, to: FsPlace): Promise<boolean> {
  return await takePlace(fs, from, to, async file => {
    return file === from ? await renameUnderLock(fs, file, to) : await nameInDrop(fs, file, to);
  });
}

/**
 * Names a copy that lies in the drop folder, on the device of its new name: only between the original and
 * that name links are refused.
 * @returns false when something has that name: the copy is left where it is.
 */
export async function nameInDrop(fs: ShareFs, copy: FsPlace, to: FsPlace): Promise<boolean> {
  try {
    await fs.link(copy, to);
  } catch (error) {
    if (isTaken(error)) return false;
    if (!isLinkUnsupported(error)) throw error;
    return await renameUnderLock(fs, copy, to);
  }
  await unlinkIfThere(fs, copy);
  return true;
}

async function renameUnderLock(fs: ShareFs, from: FsPlace, to: FsPlace): Promise<boolean> {
  return await withFolderLock(fs, besides(to, MOVING), async lastLook => {
    if (await lastLook(isThere(fs, to))) return false;
    await fs.rename(from, to);
    return true;
  });
}

/** @returns false when the name is taken. */
async function moveWithPlaceholder(fs: ShareFs, from: FsPlace, to: Place): Promise<boolean> {
  try {
    await fs.writeNew(to, placeholderOf(from, to));
  } catch (error) {
    if (isTaken(error)) return await replacesPlaceholder(fs, from, to);
    throw error;
  }
  try {
    return await takePlaceholder(fs, from, to);
  } catch (error) {
    const isStillOwn = await isOwnPlaceholder(fs, from, to).catch(() => false);
    if (isStillOwn) await unlinkIfThere(fs, to);
    throw error;
  }
}

async function replacesPlaceholder(fs: ShareFs, from: FsPlace, to: Place): Promise<boolean> {
  if (!(await isOwnPlaceholder(fs, from, to)) || !(await isThere(fs, from))) return false;
  return await takePlaceholder(fs, from, to);
}

/** @returns false when the placeholder is there no more: somebody else has put a file in its place. */
async function takePlaceholder(fs: ShareFs, from: FsPlace, to: Place): Promise<boolean> {
  return await takePlace(fs, from, to, async file => {
    if (!(await isOwnPlaceholder(fs, from, to))) return false;
    await fs.rename(file, to);
    return true;
  });
}

/** Between devices it is a finished copy that is put in place. @returns false when the place is taken. */
async function takePlace(
  fs: ShareFs,
  from: FsPlace,
  to: FsPlace,
  putInPlace: (file: FsPlace) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await putInPlace(from);
  } catch (error) {
    if (troubleOf(error) !== 'other-device') throw error;
  }
  if ((await fs.look(from)).kind !== 'file') {
    throw new ShareError('file-refused', 'Only ordinary files can be moved to another device.');
  }
  const copy = besides(to, temporaryName());
  try {
    await fs.copyNew(from, copy);
    if (!(await putInPlace(copy))) {
      await unlinkIfThere(fs, copy);
      return false;
    }
  } catch (error) {
    await unlinkIfThere(fs, copy);
    throw error;
  }
  await fs.syncFolder(folderAround(to));
  await unlinkMoved(fs, from, to);
  return true;
}

/**
 * Only the placeholder of this very move may be replaced: behind that of another one its file may lie by now.
 * One that a crash has torn, or that an earlier version has left, names no move and stays.
 */
async function isOwnPlaceholder(fs: ShareFs, from: FsPlace, to: Place): Promise<boolean> {
  const own = placeholderOf(from, to);
  try {
    const facts = await fs.look(to);
    if (facts.kind !== 'file' || facts.sizeBytes !== own.length) return false;
    return (await fs.read(to, own.length)).toString('latin1') === own;
  } catch (error) {
    // A share that does not answer just now says nothing of whose it is.
    if (toShareError(error) !== undefined) throw error;
    return false;
  }
}

/**
 * Whether it is the placeholder of some move, also one that a crash has torn or that an earlier version has
 * left: such a one names no move, stays for good, and is nobody's document. An empty file counts as torn.
 */
export async function isAnyPlaceholder(fs: ShareFs, place: FsPlace, facts: FileFacts): Promise<boolean> {
  if (facts.kind !== 'file' || facts.sizeBytes > PLACEHOLDER_BYTES) return false;
  const text = (await ifThere(fs.read(place, PLACEHOLDER_BYTES)))?.toString('latin1');
  return text !== undefined && (text.startsWith(PLACEHOLDER) || PLACEHOLDER.startsWith(text));
}

/** The same for every host that repeats the move, wherever the share is mounted there. */
function placeholderOf(from: FsPlace, to: Place): string {
  const way = relative(shownAs(to.folder.path), shownAs(from)).replaceAll('\\', '/');
  return `${PLACEHOLDER} (${hash('sha256', way).slice(0, 16)})\n`;
}

/** A path by which nothing is opened, with one character for each of its bytes. */
function shownAs(place: FsPlace): string {
  if (place instanceof Place) return `${shownAs(place.folder.path)}/${shownAs(place.name)}`;
  return Buffer.from(place).toString('latin1');
}

async function isSameFile(fs: ShareFs, one: FsPlace, other: FsPlace): Promise<boolean> {
  try {
    const [first, second] = [await fs.look(one), await fs.look(other)];
    return first.identity === second.identity && first.kind === second.kind && first.links > 1;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/**
 * Whether another file has the old name by now. Inode numbers are not kept by all shares, so its size or time
 * must differ as well: the file would be there twice if its old name stayed.
 */
async function isAnother(fs: ShareFs, from: FsPlace, moved: FsPlace): Promise<boolean> {
  const [now, facts] = [await lookIfThere(fs, from), await lookIfThere(fs, moved)];
  if (now === undefined || facts === undefined || now.identity === facts.identity) return false;
  return now.sizeBytes !== facts.sizeBytes || now.mtimeNs !== facts.mtimeNs;
}

/** Makes certain that the old name is gone: the file would be there twice if it only seemed to be. */
async function unlinkMoved(fs: ShareFs, from: FsPlace, to: FsPlace): Promise<void> {
  try {
    await fs.unlink(from);
  } catch (error) {
    if (!isGone(error)) throw error;
    await requireMissing(fs, from, to);
  }
}
