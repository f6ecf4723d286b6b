// The folders that people make in the drop folder.
import { lastNameOf, parentOf } from '../files/open-folder';
import { placeOf } from '../files/relative-path';
import { Place } from '../files/share-fs';
import type { ShareLayout } from '../files/share-layout';

/** A mark that changes whenever something comes into or goes out of the folder; undefined when it is gone. */
export async function lookAtDropFolder({ fs, drop }: ShareLayout, path: string): Promise<bigint | undefined> {
  const facts = await fs.look(placeOf(drop, { path })).catch(() => undefined);
  return facts?.kind === 'folder' ? facts.mtimeNs : undefined;
}

/** False when it is not empty or not there. */
export async function removeDropFolder({ fs, root, drop }: ShareLayout, path: string): Promise<boolean> {
  try {
    const place = placeOf(drop, { path });
    const parent = await fs.openFolder(root, parentOf(place));
    try {
      await fs.removeFolder(new Place(parent, lastNameOf(place)));
    } finally {
      await parent.close();
    }
    return true;
  } catch {
    return false;
  }
}
