// What lies in the drop folder of a share, by the folders at its top. Walked again when a folder of it has
// changed; a file that grows is no news.
import { sheetFormatOf } from '../../../activities/registers/sheet/read-sheet';
import type { DropEntry } from '../../../activities/share/drop/scan-drop';
import { topOf } from '../../../activities/share/files/relative-path';
import type { DropRegister } from '../../../activities/share/register/look-in-drop';
import type { DropFolder, DropRegisters } from '../../../activities/share/share';

export interface DroppedTop {
  /** A folder at the top of the drop; '' for loose files. */
  readonly top: string;
  /** Below the drop folder. */
  readonly paths: readonly string[];
  /** When something came into it last, as its file system says it. */
  readonly changedMs: number;
  /** What its register lists that is not there; undefined without one that can be read. */
  readonly register: Pick<DropRegister, 'path' | 'awaited'> | undefined;
}

type Drop = Pick<DropFolder, 'scan' | 'look' | 'lookAtFolder'> & Pick<DropRegisters, 'lookForRegister'>;

/** At most so many files are known by name. */
const MOST_FILES = 50_000;
/** A register is read of folders of so many files at most. */
const MOST_LISTED = 6_000;
/** Times of a share may be no finer than this: what changed so shortly before is walked again. */
const SURELY_MS = 2_000;

export class DropLook {
  readonly #drop: Drop;
  readonly #nowMs: () => number;
  /** When each folder changed, in ns. */
  #folders = new Map<string, bigint>();
  #walkedMs = Number.NEGATIVE_INFINITY;
  #tops: readonly DroppedTop[] = [];

  constructor(drop: Drop, nowMs: () => number) {
    this.#drop = drop;
    this.#nowMs = nowMs;
  }

  /** @returns the same value while nothing has changed. */
  async look(): Promise<readonly DroppedTop[]> {
    if (await this.#isAsItWas()) return this.#tops;
    const walkedMs = this.#nowMs();
    const folders = new Map<string, bigint>();
    const byTop = new Map<string, string[]>();
    let files = 0;
    const entered: string[] = [];
    for await (const { path } of this.#drop.scan({ onFolder: folder => entered.push(folder) })) {
      if (++files > MOST_FILES) break;
      const top = topOf(path);
      const paths = byTop.get(top) ?? [];
      byTop.set(top, paths);
      paths.push(path);
    }
    for (const folder of entered) folders.set(folder, (await this.#changedAt(folder)) ?? 0n);
    const tops = await this.#describe(byTop, folders);
    this.#folders = folders;
    this.#walkedMs = walkedMs;
    if (JSON.stringify(tops) !== JSON.stringify(this.#tops)) this.#tops = tops;
    return this.#tops;
  }

  async #isAsItWas(): Promise<boolean> {
    if (this.#folders.size === 0) return false;
    const latestMs = latestOf(this.#folders.values());
    if (this.#walkedMs - latestMs < SURELY_MS && this.#nowMs() - latestMs < 2 * SURELY_MS) return false;
    for (const [folder, before] of this.#folders) {
      if ((await this.#changedAt(folder)) !== before) return false;
    }
    return true;
  }

  async #changedAt(folder: string): Promise<bigint | undefined> {
    return await this.#drop.lookAtFolder(folder);
  }

  async #describe(
    byTop: ReadonlyMap<string, readonly string[]>,
    folders: ReadonlyMap<string, bigint>,
  ): Promise<readonly DroppedTop[]> {
    const before = new Map(this.#tops.map(one => [one.top, one]));
    const tops: DroppedTop[] = [];
    for (const [top, paths] of byTop) {
      const inner = [...folders].filter(([folder]) => folder === top || folder.startsWith(`${top}/`));
      const own = top === '' ? [folders.get('') ?? 0n] : inner.map(([, changed]) => changed);
      const changedMs = latestOf(own);
      const known = before.get(top);
      const isSame = known?.changedMs === changedMs && known.paths.length === paths.length;
      const register = isSame ? known.register : await this.#findRegister(top, paths);
      tops.push({ top, paths, changedMs, register });
    }
    return tops;
  }

  async #findRegister(top: string, paths: readonly string[]): Promise<DroppedTop['register']> {
    if (top === '' || paths.length > MOST_LISTED || !paths.some(path => sheetFormatOf(path) !== undefined)) {
      return undefined;
    }
    const entries: DropEntry[] = [];
    for (const path of paths) {
      const entry = await this.#drop.look({ path });
      if (entry !== undefined) entries.push(entry);
    }
    // One that is being saved says nothing yet.
    const register = await this.#drop.lookForRegister(top, entries).catch(() => undefined);
    return register === 'busy' ? undefined : register;
  }
}

/** The latest of these times in ns, as ms. */
function latestOf(times: Iterable<bigint>): number {
  let latestMs = 0;
  for (const time of times) latestMs = Math.max(latestMs, Number(time / 1_000_000n));
  return latestMs;
}
