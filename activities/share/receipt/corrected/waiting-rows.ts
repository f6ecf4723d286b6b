// Rows for which something was asked before that waits, or is just being brought on its way: with a sheet
// that was corrected, or by hand. They go with that alone: what waits goes in no order, so that sent by
// anything else meanwhile they could become revisions without what was corrected.
import { ifThere } from '../../files/if-there';
import type { OnNotOurs } from '../../files/own-marks';
import { decodeName } from '../../files/relative-path';
import type { ShareLayout } from '../../files/share-layout';
import type { JobPaths } from '../../jobs/job-record';
import { type Correction, listCorrections, listRecorded, MOVING, readCorrection } from './correction-record';

/** What was asked before: its sheet, or what stands for that, as the correction has it. */
export interface Earlier {
  readonly sheet: string;
  /** For people. */
  readonly why: string;
}

/** By paths below the job's folder. */
export async function listWaiting(
  layout: ShareLayout,
  paths: JobPaths,
  onNotOurs: OnNotOurs,
): Promise<ReadonlyMap<string, Earlier>> {
  const waiting = new Map<string, Earlier>();
  const standing = await listStanding(layout, paths);
  if (standing.size === 0) return waiting;
  for (const { sheet, folder, rows } of await listCorrections(layout, paths, onNotOurs)) {
    if (folder === undefined || !standing.has(folder)) continue;
    const earlier = toEarlier(sheet);
    for (const { path } of rows) waiting.set(path, earlier);
  }
  return waiting;
}

type KeptRow = Pick<Correction['rows'][number], 'sha256' | 'upload'>;

/** A row that waits. */
export interface WaitingRow extends KeptRow {
  readonly earlier: Earlier;
}

/** What a record says, without what stands in its cells. */
type Recorded = Pick<Correction, 'sheet' | 'folder'> & { readonly rows: ReadonlyMap<string, KeptRow> };

/**
 * For whoever looks for the rows of many files, one by one. A record is never changed, so each is read once
 * while files of its job are asked for; which of them wait is looked at each time, by one list of folders.
 */
export class WaitingRows {
  #ofJob: { readonly jobId: string; readonly records: Map<string, Recorded> } | undefined;

  /** @param path below the job's folder. */
  async listOf(layout: ShareLayout, paths: JobPaths, path: string): Promise<readonly WaitingRow[]> {
    const standing = await listStanding(layout, paths);
    if (standing.size === 0) return [];
    const found: WaitingRow[] = [];
    for (const { sheet, folder, rows } of await this.#read(layout, paths)) {
      const row = folder !== undefined && standing.has(folder) ? rows.get(path) : undefined;
      if (row !== undefined) found.push({ ...row, earlier: toEarlier(sheet) });
    }
    return found;
  }

  async #read(layout: ShareLayout, paths: JobPaths): Promise<readonly Recorded[]> {
    const { jobId } = paths;
    if (this.#ofJob?.jobId !== jobId) this.#ofJob = { jobId, records: new Map() };
    const { records } = this.#ofJob;
    const found: Recorded[] = [];
    for (const name of await listRecorded(layout, paths)) {
      let recorded = records.get(name);
      if (recorded === undefined) {
        const read = await readCorrection(layout, paths, name, () => undefined);
        if (read === undefined) continue;
        const { sheet, folder, rows } = read;
        recorded = { sheet, folder, rows: new Map(rows.map(toKept)) };
        records.set(name, recorded);
      }
      found.push(recorded);
    }
    return found;
  }
}

function toKept({ path, sha256, upload }: Correction['rows'][number]): readonly [string, KeptRow] {
  return [path, { sha256, ...(upload === undefined ? {} : { upload }) }];
}

function toEarlier(sheet: string): Earlier {
  return {
    sheet,
    why: `what was asked for before is still on its way, and nothing else goes beside it (${sheet})`,
  };
}

/** The folders of a job's corrections that are not at their end, as their records name them. */
async function listStanding(
  { fs, corrections }: ShareLayout,
  { jobId }: JobPaths,
): Promise<ReadonlySet<string>> {
  const list = async () => {
    const standing = new Set<string>();
    for await (const entry of fs.entries(corrections)) {
      const name = decodeName(entry.name);
      if (name?.startsWith(`${jobId} `))
        standing.add(name.endsWith(MOVING) ? name.slice(0, -MOVING.length) : name);
    }
    return standing;
  };
  return (await ifThere(list())) ?? new Set();
}
