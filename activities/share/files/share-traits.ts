// What the file system of a share can do and how it treats names, tried out with a file in our own folder
// that is gone when the answer is there.
import { join } from 'node:path';
import { isThere, unlinkIfThere } from './if-there';
import { type ShareFs, temporaryName } from './share-fs';
import { isLinkUnsupported } from './write-whole';

export interface ShareTraits {
  /** Without hard links files are moved by a placeholder that holds the name. */
  readonly hasLinks: boolean;
  /** Names that differ in case only are one. */
  readonly foldsCase: boolean;
  /** Names are one that write an accent and its letter as one character or as two. */
  readonly foldsAccents: boolean;
  /** How far the clock of the share is ahead of ours, at least and at most. */
  readonly clock: { readonly lowMs: number; readonly highMs: number };
}

/** @param own our own folder: nobody else takes files away there, and no watcher looks for new ones. */
export async function findTraits(fs: ShareFs, own: string, nowMs: () => number): Promise<ShareTraits> {
  const base = temporaryName();
  const [name, inCase, inTwo, linked] = ['A\u00e9', 'a\u00e9', 'Ae\u0301', 'link'].map(end =>
    join(own, `${base}-${end}`),
  ) as [string, string, string, string];
  const beforeMs = nowMs();
  try {
    await fs.writeNew(name, '.');
    const afterMs = nowMs();
    const writtenMs = Number((await fs.look(name)).mtimeNs / 1_000_000n);
    const foldsCase = await isThere(fs, inCase);
    const foldsAccents = await isThere(fs, inTwo);
    const hasLinks = await canLink(fs, name, linked);
    return {
      hasLinks,
      foldsCase,
      foldsAccents,
      clock: { lowMs: writtenMs - afterMs, highMs: writtenMs - beforeMs },
    };
  } finally {
    await unlinkIfThere(fs, linked);
    await unlinkIfThere(fs, name);
  }
}

async function canLink(fs: ShareFs, from: string, to: string): Promise<boolean> {
  try {
    await fs.link(from, to);
    return true;
  } catch (error) {
    if (isLinkUnsupported(error)) return false;
    throw error;
  }
}
