// Rows for which something was asked before that waits, or is just being brought on its way: with a sheet
// that was corrected, or by hand. They go with that alone: what waits goes in no order, so that sent by
// anything else meanwhile they could become revisions without what was corrected.
import { join } from 'node:path';
import { isThere } from '../../files/if-there';
import type { OnNotOurs } from '../../files/own-marks';
import type { ShareLayout } from '../../files/share-layout';
import type { JobPaths } from '../../jobs/job-record';
import { listCorrections, MOVING } from './correction-record';

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
  const { fs, corrections } = layout;
  const waiting = new Map<string, Earlier>();
  for (const { sheet, folder, rows } of await listCorrections(layout, paths, onNotOurs)) {
    const own = folder && join(corrections, folder);
    if (own === undefined || !((await isThere(fs, own)) || (await isThere(fs, `${own}${MOVING}`)))) continue;
    const earlier = { sheet, why: `they go with what was asked for them before (${sheet})` };
    for (const { path } of rows) waiting.set(path, earlier);
  }
  return waiting;
}
