// The finished jobs of a share, for a list of years of them: what the list says of each, in memory. Built
// from the share in the background, and kept in the state folder as a cache: it may be removed at any time.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { hasCode } from '../../../activities/host/error-code';
import { foldText } from '../../../activities/host/fold-text';
import { IncidentLog } from '../../../activities/host/incident-log';
import type { ShareErrorCode } from '../../../activities/share/files/share-error';
import type { Share } from '../../../activities/share/share';
import { type JobMakers, readFinishedJob, readJobOf } from './finished-job';
import { type ApartDocument, compareFinished, type FinishedJob } from './list-jobs';
import type { SeenJob } from './seen-job';
import { type SeenRow, toRows } from './to-rows';
import { toSummary } from './to-summary';

/** After so long at most, what another process has ended is seen, where no look showed it. */
const LIST_AGAIN_MS = 60_000;
const SAVE_EVERY = 1_000;
/** What is known is shown while the rest is read: pages are told after each so many jobs. */
const TELL_EVERY = 200;
/**
 * At most so many documents of one job that were set apart are found by their own texts; of each job that is
 * read once there are so many of all of them, the first.
 */
const MOST_APART = 5_000;
const MOST_APART_IN_ALL = 100_000;
const MOST_APART_THEN = 200;

type Cached = Omit<FinishedJob, 'folded' | 'foldedApart'> & {
  readonly batchIds: readonly string[];
  /** Some of its batches could not be read: it is read again. */
  readonly isPartial?: true;
};

/** Where so many in a row cannot be read, it is the share. */
const MOST_FAILED = 3;
/** Jobs of which some could not be read that are read again at each look, in turn. */
const MOST_AGAIN = 20;

/** Raised when kept jobs get another form. As the file is ours, its jobs are not checked one by one. */
const VERSION = 3;
const cacheShape = z.object({
  version: z.literal(VERSION),
  jobs: z.custom<readonly Cached[]>(Array.isArray),
});

interface Entry extends Pick<Cached, 'batchIds' | 'isPartial'> {
  readonly job: FinishedJob;
}

export interface FinishedIndexDeps extends JobMakers {
  readonly share: Share;
  /** Where it is kept. */
  readonly file: string;
  readonly nowMs: () => number;
  /** More is known than before. */
  readonly onNews: () => void;
  /** One of them cannot be read; told once while the reason is the same. */
  readonly onTrouble: (id: string, why: string) => void;
}

export class FinishedIndex {
  readonly #deps: FinishedIndexDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #batches = new Set<string>();
  /** Documents of all entries that were set apart. */
  #apart = 0;
  #sorted: readonly FinishedJob[] | undefined;
  #isClosed = false;
  #working: Promise<void> | undefined;
  #isWanted = true;
  #listedMs = Number.NEGATIVE_INFINITY;
  #unsaved = 0;
  #isLoaded = false;
  /** How many could not be read, one after the other. */
  #failed = 0;
  /** What cannot be read, by the id of the job or batch. */
  readonly #unread = new IncidentLog();
  /** Jobs of which some could not be read; those that were read longest ago first. */
  readonly #partial = new Set<string>();

  constructor(deps: FinishedIndexDeps) {
    this.#deps = deps;
  }

  /** The newest first. */
  get jobs(): readonly FinishedJob[] {
    this.#sorted ??= [...this.#entries.values()].map(({ job }) => job).sort(compareFinished);
    return this.#sorted;
  }

  /** Looks in the background whether there is more. @param isNews something has just ended. */
  refresh(isNews: boolean): void {
    this.#isWanted ||= isNews || this.#deps.nowMs() - this.#listedMs > LIST_AGAIN_MS;
    if (!this.#isWanted || this.#isClosed) return;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Resolves once the look that is under way has ended. */
  async settled(): Promise<void> {
    await this.#working;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
    await this.#save();
  }

  async #work(): Promise<void> {
    try {
      if (!this.#isLoaded) await this.#load();
      this.#isLoaded = true;
      while (this.#isWanted && !this.#isClosed) {
        this.#isWanted = false;
        await this.#read();
        this.#listedMs = this.#deps.nowMs();
      }
    } catch {
      // The share is away: it is read on when it is back.
      this.#listedMs = this.#deps.nowMs();
    }
    if (this.#unsaved > 0) await this.#save();
  }

  async #read(): Promise<void> {
    const { share, onNews } = this.#deps;
    const jobIds = await share.listFinishedJobs();
    const batchIds = await share.listFinishedBatches();
    const there = new Set([...jobIds, ...batchIds]);
    this.#failed = 0;
    this.#unread.keepOnly(there);
    let news = 0;
    for (const id of this.#entries.keys()) {
      if (there.has(id)) continue;
      this.#forget(id);
      news += 1;
    }
    const again = this.#takeAgain();
    try {
      // The newest first: that is what people look for while the rest is read.
      for (const id of batchIds.toReversed()) {
        if (this.#isClosed) return;
        if (this.#batches.has(id)) continue;
        const part = await this.#try(id, () => share.readDocuments(id));
        if (part?.isFinished !== true) continue;
        const seen = await this.#try(id, () => readJobOf(part, this.#deps));
        // Its job goes on: it is read with that, and not again whenever another batch ends.
        if (seen === 'goes-on') this.#batches.add(id);
        else news += await this.#add(seen, news);
      }
      for (const id of jobIds) {
        if (this.#isClosed) return;
        if (this.#entries.has(id) && !again.has(id)) continue;
        news += await this.#add(await this.#try(id, () => readFinishedJob(id, this.#deps)), news);
      }
    } finally {
      // What was read before the share went away stays known.
      this.#sorted = news > 0 ? undefined : this.#sorted;
      if (news > 0) onNews();
    }
  }

  #takeAgain(): ReadonlySet<string> {
    const again = new Set([...this.#partial].slice(0, MOST_AGAIN));
    for (const id of again) {
      this.#partial.delete(id);
      this.#partial.add(id);
    }
    return again;
  }

  /**
   * Undefined for one that cannot be read just now, for whatever reason: it is read at a later look, and
   * hides none that ended before it. @throws what several in a row say
   */
  async #try<What>(id: string, read: () => Promise<What>): Promise<What | undefined> {
    try {
      const what = await read();
      this.#failed = 0;
      this.#unread.ends(id);
      return what;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (this.#unread.begins(id, why)) this.#deps.onTrouble(id, why);
      if (!hasCode<ShareErrorCode>(error, 'unreadable-now')) this.#failed += 1;
      if (this.#failed >= MOST_FAILED) throw error;
      return undefined;
    }
  }

  /** @returns by how many jobs more is known now: 1 or 0. */
  async #add(seen: SeenJob | undefined, before: number): Promise<number> {
    const { nowMs, onNews } = this.#deps;
    // Lets other requests be answered between two jobs.
    await setImmediate();
    if (seen === undefined) return 0;
    const batchIds = seen.parts.map(({ batchId }) => batchId);
    const known = this.#entries.get(seen.id);
    const isPartial = seen.unreadable > 0;
    if (isPartial && known?.isPartial === true && known.batchIds.length === batchIds.length) return 0;
    const rows = toRows(seen);
    const summary = toSummary(seen, rows, nowMs());
    const apart = listApart(rows, this.#apart < MOST_APART_IN_ALL ? MOST_APART : MOST_APART_THEN);
    const job = { ...summary, endedAt: summary.endedAt ?? summary.droppedAt, apart };
    this.#keep(job, isPartial ? { batchIds, isPartial } : { batchIds });
    this.#unsaved += 1;
    if (this.#unsaved >= SAVE_EVERY) await this.#save();
    if ((before + 1) % TELL_EVERY === 0) onNews();
    return 1;
  }

  /** Its batches are read again where they come back. */
  #forget(id: string): void {
    const known = this.#entries.get(id);
    if (known === undefined) return;
    this.#entries.delete(id);
    this.#partial.delete(id);
    this.#apart -= known.job.apart.length;
    for (const batchId of known.batchIds) this.#batches.delete(batchId);
  }

  #keep(job: Omit<Cached, keyof Omit<Entry, 'job'>>, of: Omit<Entry, 'job'>): void {
    const folded = foldText(`${job.name}\n${job.by ?? ''}`);
    const foldedApart = foldText(job.apart.map(({ number, file }) => `${number ?? ''}\n${file}`).join('\n'));
    this.#forget(job.job);
    this.#apart += job.apart.length;
    this.#entries.set(job.job, { job: { ...job, folded, foldedApart }, ...of });
    if (of.isPartial === true) this.#partial.add(job.job);
    for (const batchId of of.batchIds) this.#batches.add(batchId);
    this.#sorted = undefined;
  }

  async #load(): Promise<void> {
    const { file, share } = this.#deps;
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return;
    const read = cacheShape.safeParse(parseJson(text));
    // Of another version, or torn: it is made anew.
    if (!read.success) return;
    for (const { batchIds, isPartial, ...job } of read.data.jobs) {
      if (job.share === share.name)
        this.#keep(job, isPartial === true ? { batchIds, isPartial } : { batchIds });
    }
    if (this.#entries.size > 0) this.#deps.onNews();
  }

  /** Whole, or as it was before. What cannot be kept is read again. */
  async #save(): Promise<void> {
    if (this.#unsaved === 0) return;
    this.#unsaved = 0;
    const { file } = this.#deps;
    const jobs = [...this.#entries.values()].map(
      ({ job: { folded: _folded, foldedApart: _texts, ...job }, ...of }): Cached => ({ ...job, ...of }),
    );
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const draft = `${file}.${process.pid}`;
      await writeFile(draft, JSON.stringify({ version: VERSION, jobs }), { mode: 0o600 });
      await rename(draft, file);
    } catch {
      return;
    }
  }
}

function listApart(rows: readonly SeenRow[], most: number): readonly ApartDocument[] {
  const apart = rows.filter(({ outcome }) => outcome === 'set-apart').slice(0, most);
  return apart.map(({ key, file, number, revision, since }) => ({ key, file, number, revision, since }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
