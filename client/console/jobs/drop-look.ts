// What lies in the drop folder of a share, by the folders at its top. Walked again when a folder of it has
// changed; a register is read again when it has. Any other file that grows is no news.
import type { RegisterNames } from '../../../activities/registers/register-name';
import { sheetFormatOf } from '../../../activities/registers/sheet/read-sheet';
import type { DropEntry } from '../../../activities/share/drop/scan-drop';
import { topOf } from '../../../activities/share/files/relative-path';
import { throwIfOfShare } from '../../../activities/share/files/share-error';
import { countsAmong } from '../../../activities/share/register/find-job-register';
import type { DropRegister } from '../../../activities/share/register/look-in-drop';
import { registerWordsOf } from '../../../activities/share/register/register-words';
import type { Share } from '../../../activities/share/share';

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

type Drop = Pick<Share, 'config' | 'scan' | 'look' | 'lookAtFolder' | 'lookForRegister'>;

/** A top folder as it was walked: the same value until another walk finds another one. */
interface Walked extends Omit<DroppedTop, 'register'> {
  /** The paths as one text. */
  readonly names: string;
}

/** What was read of the register of a top folder. */
interface Read {
  /** The names that were there. */
  readonly names: string;
  /** The sheets that it was read from, or that may yet be it, with what they looked like before that. */
  readonly sheets: ReadonlyMap<string, string>;
  readonly register: DroppedTop['register'];
  /** Of one that cannot be read just now: how long it is left alone, unless it changes, and until when. */
  readonly pause: { readonly ms: number; readonly untilMs: number } | undefined;
}

/** At most so many files are known by name. */
const MOST_FILES = 50_000;
/** A register is read of folders of so many files at most. */
const MOST_LISTED = 6_000;
/** Without a register so many sheets are watched, each of which may become it: no more are ever opened. */
const MOST_WATCHED = 5;
/** Times of a share may be no finer than this: what was seen so shortly before is walked again. */
const SURELY_MS = 2_000;
/** Each pause of a register that cannot be read is twice as long as the one before. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

export class DropLook {
  readonly #drop: Drop;
  readonly #nowMs: () => number;
  readonly #isNamed: RegisterNames;
  /** When each folder changed, in ns. */
  #folders = new Map<string, bigint>();
  /** By our own clock, which may not be the share's: when they were seen so first, and walked last. */
  #sinceMs = 0;
  #walkedMs = Number.NEGATIVE_INFINITY;
  #walked: readonly Walked[] = [];
  #read = new Map<string, Read>();
  #tops: readonly DroppedTop[] = [];

  constructor(drop: Drop, nowMs: () => number) {
    this.#drop = drop;
    this.#nowMs = nowMs;
    this.#isNamed = registerWordsOf(drop.config).isNamed;
  }

  /** @returns the same value while nothing has changed. */
  async look(): Promise<readonly DroppedTop[]> {
    if (!(await this.#isAsItWas())) await this.#walk();
    const read = new Map<string, Read>();
    for (const walked of this.#walked) read.set(walked.top, await this.#readAgain(walked));
    const isSame = (one: DroppedTop, at: number) => {
      const before = this.#tops[at];
      return before?.paths === one.paths && before.register === one.register;
    };
    const tops = this.#walked.map(({ top, paths, changedMs }) => ({
      top,
      paths,
      changedMs,
      register: read.get(top)?.register,
    }));
    this.#read = read;
    if (tops.length !== this.#tops.length || !tops.every(isSame)) this.#tops = tops;
    return this.#tops;
  }

  async #isAsItWas(): Promise<boolean> {
    // What came into a folder after it was walked, and before its time was read, shows in no later time.
    if (this.#walkedMs - this.#sinceMs <= SURELY_MS) return false;
    for (const [folder, before] of this.#folders) {
      if ((await this.#changedAt(folder)) !== before) return false;
    }
    return true;
  }

  async #changedAt(folder: string): Promise<bigint> {
    return (await this.#drop.lookAtFolder(folder)) ?? 0n;
  }

  async #walk(): Promise<void> {
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
    for (const folder of entered) folders.set(folder, await this.#changedAt(folder));
    const isSeenSo = ([folder, changed]: [string, bigint]) => this.#folders.get(folder) === changed;
    if (folders.size !== this.#folders.size || ![...folders].every(isSeenSo)) this.#sinceMs = this.#nowMs();
    this.#folders = folders;
    this.#walkedMs = walkedMs;
    const before = new Map(this.#walked.map(one => [one.top, one]));
    this.#walked = [...byTop].map(([top, paths]) => {
      const inner = [...folders].filter(([folder]) => folder === top || folder.startsWith(`${top}/`));
      const own = top === '' ? [folders.get('') ?? 0n] : inner.map(([, changed]) => changed);
      const changedMs = latestOf(own);
      const names = paths.join('\n');
      const known = before.get(top);
      return known?.names === names && known.changedMs === changedMs
        ? known
        : { top, paths, changedMs, names };
    });
  }

  /** What was read before, as long as neither the names nor the sheets that count have changed. */
  async #readAgain(walked: Walked): Promise<Read> {
    const before = this.#read.get(walked.top);
    if (before?.names !== walked.names) return await this.#readRegister(walked, undefined);
    for (const [path, mark] of before.sheets) {
      const hasChanged = (await this.#lookAt(path)).mark !== mark;
      if (hasChanged) return await this.#readRegister(walked, { ...before, pause: undefined });
    }
    const { pause } = before;
    if (pause === undefined || this.#nowMs() < pause.untilMs) return before;
    return await this.#readRegister(walked, before);
  }

  async #readRegister({ top, paths, names }: Walked, before: Read | undefined): Promise<Read> {
    const nothing = { names, sheets: new Map<string, string>(), register: undefined, pause: undefined };
    if (top === '' || paths.length > MOST_LISTED || !paths.some(path => sheetFormatOf(path) !== undefined)) {
      return nothing;
    }
    const entries: DropEntry[] = [];
    const marks = new Map<string, string>();
    for (const path of paths) {
      const { entry, mark } = await this.#lookAt(path);
      if (entry !== undefined) entries.push(entry);
      marks.set(path, mark);
    }
    const watched = (some: readonly string[]) => new Map(some.map(path => [path, marks.get(path) ?? '']));
    const found = await this.#drop.lookForRegister(top, entries).catch(() => 'busy' as const);
    if (found === undefined) return { ...nothing, sheets: watched(this.#mayBeRegister(top, paths)) };
    if (found === 'busy') {
      // One that is being saved says nothing yet: what it said before of the same files stands.
      const ms = Math.min(2 * (before?.pause?.ms ?? FIRST_PAUSE_MS / 2), LONGEST_PAUSE_MS);
      const pause = { ms, untilMs: this.#nowMs() + ms };
      const sheets = watched(this.#mayBeRegister(top, paths));
      return { names, sheets, register: before?.register, pause };
    }
    const read = { path: found.path, awaited: found.awaited };
    const isSame = JSON.stringify(read) === JSON.stringify(before?.register);
    return {
      names,
      sheets: watched([read.path]),
      register: isSame ? before?.register : read,
      pause: undefined,
    };
  }

  /** Sheets of a folder that may be its register, or become it: those that are opened, and few more. */
  #mayBeRegister(top: string, paths: readonly string[]): readonly string[] {
    const worthOf = (path: string) => countsAmong(this.#isNamed, path.slice(top.length + 1));
    return paths
      .filter(path => sheetFormatOf(path) !== undefined && worthOf(path) > 0)
      .sort((one, other) => worthOf(other) - worthOf(one) || depthOf(one) - depthOf(other))
      .slice(0, MOST_WATCHED);
  }

  /** @throws ShareError where the whole share has trouble. */
  async #lookAt(path: string): Promise<{ readonly entry: DropEntry | undefined; readonly mark: string }> {
    const entry = await this.#drop.look({ path }).catch(throwIfOfShare);
    return { entry: entry ?? undefined, mark: entry ? `${entry.sizeBytes} ${entry.mtimeNs}` : '' };
  }
}

function depthOf(path: string): number {
  return path.split('/').length;
}

/** The latest of these times in ns, as ms. */
function latestOf(times: Iterable<bigint>): number {
  let latestMs = 0;
  for (const time of times) latestMs = Math.max(latestMs, Number(time / 1_000_000n));
  return latestMs;
}
