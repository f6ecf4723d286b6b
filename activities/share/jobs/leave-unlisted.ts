// Which files of a folder no row is about, where the share leaves such files in the drop folder.

import type { DropEntry } from '../drop/scan-drop';
import type { OnNotOurs } from '../files/own-marks';
import { toShareError } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import type { RegisterWords } from '../register/find-job-register';
import { findInDrop } from '../register/look-in-drop';
import { matchPart } from '../register/match-part';
import { findJobOfFolder } from './job-book';
import { openJobPaths } from './job-record';
import type { KeptRegisters } from './kept-register';
import { noteLeft, readLeft } from './left-files';
import { listRowsTaken } from './rows-taken';

export interface LeaveDeps {
  readonly words: RegisterWords;
  readonly kept: KeptRegisters;
  readonly now: Date;
  readonly onNotOurs: OnNotOurs;
}

/**
 * Finds the files that no row is about, and notes them before anything of the folder is claimed.
 * @param entries what is in sight below the top folder; the others of it stay noted as they are.
 * @returns paths below the drop folder.
 */
export async function leaveUnlisted(
  layout: ShareLayout,
  top: string,
  entries: readonly DropEntry[],
  deps: LeaveDeps,
): Promise<readonly string[]> {
  // Loose files have a register within their batch alone.
  if (top === '') return [];
  try {
    const within = top.length + 1;
    const inSight = entries.flatMap(({ path, bytes }) => (bytes === undefined ? [path.slice(within)] : []));
    const noted = await readLeft(layout, top, deps.onNotOurs);
    const stay = await findUnlisted(layout, top, entries, inSight, noted, deps);
    const isInSight = new Set(inSight);
    const others = [...noted].filter(path => !isInSight.has(path));
    // Nothing of what was noted is there any more: whatever has those names next is something else.
    const isGone = stay.length === 0 && others.length === noted.size;
    await noteLeft(layout, top, noted, new Set(isGone ? [] : [...others, ...stay]));
    return stay.map(path => `${top}/${path}`);
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}

async function findUnlisted(
  layout: ShareLayout,
  top: string,
  entries: readonly DropEntry[],
  inSight: readonly string[],
  noted: ReadonlySet<string>,
  { words, kept, now, onNotOurs }: LeaveDeps,
): Promise<readonly string[]> {
  const found = await findInDrop(layout, words, top, entries);
  if (found.kind === 'register') return found.matches.unlisted;
  const still = inSight.filter(path => noted.has(path));
  // A register that cannot be used is set apart with its files; as it lists nothing, those noted before stay.
  if (found.kind === 'faulty') return still;
  const open = await findJobOfFolder(layout, top, now, onNotOurs);
  if (open?.register === undefined) return still;
  const paths = openJobPaths(layout, open.jobId);
  const { register } = await kept.read(layout, paths, open.register);
  const listTaken = async () => await listRowsTaken(layout, paths, '');
  return (await matchPart(register, open.register, inSight, top, listTaken)).unlisted;
}
