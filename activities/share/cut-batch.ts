// Cuts what has settled into batches: by count, by bytes, and, when nothing new comes any more, what is left. Pure.
import { comparePaths, folderOf } from './drop-names';

export interface CutEntry {
  readonly path: string;
  readonly sizeBytes: number;
}

export interface CutLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/**
 * Path order throughout. Files of one folder stay together unless that would leave a batch less than half full. A file
 * larger than the limit of bytes travels alone.
 * @param isQuiet nothing new came for the quiet time: also what does not fill a batch is cut.
 */
export function cutBatches<Entry extends CutEntry>(
  entries: readonly Entry[],
  limits: CutLimits,
  isQuiet: boolean,
): { readonly batches: Entry[][]; readonly rest: Entry[] } {
  const batches: Entry[][] = [];
  let current: Entry[] = [];
  let bytes = 0;
  const close = () => {
    if (current.length > 0) batches.push(current);
    current = [];
    bytes = 0;
  };
  const hasRoom = (files: number, sizeBytes: number) =>
    current.length + files <= limits.maxFiles &&
    (current.length === 0 || bytes + sizeBytes <= limits.maxBytes);

  for (const folder of byFolder(entries)) {
    const folderBytes = folder.reduce((sum, entry) => sum + entry.sizeBytes, 0);
    const isHalfFull = current.length * 2 >= limits.maxFiles || bytes * 2 >= limits.maxBytes;
    if (!hasRoom(folder.length, folderBytes) && isHalfFull) close();
    for (const entry of folder) {
      if (!hasRoom(1, entry.sizeBytes)) close();
      current.push(entry);
      bytes += entry.sizeBytes;
    }
  }
  const isFull = current.length >= limits.maxFiles || bytes >= limits.maxBytes;
  if (isQuiet || isFull) close();
  return { batches, rest: current };
}

function byFolder<Entry extends CutEntry>(entries: readonly Entry[]): Entry[][] {
  const folders = new Map<string, Entry[]>();
  for (const entry of entries) {
    const folder = folderOf(entry.path);
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [entry]);
    else known.push(entry);
  }
  return [...folders]
    .sort(([one], [other]) => comparePaths(one, other))
    .map(([, files]) => files.sort((one, other) => comparePaths(one.path, other.path)));
}
