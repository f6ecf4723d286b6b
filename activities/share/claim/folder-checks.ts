// The two folders that a claim moves files between: both are held open while it does, so that
// neither can be exchanged under it.

import type { DropEntry } from '../drop/scan-drop';
import { openIfThere } from '../files/if-there';
import { parentOf } from '../files/open-folder';
import { folderOf, placeOf, type RelativePath } from '../files/relative-path';
import type { OpenFolder } from '../files/share-fs';
import type { BatchPaths, ShareLayout } from '../files/share-layout';
import { keyOf } from './claim-record';

export interface ClaimFolders {
  readonly drop: OpenFolder;
  readonly batch: OpenFolder;
  areInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * The two folders of one file. That in the batch is made when it is missing; undefined when that in the drop
 * folder is no real folder (any more).
 */
export async function openClaimFolders(
  layout: ShareLayout,
  paths: BatchPaths,
  entry: DropEntry,
): Promise<ClaimFolders | undefined> {
  const drop = await openIfThere(layout.fs, layout.root, parentOf(placeOf(layout.drop, entry)));
  if (drop === undefined) return undefined;
  try {
    const folder = parentOf(placeOf(paths.files, entry));
    const batch = await layout.fs.openFolder(layout.own, folder, { make: true });
    return {
      drop,
      batch,
      areInPlace: async () => (await drop.isInPlace()) && (await batch.isInPlace()),
      close: async () => {
        await drop.close();
        await batch.close();
      },
    };
  } catch (error) {
    await drop.close();
    throw error;
  }
}

/** Files of one folder are worked on through the same open folders, opened once for all of them. */
export function byFolder<File extends RelativePath>(files: readonly File[]): File[][] {
  const folders = new Map<string, File[]>();
  for (const file of files) {
    const folder = folderOf(keyOf(file));
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [file]);
    else known.push(file);
  }
  return [...folders.values()];
}
