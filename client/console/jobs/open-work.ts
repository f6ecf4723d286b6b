// The jobs of one share that are on their way, kept as they are on the share: each look reads only what has
// changed since the one before.

import { forEachLimited } from '../../../activities/host/concurrency';
import { toShareError } from '../../../activities/share/files/share-error';
import type { BatchDocuments } from '../../../activities/share/receipt/documents-so-far';
import { tellAwaited } from '../../../activities/share/register/awaited-file';
import type { Share, ShownJob } from '../../../activities/share/share';
import { listSeen } from '../../../activities/share/status/gather-status';
import { ownerOf } from '../../../activities/share/status/waiting-folder';
import type { WorkMarks } from '../../../activities/share/status/work-marks';
import { texts } from '../texts/texts';
import { DropLook, type DroppedTop } from './drop-look';
import { readPart, toFilesJob, toFolderJob } from './finished-job';
import { belowJob, type SeenJob } from './seen-job';

/** Marks are times of files: two writings so short after each other may have the same mark. */
const SURELY_MS = 2_000;
/** Batches that are read together. */
const PARALLEL = 4;
/** Which files stay in the drop folder is noted elsewhere: no mark of their job or their folder tells it. */
const LEFT_AGAIN_MS = 5_000;
const NOTHING: ReadonlySet<string> = new Set();
/** The mark of what could not be read. */
const UNREAD = '';

export interface OpenWorkDeps {
  readonly share: Share;
  readonly nowMs: () => number;
  readonly zone: string;
}

interface Kept<What> {
  readonly mark: string;
  /** When this mark was seen first. */
  readonly sinceMs: number;
  readonly readMs: number;
  /** Undefined where it is gone, spoilt, or could not be read yet. */
  readonly what: What | undefined;
}

interface LeftInTop {
  /** What lay there when it was read. */
  readonly paths: readonly string[];
  readonly readMs: number;
  /** Below the drop folder. */
  readonly left: ReadonlySet<string>;
}

export interface Looked {
  readonly jobs: readonly SeenJob[];
  /** Ids of jobs that are new, not as they were, or no longer open. */
  readonly changed: readonly string[];
  /** Ids of jobs and batches that were open at the look before, and are no more. */
  readonly gone: readonly string[];
}

export class OpenWork {
  readonly #deps: OpenWorkDeps;
  readonly #drop: DropLook;
  #jobs = new Map<string, Kept<ShownJob>>();
  #batches = new Map<string, Kept<BatchDocuments>>();
  /** Batches of open jobs that are put away: nothing of them changes. */
  #finished = new Map<string, BatchDocuments>();
  #seen = new Map<string, SeenJob>();
  /** What stays in top folders that have no job which goes on. */
  #left = new Map<string, LeftInTop>();
  /** What lay in the drop folder at the last look. */
  #tops: readonly DroppedTop[] = [];
  #looking: Promise<Looked> | undefined;

  constructor(deps: OpenWorkDeps) {
    this.#deps = deps;
    this.#drop = new DropLook(deps.share, deps.nowMs);
  }

  /** As they were at the last look. */
  get jobs(): readonly SeenJob[] {
    return [...this.#seen.values()];
  }

  /** Only one look at a time: whoever asks meanwhile gets what that one sees. */
  async look(): Promise<Looked> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return await this.#looking;
  }

  async #look(): Promise<Looked> {
    const { share, nowMs } = this.#deps;
    const marks = await share.lookAtWork();
    const gone = [...this.#jobs.keys(), ...this.#batches.keys()].filter(
      id => !marks.jobs.has(id) && !marks.batches.has(id),
    );
    this.#jobs = await this.#keep(
      this.#jobs,
      marks.jobs,
      async (jobId, before) => {
        const job = await share.lookAtJob(jobId);
        return JSON.stringify(job) === JSON.stringify(before) ? before : job;
      },
      ({ what, readMs }) => nowMs() - readMs > LEFT_AGAIN_MS && this.#mayBeLeft(what),
    );
    this.#batches = await this.#keep(this.#batches, marks.batches, (batchId, before) =>
      share.readDocuments(batchId, before),
    );
    this.#tops = await this.#drop.look();
    const seen = new Map<string, SeenJob>();
    for (const job of await this.#gather(marks, this.#tops)) seen.set(job.id, job);
    const changed = [...seen.values()]
      .filter(job => isOther(job, this.#seen.get(job.id)))
      .map(({ id }) => id);
    // What is as it was stays the same value: whoever has made something of it need not do so again.
    for (const id of seen.keys()) {
      const before = this.#seen.get(id);
      if (before !== undefined && !changed.includes(id)) seen.set(id, before);
    }
    const ended = [...this.#seen.keys()].filter(id => !seen.has(id));
    this.#seen = seen;
    return { jobs: this.jobs, changed: [...changed, ...ended], gone };
  }

  async #keep<What>(
    known: ReadonlyMap<string, Kept<What>>,
    marks: ReadonlyMap<string, string>,
    read: (id: string, before: What | undefined) => Promise<What | undefined>,
    isOld: (known: Kept<What>) => boolean = () => false,
  ): Promise<Map<string, Kept<What>>> {
    const { nowMs } = this.#deps;
    const kept = new Map<string, Kept<What>>();
    const stale: (readonly [id: string, mark: string])[] = [];
    for (const [id, mark] of marks) {
      const before = known.get(id);
      const isSure = before?.mark === mark && before.readMs - before.sinceMs > SURELY_MS;
      if (isSure && !isOld(before)) kept.set(id, before);
      else stale.push([id, mark]);
    }
    await forEachLimited(stale, PARALLEL, async ([id, mark]) => {
      const before = known.get(id);
      const readMs = nowMs();
      try {
        const what = await read(id, before?.what);
        kept.set(id, { mark, sinceMs: before?.mark === mark ? before.sinceMs : readMs, readMs, what });
      } catch (error) {
        // The share itself was there a moment ago: one file of it may be held, or lie on a bad block.
        if (toShareError(error) === undefined) throw error;
        // What was read of it before is told, and it is read again, whether or not it changes.
        kept.set(id, { mark: UNREAD, sinceMs: readMs, readMs, what: before?.what });
      }
    });
    return kept;
  }

  /** Whether a file that is told as in line may be one that stays. */
  #mayBeLeft(job: ShownJob | undefined): boolean {
    if (
      this.#deps.share.config.register?.leavesUnlisted !== true ||
      job === undefined ||
      job.closed !== undefined
    )
      return false;
    const top = this.#tops.find(one => one.top === job.record.folder);
    return top !== undefined && top.paths.length > job.left.length;
  }

  async #gather({ jobs }: WorkMarks, tops: readonly DroppedTop[]): Promise<readonly SeenJob[]> {
    const { share } = this.#deps;
    const seen: SeenJob[] = [];
    const ofJobs = new Set<string>();
    const openTops = new Set<string>();
    const needed = new Set<string>();
    for (const jobId of jobs.keys()) {
      const job = this.#jobs.get(jobId)?.what;
      if (job === undefined || job.isFinished) continue;
      const parts: BatchDocuments[] = [];
      let unreadable = 0;
      for (const batchId of job.batchIds) {
        const part = await this.#partOf(batchId);
        if (part === 'unreadable') unreadable += 1;
        if (typeof part === 'string') continue;
        if (part.isFinished) needed.add(batchId);
        if (!isOf(part, jobId)) continue;
        ofJobs.add(batchId);
        parts.push(part);
      }
      const { folder } = job.record;
      if (folder !== null && job.closed === undefined) openTops.add(folder);
      const found = { ...this.#toJob(job, parts, tops), unreadable };
      seen.push(unreadable > 0 ? found : await this.#withMissing(found));
    }
    for (const id of this.#finished.keys()) if (!needed.has(id)) this.#finished.delete(id);
    for (const [batchId, { what: part }] of this.#batches) {
      if (part === undefined || ofJobs.has(batchId)) continue;
      // Its job has just got its receipt, or has not been noted here yet.
      if (part.sealed?.manifest.job !== undefined && jobs.has(part.sealed.manifest.job.id)) continue;
      seen.push(toFilesJob(part, this.#deps));
    }
    const waiting = tops.filter(({ top }) => !openTops.has(top));
    this.#left = await this.#lookForLeft(waiting);
    for (const one of waiting) {
      const left = this.#left.get(one.top)?.left ?? NOTHING;
      // Where nothing else lies there, its job tells of them: nothing waits.
      if (one.paths.some(path => !left.has(path))) seen.push(toWaiting(share.name, one, left));
    }
    return seen;
  }

  async #lookForLeft(tops: readonly DroppedTop[]): Promise<Map<string, LeftInTop>> {
    const { share, nowMs } = this.#deps;
    const found = new Map<string, LeftInTop>();
    if (share.config.register?.leavesUnlisted !== true) return found;
    for (const { top, paths } of tops) {
      const before = this.#left.get(top);
      const isFresh = before?.paths === paths && nowMs() - before.readMs <= LEFT_AGAIN_MS;
      if (isFresh) found.set(top, before);
      else if (top !== '') found.set(top, { paths, readMs: nowMs(), left: await this.#readLeft(top) });
    }
    return found;
  }

  async #readLeft(top: string): Promise<ReadonlySet<string>> {
    try {
      return new Set(await this.#deps.share.readUnlisted(top));
    } catch (error) {
      if (toShareError(error) === undefined) throw error;
      return this.#left.get(top)?.left ?? NOTHING;
    }
  }

  async #partOf(batchId: string): Promise<BatchDocuments | 'never-was' | 'unreadable'> {
    const open = this.#batches.get(batchId);
    if (open !== undefined) return open.what ?? 'unreadable';
    const known = this.#finished.get(batchId);
    if (known !== undefined) return known;
    const read = await readPart(this.#deps.share, batchId).catch(error => {
      if (toShareError(error) === undefined) throw error;
      return 'unreadable' as const;
    });
    if (typeof read !== 'string' && read.isFinished) this.#finished.set(batchId, read);
    return read;
  }

  #toJob(job: ShownJob, parts: readonly BatchDocuments[], tops: readonly DroppedTop[]): SeenJob {
    const { record, closed, left } = job;
    const top = closed === undefined ? tops.find(one => one.top === record.folder) : undefined;
    const within = (record.folder ?? '').length + 1;
    const inLine = (top?.paths ?? [])
      .map(path => path.slice(within))
      .filter(path => path !== record.register?.path && !left.includes(path));
    return toFolderJob(this.#deps.share.name, job, parts, inLine);
  }

  async #withMissing(job: SeenJob): Promise<SeenJob> {
    const record = job.job?.record;
    const before = this.#seen.get(job.id);
    if (record?.register === undefined) return job;
    if (before !== undefined && !isOther({ ...job, missing: before.missing }, before)) return before;
    const isWhole = job.job?.closed !== undefined && job.parts.every(({ sealed }) => sealed !== undefined);
    const come = job.parts.flatMap(part =>
      [...part.rows.map(({ path }) => path), ...part.claimed].map(path => belowJob(job, path)),
    );
    const files = isWhole ? come : listSeen(record, [...come, ...job.inLine]);
    return { ...job, missing: await this.#deps.share.findMissing({ record, isFinished: false }, files) };
  }
}

function isOf({ sealed }: BatchDocuments, jobId: string): boolean {
  return sealed === undefined || sealed.manifest.job?.id === jobId;
}

function toWaiting(
  share: string,
  { top, paths, changedMs, register }: DroppedTop,
  left: ReadonlySet<string>,
): SeenJob {
  const waits = register !== undefined && register.awaited.length > 0 ? register : undefined;
  const within = top === '' ? 0 : top.length + 1;
  return {
    share,
    id: ownerOf({ top }).jobId,
    kind: top === '' ? 'files' : 'folder',
    job: undefined,
    parts: [],
    inLine: paths.filter(path => path !== register?.path && !left.has(path)).map(path => path.slice(within)),
    left: paths.filter(path => left.has(path)).map(path => path.slice(within)),
    missing: [],
    unreadable: 0,
    register: register?.path.slice(within),
    waitsFor: waits?.awaited.map(tellAwaited),
    droppedAt: new Date(changedMs).toISOString(),
    name: top === '' ? texts.jobs.loose : top,
    by: null,
  };
}

/** Compares what jobs are made of: each part stays the same value as long as it is not read anew. */
function isOther(job: SeenJob, before: SeenJob | undefined): boolean {
  return (
    before === undefined ||
    job.job !== before.job ||
    job.parts.length !== before.parts.length ||
    job.unreadable !== before.unreadable ||
    job.parts.some((part, at) => part !== before.parts[at]) ||
    job.droppedAt !== before.droppedAt ||
    job.register !== before.register ||
    job.waitsFor?.join('\n') !== before.waitsFor?.join('\n') ||
    job.left?.join('\n') !== before.left?.join('\n') ||
    job.inLine.join('\n') !== before.inLine.join('\n')
  );
}
