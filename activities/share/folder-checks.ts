// Checks the folders that files are claimed from: they must be real folders inside the drop folder.
import { folderOf } from './drop-names';
import { type DropEntry, placeOf } from './scan-drop';
import { isGone } from './share-error';
import type { ShareFs } from './share-fs';
import { type BatchPaths, parentOf, type ShareLayout } from './share-layout';

/** Each folder of the drop is checked, and its counterpart in the batch made, once a claim. */
export class FolderChecks {
  readonly #fs: ShareFs;
  readonly #layout: ShareLayout;
  readonly #paths: BatchPaths;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(fs: ShareFs, layout: ShareLayout, paths: BatchPaths) {
    this.#fs = fs;
    this.#layout = layout;
    this.#paths = paths;
  }

  /** False when the folder is not, or no longer, a real folder inside the drop folder. */
  async prepare(entry: DropEntry): Promise<boolean> {
    const folder = entry.bytes === undefined ? folderOf(entry.path) : `/${entry.bytes.toString('latin1')}`;
    let known = this.#known.get(folder);
    if (known === undefined) {
      known = this.#prepare(entry);
      this.#known.set(folder, known);
    }
    return await known;
  }

  async #prepare(entry: DropEntry): Promise<boolean> {
    const source = parentOf(placeOf(this.#layout.drop, entry));
    try {
      // A folder that was swapped for a link must not let us take files from elsewhere.
      if (typeof source === 'string' && (await this.#fs.realpath(source)) !== source) return false;
      if ((await this.#fs.look(source)).kind !== 'folder') return false;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
    await this.#fs.makeFolder(parentOf(placeOf(this.#paths.files, entry)), { parents: true });
    return true;
  }
}
