// Removes sub-folders of the drop that our claims have emptied: only when empty, only when files were
// claimed from them, and only when nobody has touched them for a while. People who sort their files
// into folders find the drop tidy.
import { folderOf } from '../../activities/share/files/relative-path';
import type { DropFolder } from '../../activities/share/share';

const MAX_FOLDERS = 10_000;
/** Folders looked at in one round. */
const ROUND = 200;

interface Candidate {
  mtimeNs: bigint | undefined;
  sinceMs: number;
}

export class EmptiedFolders {
  readonly #share: DropFolder;
  readonly #untouchedMs: number;
  readonly #nowMs: () => number;
  readonly #candidates = new Map<string, Candidate>();

  constructor(share: DropFolder, untouchedMs: number, nowMs: () => number) {
    this.#share = share;
    this.#untouchedMs = untouchedMs;
    this.#nowMs = nowMs;
  }

  /** A file was claimed from here. */
  noteClaim(path: string): void {
    this.#add(folderOf(path));
  }

  /** A job that is closed has left this folder behind: if it is empty, it is nobody's. */
  noteLeft(folder: string): void {
    this.#add(folder);
  }

  async sweep(): Promise<void> {
    for (const [folder, candidate] of [...this.#candidates].slice(0, ROUND)) {
      // Those not yet done go to the end of the line.
      this.#candidates.delete(folder);
      const mtimeNs = await this.#share.lookAtFolder(folder);
      if (mtimeNs === undefined) continue;
      const nowMs = this.#nowMs();
      if (candidate.mtimeNs !== mtimeNs) this.#candidates.set(folder, { mtimeNs, sinceMs: nowMs });
      else if (nowMs - candidate.sinceMs < this.#untouchedMs) this.#candidates.set(folder, candidate);
      // A folder that is not empty is somebody's: it is asked for again when
      // the next file is claimed from it.
      else if (await this.#share.removeEmptyFolder(folder)) this.#add(folderOf(folder));
    }
  }

  #add(folder: string): void {
    if (folder === '' || this.#candidates.size >= MAX_FOLDERS) return;
    this.#candidates.set(folder, { mtimeNs: undefined, sinceMs: this.#nowMs() });
  }
}
