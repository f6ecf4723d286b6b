// A file that was given back has two names when the process died between making the new one and removing the
// old one. Claimed anew under the new name, it must not be taken for a file that somebody else has linked;
// nor may one that somebody has linked be taken out of the claim that has its other name.
import { isThere, lookIfThere, openIfThere, unlinkIfThere } from '../files/if-there';
import { withSuffix } from '../files/move-file';
import { lastNameOf, parentOf } from '../files/open-folder';
import { placeOf, type RelativePath } from '../files/relative-path';
import { type FileFacts, type FsPath, type FsPlace, Place } from '../files/share-fs';
import { type BatchPaths, listBatchIds, openBatchPaths, type ShareLayout } from '../files/share-layout';
import { judgeOwner, readOwner } from './claim-owner';
import { keyOf, readWanted, toName } from './claim-record';

interface Twin {
  /** Of its path in the claim, as in the drop folder. */
  readonly key: string;
  readonly path: FsPath;
}

/** Finds the old names that are left in other claims; made for one claim, and searches once for all of it. */
export class Twins {
  readonly #layout: ShareLayout;
  readonly #own: BatchPaths;
  #found: Promise<ReadonlyMap<string, readonly Twin[]>> | undefined;

  constructor(layout: ShareLayout, own: BatchPaths) {
    this.#layout = layout;
    this.#own = own;
  }

  /** Removes the old name of a file from the claim that it was left in. @returns what it looks like then. */
  async end(file: RelativePath, place: FsPlace, facts: FileFacts): Promise<FileFacts> {
    const { fs } = this.#layout;
    this.#found ??= this.#find();
    for (const { key, path } of (await this.#found).get(facts.identity) ?? []) {
      if (!mayBeGivenBackAs(key, keyOf(file))) continue;
      await this.#at(path, async twin => {
        if ((await lookIfThere(fs, twin))?.identity === facts.identity) await unlinkIfThere(fs, twin);
      });
    }
    return await fs.look(place);
  }

  /** By identity. Only a claim without a manifest gives back, and only what it noted that it would take. */
  async #find(): Promise<ReadonlyMap<string, readonly Twin[]>> {
    const { fs, batches } = this.#layout;
    const found = new Map<string, Twin[]>();
    for (const batchId of await listBatchIds(fs, batches)) {
      const paths = openBatchPaths(this.#layout, batchId);
      if (paths.folder === this.#own.folder || (await isThere(fs, paths.manifest))) continue;
      // What is at work here ends its give-backs itself; a file that it has described must not go.
      const owner = await readOwner(paths);
      if (owner !== undefined && judgeOwner(owner) === 'alive') continue;
      for (const key of (await readWanted(paths)).files.keys()) {
        const path = placeOf(paths.files, toName(key));
        const facts = await this.#at(path, async twin => await lookIfThere(fs, twin));
        if (facts === undefined) continue;
        found.set(facts.identity, [...(found.get(facts.identity) ?? []), { key, path }]);
      }
    }
    return found;
  }

  /** In its folder, held open: nothing is removed where a link leads. Undefined when there is no folder. */
  async #at<T>(path: FsPath, work: (twin: Place) => Promise<T>): Promise<T | undefined> {
    const folder = await openIfThere(this.#layout.fs, this.#layout.root, parentOf(path));
    if (folder === undefined) return undefined;
    try {
      return await work(new Place(folder, lastNameOf(path)));
    } finally {
      await folder.close();
    }
  }
}

/** Pure. It goes to its own folder, or to one above where that is gone; where its name is taken, numbered. */
function mayBeGivenBackAs(claimed: string, dropped: string): boolean {
  const nameAt = dropped.lastIndexOf('/') + 1;
  if (!claimed.startsWith(dropped.slice(0, nameAt))) return false;
  const [own, name] = [claimed.slice(claimed.lastIndexOf('/') + 1), dropped.slice(nameAt)];
  const numbers = [...name.matchAll(/ \((\d{1,5})\)/g)].map(([, digits]) => Number(digits));
  return [1, ...numbers].some(number => {
    return withSuffix(Buffer.from(own, 'latin1'), number).toString('latin1') === name;
  });
}
