// Rows of a job's register whose files have not come: told on its page while it is on its way, and in its
// receipt when it ends.
import { hasCode } from '../../host/error-code';
import { type FileRow, matchFiles } from '../../registers/match-files';
import { listFileRows } from '../../registers/read-rows';
import type { ShareErrorCode } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import { type JobPaths, type JobRecord, openJobPaths } from '../jobs/job-record';
import type { KeptRegisters } from '../jobs/kept-register';

/** A row, and what it calls its file. */
export interface MissingRow {
  readonly row: number;
  readonly file: string;
}

type PathsOf = (layout: ShareLayout, jobId: string) => JobPaths;

/** Those of one job. Asked every few seconds: the sheet is read once, and compared when files have come. */
export class MissingRows {
  readonly #layout: () => ShareLayout;
  readonly #kept: KeptRegisters;
  readonly #pathsOf: PathsOf;
  #listed: readonly FileRow[] | undefined;
  #asked: ReadonlySet<string> = new Set();
  #found: readonly MissingRow[] | undefined;

  /** @param pathsOf where the job lies: among the open ones, unless it is said. */
  constructor(layout: () => ShareLayout, kept: KeptRegisters, pathsOf: PathsOf = openJobPaths) {
    this.#layout = layout;
    this.#kept = kept;
    this.#pathsOf = pathsOf;
  }

  /** @param files all that have come, below the job's folder. */
  async among(record: JobRecord, files: Iterable<string>): Promise<readonly MissingRow[]> {
    const { register, folder, jobId } = record;
    if (register === undefined) return [];
    const come = new Set(files);
    come.delete(register.path);
    if (this.#found !== undefined && isSame(come, this.#asked)) return this.#found;
    this.#listed ??= await this.#read(jobId, register);
    // A spoilt sheet may be whole at a later look.
    if (this.#listed === undefined) return [];
    const { missing } = matchFiles(this.#listed, [...come], folder ?? '');
    this.#asked = come;
    this.#found = missing.map(({ row, file }) => ({ row, file }));
    return this.#found;
  }

  async #read(jobId: string, register: NonNullable<JobRecord['register']>) {
    const layout = this.#layout();
    try {
      return listFileRows((await this.#kept.read(layout, this.#pathsOf(layout, jobId), register)).register);
    } catch (error) {
      // Spoilt: whoever carries the job tells that.
      if (hasCode<ShareErrorCode>(error, 'batch-damaged')) return undefined;
      throw error;
    }
  }
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every(path => other.has(path));
}
