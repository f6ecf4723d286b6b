// Keeps the status files of a share up to date. Each is written when there is something new to say: who looks
// into the folder of a share that stands still finds files that stand still.

import type { StatusFacts, StatusOutage } from '../../registers/status/status-facts';
import type { ShareLayout } from '../files/share-layout';
import type { OpenJob } from '../jobs/job-book';
import { openJobPaths } from '../jobs/job-record';
import type { KeptRegisters } from '../jobs/kept-register';
import { type Around, gatherStatus, type LeftFiles, type SettledParts } from './gather-status';
import { MissingRows } from './missing-rows';
import { type PageOwner, putStatusPage, sweepStatusPages } from './status-pages';
import { ownerOf, toWaitingFacts, type WaitingFolder } from './waiting-folder';

interface Known {
  readonly parts: SettledParts;
  readonly missing: MissingRows;
  /** What the last page said, but for its time. */
  said: string;
}

/** What a watcher knows besides what lies on the share. */
export interface SeenOfJobs {
  /** Paths of the files of a top folder that still lie in the drop folder, relative to that. */
  readonly inLine: (top: string) => readonly string[];
  /** Folders that are no jobs yet, for not all that their registers list is there. */
  readonly waiting?: readonly WaitingFolder[];
  /** What batches of a job wait for; never rejects. */
  readonly outagesOf?: (jobId: string, batchIds: readonly string[]) => Promise<readonly StatusOutage[]>;
}

const noOutages = async () => [];

export interface StatusBookDeps {
  readonly share: string;
  readonly layout: () => ShareLayout;
  readonly now: () => Date;
  readonly zone: string;
  readonly kept: KeptRegisters;
  /** Files of the job's folder that no row is about and that stay there. */
  readonly leftOf: (job: OpenJob) => Promise<LeftFiles>;
}

export class StatusBook {
  readonly #deps: StatusBookDeps;
  #known = new Map<string, Known>();

  constructor(deps: StatusBookDeps) {
    this.#deps = deps;
  }

  /**
   * Writes the pages of all open jobs and waiting folders. The second argument is what the share cannot show.
   * @throws what kept a job from its page, the first of them; the others have theirs.
   */
  async write(
    jobs: readonly OpenJob[],
    { inLine, waiting = [], outagesOf = noOutages }: SeenOfJobs,
  ): Promise<void> {
    const { layout } = this.#deps;
    const before = this.#known;
    this.#known = new Map();
    await sweepStatusPages(layout(), new Set(waiting.map(folder => ownerOf(folder).jobId)));
    await this.#writeWaiting(before, waiting);
    const troubles: unknown[] = [];
    for (const job of jobs) {
      const known = before.get(job.record.jobId) ?? this.#begin();
      this.#known.set(job.record.jobId, known);
      await this.#writeJob(known, job, { inLine, outagesOf }).catch(error => troubles.push(error));
    }
    if (troubles.length > 0) throw troubles[0];
  }

  async #writeJob(
    known: Known,
    job: OpenJob,
    { inLine, outagesOf }: Pick<Required<SeenOfJobs>, 'inLine' | 'outagesOf'>,
  ): Promise<void> {
    const { layout, now, zone, leftOf } = this.#deps;
    const { record, isClosed } = job;
    const around: Around = {
      left: await leftOf(job),
      // What lies there once it is closed is another job.
      inLine: isClosed ? [] : inLine(record.folder ?? ''),
      isClosed,
      missing: known.missing,
      outagesOf: batchIds => outagesOf(record.jobId, batchIds),
      now: now(),
      zone,
    };
    const facts = await gatherStatus(layout(), record, around, known.parts);
    await this.#put(known, record, facts, openJobPaths(layout(), record.jobId).folder);
  }

  #begin(): Known {
    const { layout, kept } = this.#deps;
    return { parts: new Map(), missing: new MissingRows(layout, kept), said: '' };
  }

  async #writeWaiting(before: ReadonlyMap<string, Known>, waiting: readonly WaitingFolder[]): Promise<void> {
    const { layout, share, now, zone } = this.#deps;
    for (const folder of waiting) {
      const owner = ownerOf(folder);
      const known = before.get(owner.jobId) ?? this.#begin();
      this.#known.set(owner.jobId, known);
      await this.#put(known, owner, toWaitingFacts(folder, { share, now: now(), zone }), layout().own);
    }
  }

  async #put(known: Known, owner: PageOwner, facts: StatusFacts, scratch: string): Promise<void> {
    const said = JSON.stringify({ ...facts, writtenAt: '' });
    if (said === known.said) return;
    if (await putStatusPage(this.#deps.layout(), owner, facts, scratch)) known.said = said;
  }
}
