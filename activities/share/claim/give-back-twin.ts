// A file that was given back has two names when its giver died between making the new one and removing the
// old one. Claimed anew under the new one it is not to be taken for a file that others have linked.
import { isThere, lookIfThere, unlinkIfThere } from '../files/if-there';
import { listOwnFiles } from '../files/own-files';
import { placeOf } from '../files/relative-path';
import type { FileFacts, FsPlace } from '../files/share-fs';
import { type BatchPaths, listBatchIds, openBatchPaths, type ShareLayout } from '../files/share-layout';

/** Removes the old name from the claim that it was left in. @returns what the file looks like after that. */
export async function endTwin(
  layout: ShareLayout,
  own: BatchPaths,
  place: FsPlace,
  facts: FileFacts,
): Promise<FileFacts> {
  const { fs } = layout;
  for (const batchId of await listBatchIds(fs, layout.batches)) {
    const paths = openBatchPaths(layout, batchId);
    // Only a claim without a manifest gives back; what is in a manifest stays where it is.
    if (paths.folder === own.folder || (await isThere(fs, paths.manifest))) continue;
    for await (const name of listOwnFiles(fs, layout.root, paths.files)) {
      const twin = placeOf(paths.files, name);
      const found = await lookIfThere(fs, twin);
      if (found?.identity === facts.identity) await unlinkIfThere(fs, twin);
    }
  }
  return await fs.look(place);
}
