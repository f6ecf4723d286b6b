// What a claim took and is not what it had noted, where folders cannot be held: a link that was there for a
// moment may have led it to a file that nobody dropped. In the drop folder that one would be carried in, so
// it is kept where nothing is, for an operator to look at.
import { join } from 'node:path';
import { ifThere } from '../files/if-there';
import { moveFile } from '../files/move-file';
import { lastNameOf, parentOf } from '../files/open-folder';
import { placeOf, type RelativePath } from '../files/relative-path';
import { type FileFacts, Place } from '../files/share-fs';
import { type BatchPaths, listBatchIds, type ShareLayout } from '../files/share-layout';
import type { WantedFile } from './claim-record';

/** Called with each file that is kept so; its folder is told by the id of its batch. */
export type OnMistaken = (batchId: string, file: RelativePath) => void;

/**
 * Whether what was taken, and is not as it was noted, is a file of the drop folder all the same: where
 * folders are held, nothing else can be taken; where they are not, the very file that was seen there.
 */
export function isOfDrop({ fs }: ShareLayout, facts: FileFacts, wanted: WantedFile | undefined): boolean {
  if (fs.holdsFolders) return true;
  return wanted !== undefined && wanted.identity !== '' && wanted.identity === facts.identity;
}

/** Moves it out of its batch; never over another one. */
export async function keepMistaken(
  layout: ShareLayout,
  paths: BatchPaths,
  file: RelativePath,
  onMistaken: OnMistaken,
): Promise<void> {
  const { fs, root, own } = layout;
  const taken = placeOf(paths.files, file);
  const from = await ifThere(fs.openFolder(root, parentOf(taken)));
  if (from === undefined) return;
  try {
    const kept = placeOf(join(mistakenFolder(own), paths.batchId), file);
    const to = await fs.openFolder(own, parentOf(kept), { make: true });
    try {
      await moveFile(fs, new Place(from, lastNameOf(taken)), new Place(to, lastNameOf(kept)));
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
  onMistaken(paths.batchId, file);
}

/** The batches that something was taken for by mistake, and is kept still; in order of their claims. */
export async function listMistaken({ fs, own }: ShareLayout): Promise<readonly string[]> {
  return (await ifThere(listBatchIds(fs, mistakenFolder(own)))) ?? [];
}

function mistakenFolder(own: string): string {
  return join(own, 'mistaken');
}
