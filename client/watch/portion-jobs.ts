// The job that the files of a top folder are claimed for: asked for once for all that goes together, when the
// first of it is claimed. Then its register is read, too, for the whole of it.
import type { DropEntry } from '../../activities/share/drop/scan-drop';
import type { JobRecord } from '../../activities/share/jobs/job-record';
import type { DropRegisters, Jobs } from '../../activities/share/share';
import type { Portion } from './whole-jobs';

/** What goes together of a top folder. */
export interface JobFiles {
  readonly top: string;
  readonly portion: Portion;
  /** All of it that is still there. */
  readonly entries: readonly DropEntry[];
}

export class PortionJobs {
  readonly #share: Pick<Jobs, 'openJob'> & Pick<DropRegisters, 'readRegister'>;
  /** By top folder; `job` undefined where the register could not be read. */
  readonly #known = new Map<string, { readonly portion: Portion; readonly job: JobRecord | undefined }>();

  constructor(share: Pick<Jobs, 'openJob'> & Pick<DropRegisters, 'readRegister'>) {
    this.#share = share;
  }

  /** Undefined when all of it has to settle anew, for its register cannot be read just now. */
  async jobOf({ top, portion, entries }: JobFiles): Promise<JobRecord | undefined> {
    const known = this.#known.get(top);
    if (known?.portion === portion) return known.job;
    const begunWith = await this.#share.readRegister(top, entries);
    const job = begunWith && (await this.#share.openJob(top, begunWith));
    this.#known.set(top, { portion, job });
    return job;
  }

  /** Called when its job takes nothing more: for what is left of its files, a job is asked for again. */
  forget(top: string): void {
    this.#known.delete(top);
  }

  /** Only those of folders that have something to be claimed are kept in mind. */
  keepOnly(isThere: (top: string) => boolean): void {
    for (const top of this.#known.keys()) if (!isThere(top)) this.#known.delete(top);
  }
}
