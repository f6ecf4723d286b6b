// Keeps the status files of a share up to date. Each is written when there is something new to say: who looks
// into the folder of a share that stands still finds files that stand still.

import type { ShareLayout } from '../files/share-layout';
import type { OpenJob } from '../jobs/job-book';
import { gatherStatus, type SettledParts } from './gather-status';
import { putStatusPage, sweepStatusPages } from './status-pages';

interface Known {
  readonly parts: SettledParts;
  /** What the last page said, but for its time. */
  said: string;
}

export class StatusBook {
  readonly #layout: () => ShareLayout;
  readonly #now: () => Date;
  readonly #zone: string;
  #known = new Map<string, Known>();

  constructor(layout: () => ShareLayout, now: () => Date, zone: string) {
    this.#layout = layout;
    this.#now = now;
    this.#zone = zone;
  }

  /** @param inLine how many files of a top folder still lie in the drop folder. */
  async write(jobs: readonly OpenJob[], inLine: (top: string) => number): Promise<void> {
    const before = this.#known;
    this.#known = new Map();
    await sweepStatusPages(this.#layout());
    for (const { record, isClosed } of jobs) {
      const known = before.get(record.jobId) ?? { parts: new Map(), said: '' };
      this.#known.set(record.jobId, known);
      const facts = await gatherStatus(
        this.#layout(),
        record,
        {
          // What lies there once it is closed is another job.
          inLine: isClosed ? 0 : inLine(record.folder ?? ''),
          isClosed,
          now: this.#now(),
          zone: this.#zone,
        },
        known.parts,
      );
      const said = JSON.stringify({ ...facts, writtenAt: '' });
      if (said === known.said) continue;
      if (await putStatusPage(this.#layout(), record, facts)) known.said = said;
    }
  }
}
