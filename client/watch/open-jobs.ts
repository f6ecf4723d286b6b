// Closes the jobs of a share: a job whose folder has held nothing for the quiet time, and of which nothing is
// being claimed, takes nothing more. Then sees to its receipt, where nobody else has, and to what people have
// corrected in that. All it knows is on the share; several watchers may do so at once.
import { IncidentLog } from '../../activities/host/incident-log';
import type { DropEntry } from '../../activities/share/drop/scan-drop';
import { describeTrouble } from '../../activities/share/files/share-error';
import type { JobRecord } from '../../activities/share/jobs/job-record';
import type { HeldBatches } from '../../activities/share/receipt/held/held-batches';
import type { CorrectedSheets, Jobs, NamedShare } from '../../activities/share/share';
import { bugOf, type TellEvent } from './watch-events';
import type { EmptiedFolders } from './watch-folders';

export interface OpenJobsDeps {
  readonly share: NamedShare & Jobs & CorrectedSheets;
  /** Whether something of this top folder is in sight that is to be claimed. */
  readonly hasAny: (top: string) => boolean;
  readonly folders: EmptiedFolders;
  readonly isClaiming: (top: string) => boolean;
  /** A file of the drop folder that has gone elsewhere. */
  readonly forget: (path: string) => void;
  readonly tell: TellEvent;
  readonly nowMs: () => number;
}

/** A job that could not be closed is tried again after this. */
const CLOSE_AGAIN_MS = 10_000;

interface Watched {
  readonly record: JobRecord;
  /** Since when nothing of it has been in sight. */
  idleSinceMs: number | undefined;
  /** It could not be closed, and is not tried before. */
  closeAgainMs?: number;
}

export class OpenJobs {
  readonly #deps: OpenJobsDeps;
  readonly #open = new Map<string, Watched>();
  /** By job. */
  readonly #incidents = new IncidentLog();

  constructor(deps: OpenJobsDeps) {
    this.#deps = deps;
  }

  /** One that files are about to be claimed for. */
  note(record: JobRecord): void {
    const known = this.#open.get(record.jobId);
    if (known === undefined) this.#open.set(record.jobId, { record, idleSinceMs: undefined });
    else known.idleSinceMs = undefined;
  }

  /** Looks on the share for those that others, or we ourselves before, have begun. */
  async find(): Promise<void> {
    for (const { record, isClosed } of await this.#deps.share.openJobs()) {
      if (isClosed) await this.#settle(record);
      else if (!this.#open.has(record.jobId)) this.note(record);
    }
  }

  /** Closes those that may be closed. @returns when to ask again, at the latest. */
  async close(): Promise<number> {
    const { share, hasAny, folders, isClaiming, tell, nowMs } = this.#deps;
    let askAgainMs = Number.POSITIVE_INFINITY;
    for (const job of [...this.#open.values()]) {
      const top = job.record.folder ?? '';
      if (hasAny(top) || isClaiming(top)) {
        job.idleSinceMs = undefined;
        continue;
      }
      job.idleSinceMs ??= nowMs();
      const closeAtMs = Math.max(job.idleSinceMs + share.config.quietMs, job.closeAgainMs ?? 0);
      if (nowMs() < closeAtMs) {
        askAgainMs = Math.min(askAgainMs, closeAtMs);
        continue;
      }
      // Looked at once more, for our memory may not hold all that lies there.
      let left: Awaited<ReturnType<Jobs['closeJob']>>;
      try {
        left = await share.closeJob(job.record);
      } catch (error) {
        this.#tellDamaged(job.record, error);
        job.closeAgainMs = nowMs() + CLOSE_AGAIN_MS;
        askAgainMs = Math.min(askAgainMs, job.closeAgainMs);
        continue;
      }
      job.idleSinceMs = undefined;
      this.#incidents.ends(job.record.jobId);
      if (left === undefined) continue;
      for (const folder of left.folders) folders.noteLeft(folder);
      tell({ event: 'job-closed', job: job.record.name, place: job.record.place });
      await this.#settle(job.record);
    }
    return askAgainMs;
  }

  /** Corrected sheets: what becomes of each is told once. */
  async takeUpCorrections(batches: HeldBatches | undefined): Promise<void> {
    const { share, tell } = this.#deps;
    const ofHeld = batches === undefined ? [] : await share.takeUpHeld(batches);
    const news = [...ofHeld, ...(await share.takeUpCorrections())];
    for (const { kind, path, rows = 0, told = [], why = '', error } of news) {
      if (kind === 'taken') tell({ event: 'sheet-corrected', path, rows });
      else if (kind === 'answered') tell({ event: 'sheet-answered', path, rows });
      else if (kind === 'told') tell({ event: 'sheet-told', path, told });
      else if (this.#incidents.begins(path, why)) tell({ event: 'sheet-waits', path, why, ...bugOf(error) });
      if (kind === 'taken' || kind === 'answered' || kind === 'told') this.#incidents.ends(path);
    }
  }

  /**
   * Corrected sheets that were dropped by themselves are moved beside the sheet of their job, and taken up
   * there as others are.
   * @returns what is not to be claimed.
   */
  async takeUpDropped(files: readonly DropEntry[], isQuiet: boolean): Promise<ReadonlySet<string>> {
    const { share, tell, forget, folders } = this.#deps;
    const found = await share.takeUpDropped(files, isQuiet);
    for (const { path, sheet, movedTo, why, error } of found) {
      if (movedTo !== undefined) {
        forget(path);
        folders.noteClaim(path);
        this.#incidents.ends(sheet);
        tell({ event: 'sheet-dropped', path: sheet, movedTo });
      } else if (why !== undefined && this.#incidents.begins(sheet, why)) {
        tell({ event: 'sheet-waits', path: sheet, why, ...bugOf(error) });
      }
    }
    return new Set(found.map(({ path }) => path));
  }

  /**
   * Writes the receipt of a closed job, if it is due: all its batches may have settled before it was closed,
   * or whoever settled the last one died before the receipt.
   */
  async #settle(record: JobRecord): Promise<void> {
    const { share, tell } = this.#deps;
    const { jobId, name: job, place } = record;
    this.#open.delete(jobId);
    try {
      const receipts = await share.settleJob(jobId);
      if (receipts !== undefined) tell({ event: 'job-settled', job, place, receipts });
    } catch (error) {
      this.#tellDamaged(record, error);
    }
  }

  /** Trouble with one job keeps no other waiting. @throws ShareError of the whole share. */
  #tellDamaged({ jobId, name: job }: JobRecord, error: unknown): void {
    const why = describeTrouble(error);
    if (this.#incidents.begins(jobId, why))
      this.#deps.tell({ event: 'job-damaged', job, why, ...bugOf(error) });
  }
}
