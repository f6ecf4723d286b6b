// When a job is whole, and in which order its files go. A top folder of the drop is one job: nothing of it
// goes until nothing in it has changed for the quiet time, until its register has all its files, or until a
// person has put a marker there. Then what it holds is one portion, in natural order or in that of the
// register, and what comes after that is the next one. Loose files wait for each other as long as it takes
// to fill a batch.
import { IncidentLog } from '../../activities/host/incident-log';
import { compareNatural } from '../../activities/registers/natural-order';
import type { SettledEntry, SettledTop } from '../../activities/share/drop/settled-tops';
import { describeTrouble } from '../../activities/share/files/share-error';
import { type CutLimits, cutJob } from '../../activities/share/jobs/cut-job';
import type { ReadyJob } from './cut-jobs';

/**
 * However steadily loose files trickle in, one that has settled waits for company no
 * longer than so many quiet times.
 */
const MOST_QUIET_TIMES = 10;
/** The same for a folder, where a large delivery may be copied for minutes. */
const MOST_QUIET_TIMES_OF_A_FOLDER = 200;
/** Loose files that came within the same minute count as equally old: then their names decide. */
const SAME_AGE_MS = 60_000;
/** While a register is waited for, it is asked again after this. */
const ASK_AGAIN_MS = 1_000;
/** A folder that there is trouble with is tried again after this. */
const TRY_AGAIN_MS = 10_000;

/** What the register of a job says of its files. */
export interface RegisterOfJob {
  /**
   * `now`: all its files are there. `not-yet`: others are waited for. `when-quiet`: when nothing moves any
   * more. `as-without`: there is none, or no more.
   */
  readonly begins: 'now' | 'not-yet' | 'when-quiet' | 'as-without';
  /** Its own path below the drop folder; the first of `order`. */
  readonly register?: string;
  /** Paths below the drop folder in the order of its rows; files without a row follow in natural order. */
  readonly order: readonly string[];
  /** Paths below the drop folder that stay where they are. */
  readonly stay: readonly string[];
}

/** The port to whoever reads registers. */
export interface JobRegister {
  /**
   * Asked of a top folder whose files have all settled; undefined where it has no register. It is asked
   * again and again: what was read is to be remembered by what the files look like.
   * @param isMarked a person has said that nothing more will come.
   */
  look(top: string, files: readonly SettledEntry[], isMarked: boolean): Promise<RegisterOfJob | undefined>;
  /** Forgets all folders but these: the others are gone. */
  keepOnly(tops: ReadonlyMap<string, unknown>): void;
}

/** The port to whoever knows sheets that people have corrected and dropped by themselves. */
export interface DroppedSheets {
  /**
   * The paths of those files that are such sheets, out of files that would go together. Each is moved to its
   * own job once nothing more comes to them (`isQuiet`).
   */
  takeUp(files: readonly SettledEntry[], isQuiet: boolean): Promise<ReadonlySet<string>>;
}

/** The port to whoever knows the names of a top folder that there was no room for. */
export interface OutOfSight {
  /** Whether the last scan left something of it. */
  isCutShort(top: string): boolean;
  /** Whether its register is in sight, if it was there at `sinceMs`. It is asked again and again. */
  mayBegin(top: string, sinceMs: number, isMarked: boolean): boolean;
  noteBegun(top: string): void;
}

export interface WholeJobsOptions {
  readonly limits: CutLimits;
  readonly quietMs: number;
  /** Whether a person has put the marker into this top folder. */
  readonly isMarked: (top: string) => boolean;
  readonly register?: JobRegister | undefined;
  readonly sheets?: DroppedSheets | undefined;
  readonly outOfSight?: OutOfSight | undefined;
  /** Told once of trouble that keeps a top folder from going; all others go on. */
  readonly onTrouble?: ((top: string, why: string, error: unknown) => void) | undefined;
}

const NOTHING: ReadonlySet<string> = new Set();

export interface Portion {
  /** By path: its place in the order. */
  readonly places: ReadonlyMap<string, number>;
  /** The path of the register, which the job keeps. */
  readonly register?: string | undefined;
}

export class WholeJobs {
  readonly #options: WholeJobsOptions;
  /** By top folder: what of it may go, by path, with its place in the order. */
  readonly #portions = new Map<string, Portion>();
  /** By top folder: paths that stay there. */
  readonly #staying = new Map<string, ReadonlySet<string>>();
  /** The last result for each: most folders are as they were when the next batch is cut. */
  readonly #ready = new WeakMap<
    SettledTop,
    { readonly portion: Portion; readonly job: ReadyJob<SettledEntry> }
  >();

  /** Until when one need not be looked at again, unless something of it changes or it is marked. */
  readonly #waits = new WeakMap<SettledTop, { readonly isMarked: boolean; readonly untilMs: number }>();

  /** By top folder. */
  readonly #incidents = new IncidentLog();

  constructor(options: WholeJobsOptions) {
    this.#options = options;
  }

  /** What may be cut of what has settled, and when to ask again at the latest. */
  async ready(
    tops: ReadonlyMap<string, SettledTop>,
    nowMs: number,
  ): Promise<{ readonly jobs: ReadyJob<SettledEntry>[]; readonly askAgainMs: number }> {
    const jobs: ReadyJob<SettledEntry>[] = [];
    let askAgainMs = Number.POSITIVE_INFINITY;
    for (const known of [this.#portions, this.#staying]) {
      for (const top of known.keys()) if (!tops.has(top)) known.delete(top);
    }
    this.#incidents.keepOnly(new Set(tops.keys()));
    this.#options.register?.keepOnly(tops);
    for (const [top, settled] of tops) {
      // What came since its portion was made waits until that is through: else files whose names come
      // first could keep the others waiting for ever.
      let job = this.#jobOf(top, settled);
      if (job === undefined) {
        const isMarked = this.#options.isMarked(top);
        const wait = this.#waits.get(settled);
        if (wait?.isMarked === isMarked && nowMs < wait.untilMs) {
          askAgainMs = Math.min(askAgainMs, wait.untilMs);
          continue;
        }
        this.#portions.delete(top);
        const begun = await this.#tryToBegin(top, settled, nowMs);
        if (typeof begun === 'number') {
          askAgainMs = Math.min(askAgainMs, begun);
          if (Number.isFinite(begun)) this.#waits.set(settled, { isMarked, untilMs: begun });
        } else {
          this.#portions.set(top, begun);
          this.#options.outOfSight?.noteBegun(top);
        }
        job = this.#jobOf(top, settled);
      }
      if (job !== undefined) jobs.push(job);
    }
    return { jobs, askAgainMs };
  }

  /** What of a top folder goes together just now. What comes later has a portion of its own. */
  portionOf(top: string): Portion | undefined {
    return this.#portions.get(top);
  }

  /** What of a top folder is not to be claimed, for no register lists it. */
  stayingOf(top: string): ReadonlySet<string> {
    return this.#staying.get(top) ?? NOTHING;
  }

  /** Forgets the portion of a top folder: what is left of it settles anew. */
  forget(top: string): void {
    this.#portions.delete(top);
  }

  /** What of it belongs to its portion; undefined when there is none, or nothing of it is left. */
  #jobOf(top: string, settled: SettledTop): ReadyJob<SettledEntry> | undefined {
    const portion = this.#portions.get(top);
    if (portion === undefined) return undefined;
    const known = this.#ready.get(settled);
    if (known?.portion === portion) return known.job;
    const entries = inOrder(settled.entries, portion.places);
    if (entries.length === 0) return undefined;
    const sinceMs = entries.reduce(
      (least, entry) => Math.min(least, entry.sinceMs),
      Number.POSITIVE_INFINITY,
    );
    const job = { top, entries, sinceMs, register: portion.register };
    this.#ready.set(settled, { portion, job });
    return job;
  }

  /**
   * As `#begin`; trouble with one top folder keeps no other waiting.
   * @throws ShareError of the whole share.
   */
  async #tryToBegin(top: string, settled: SettledTop, nowMs: number): Promise<Portion | number> {
    try {
      const begun = await this.#begin(top, settled, nowMs);
      this.#incidents.ends(top);
      return begun;
    } catch (error) {
      const why = describeTrouble(error);
      if (this.#incidents.begins(top, why)) this.#options.onTrouble?.(top, why, error);
      return nowMs + TRY_AGAIN_MS;
    }
  }

  /** The next portion of a top folder, or when to ask again. */
  async #begin(top: string, settled: SettledTop, nowMs: number): Promise<Portion | number> {
    const { quietMs, outOfSight } = this.#options;
    if (top === '') {
      const atMs = Math.min(settled.newestMs + quietMs, settled.oldestMs + MOST_QUIET_TIMES * quietMs);
      const entries = settled.entries.toSorted(oldestFirst);
      const due = nowMs >= atMs ? entries : this.#cutFull(entries);
      if (due.length === 0) return atMs;
      const sheets = await this.#takeUpSheets(due, true);
      const others = due.filter(({ path }) => !sheets.has(path));
      return others.length > 0 ? toPortion(others) : nowMs + ASK_AGAIN_MS;
    }
    const isMarked = this.#options.isMarked(top);
    const latestMs = settled.oldestMs + MOST_QUIET_TIMES_OF_A_FOLDER * quietMs;
    const isInTime = !settled.isMoving && nowMs < latestMs;
    if (isInTime && outOfSight?.mayBegin(top, settled.newestMs, isMarked) === false) {
      return nowMs + ASK_AGAIN_MS;
    }
    if (settled.entries.length === 1 && !settled.isMoving) {
      const quietAtMs = isMarked ? nowMs : settled.newestMs + quietMs;
      const sheets = await this.#takeUpSheets(settled.entries, nowMs >= quietAtMs);
      if (sheets.size > 0) return Math.max(quietAtMs, nowMs + ASK_AGAIN_MS);
    }
    // Files that come into sight late, for want of room, are many: those that fill batches go without them.
    if (settled.isFilling && this.#cutFull(settled.entries).length === 0) return Number.POSITIVE_INFINITY;
    // While files still come, the register is not read before the folder's time is up.
    const isWorthALook = !settled.isMoving || nowMs >= latestMs;
    // What there is no room for cannot be told from what is missing: that is not waited for.
    const isAll = isMarked || outOfSight?.isCutShort(top) === true;
    const said = isWorthALook ? await this.#options.register?.look(top, settled.entries, isAll) : undefined;
    const stay = new Set(said?.stay);
    this.#staying.set(top, stay);
    const entries = settled.entries.filter(({ path }) => !stay.has(path));
    if (entries.length === 0) return Number.POSITIVE_INFINITY;
    const register = settled.isMoving || said?.begins === 'as-without' ? undefined : said;
    const isAllThere = register?.begins === 'now' || (register === undefined && isMarked);
    const restsAtMs = settled.isMoving ? Number.POSITIVE_INFINITY : settled.newestMs + quietMs;
    const atMs = Math.min(restsAtMs, latestMs);
    if (register?.begins === 'not-yet') return nowMs + ASK_AGAIN_MS;
    if (nowMs < atMs && !(isAllThere && !settled.isMoving)) return atMs;
    const ordered = entries.toSorted(byRegister(register?.order ?? []));
    const due = settled.isFilling ? this.#cutFull(ordered) : ordered;
    return due.length > 0 ? toPortion(due, register?.register) : Number.POSITIVE_INFINITY;
  }

  async #takeUpSheets(entries: readonly SettledEntry[], isQuiet: boolean): Promise<ReadonlySet<string>> {
    return (await this.#options.sheets?.takeUp(entries, isQuiet)) ?? NOTHING;
  }

  /** As much as fills batches; the rest waits for company. */
  #cutFull(entries: readonly SettledEntry[]): SettledEntry[] {
    const { limits } = this.#options;
    const batches = cutJob(entries, limits);
    const last = batches.at(-1) ?? [];
    const bytes = last.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const isFull = last.length >= limits.maxFiles || bytes >= limits.maxBytes;
    return (isFull ? batches : batches.slice(0, -1)).flat();
  }
}

function toPortion(entries: readonly SettledEntry[], register?: string): Portion {
  return { places: new Map(entries.map(({ path }, place) => [path, place])), register };
}

function inOrder(entries: readonly SettledEntry[], places: Portion['places']): SettledEntry[] {
  const placeOf = ({ path }: SettledEntry) => places.get(path) ?? -1;
  return entries.filter(({ path }) => places.has(path)).sort((one, other) => placeOf(one) - placeOf(other));
}

function byRegister(order: readonly string[]): (one: SettledEntry, other: SettledEntry) => number {
  const rows = new Map(order.map((path, row) => [path, row]));
  const rowOf = ({ path }: SettledEntry) => rows.get(path) ?? order.length;
  return (one, other) => rowOf(one) - rowOf(other) || compareNatural(one.path, other.path);
}

function oldestFirst(one: SettledEntry, other: SettledEntry): number {
  const ageOf = ({ sinceMs }: SettledEntry) => Math.floor(sinceMs / SAME_AGE_MS);
  return ageOf(one) - ageOf(other) || compareNatural(one.path, other.path);
}
