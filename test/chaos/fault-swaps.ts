// Ids that changed places in the answer to Step 4: the stand-in tells uploads by the file name of that step,
// so a fault meant for one document strikes the one that lies under its upload.
import { nameOf } from './judge-documents';
import type { DroppedFile, Evidence } from './judge-evidence';

/**
 * The dropped files; one that ever lay under another one's upload is called healthy only if that one
 * is, too, and one that was given an id that nobody has made is not: an id too many and one too few in
 * the same answer come out even.
 */
export function withSwaps({ dropped, uploads, share }: Evidence): readonly DroppedFile[] {
  const stepFourName = new Map(uploads.map(({ id, fileName }) => [id, fileName]));
  const lentBy = new Map<string, Set<string>>();
  const misled = new Set<string>();
  for (const { manifest, journal } of share.batches) {
    const pathOf = new Map(manifest?.files.map(({ index, path }) => [index, path]));
    for (const { record } of journal) {
      if (record.kind !== 'created') continue;
      for (const { index, uploadId } of record.uploads) {
        const path = pathOf.get(index);
        const name = stepFourName.get(uploadId);
        if (path === undefined || name === nameOf(path)) continue;
        if (name === undefined) {
          misled.add(path);
          continue;
        }
        lentBy.set(path, (lentBy.get(path) ?? new Set()).add(name));
      }
    }
  }
  const sick = new Set(dropped.flatMap(file => (file.healthy === true ? [] : [nameOf(file.path)])));
  return dropped.map(file => {
    const isStruck = misled.has(file.path) || [...(lentBy.get(file.path) ?? [])].some(name => sick.has(name));
    return isStruck ? { ...file, healthy: false } : file;
  });
}
