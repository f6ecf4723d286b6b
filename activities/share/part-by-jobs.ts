// Files that are claimed on demand, parted by jobs. A folder with a register is a job, as it is for the
// watcher: else only those of its files that share a batch with the register would have their rows.
import { hasSheetEnding } from '../registers/sheet/read-sheet';
import type { DropEntry } from './drop/scan-drop';
import { topOf } from './files/relative-path';
import type { JobRecord } from './jobs/job-record';
import type { DropFolder, DropRegisters, JobFolders, Jobs, NamedShare } from './share';

export interface AskedFiles {
  /** Undefined for files that are batches by themselves. */
  readonly job: JobRecord | undefined;
  /** In the order that they go in. */
  readonly paths: readonly string[];
}

/**
 * @returns `busy`: files whose register is still being saved, or open elsewhere; `left`: files that no row is
 * about, where the share leaves such files in the drop folder.
 * @throws ShareError `unreadable-now` where the job of a folder may be one whose record cannot be opened just
 * now: without it, files that belong to its rows would go in without them.
 */
export async function partByJobs(
  share: NamedShare & DropFolder & DropRegisters & Jobs & JobFolders,
  paths: readonly string[],
): Promise<{
  readonly parts: readonly AskedFiles[];
  readonly busy: readonly string[];
  readonly left: readonly string[];
}> {
  const tops = [...new Set(paths.map(topOf))];
  const open = await share.findOpenFolders(tops.filter(top => top !== ''));
  const parts: AskedFiles[] = [];
  const busy: string[] = [];
  const left: string[] = [];
  const ofJobs = new Set<string>();
  for (const top of tops) {
    const all = paths.filter(path => topOf(path) === top);
    const mayLeave = share.config.register?.leavesUnlisted === true;
    const staying = new Set(mayLeave ? await share.leaveUnlisted(top, await lookAt(share, all)) : []);
    const files = all.filter(path => !staying.has(path));
    for (const path of staying) ofJobs.add(path);
    left.push(...staying);
    if (top === '' || !(open.has(top) || files.some(hasSheetEnding))) continue;
    const begunWith = await share.readRegister(top, await lookAt(share, files));
    const isJob = begunWith?.register !== undefined || begunWith?.unusable?.ofOthers !== undefined;
    if (begunWith !== undefined && !isJob && !open.has(top)) continue;
    for (const path of files) ofJobs.add(path);
    if (begunWith === undefined) busy.push(...files);
    else parts.push(inRowOrder(await share.openJob(top, begunWith), files));
  }
  const plain = paths.filter(path => !ofJobs.has(path));
  return { parts: [...parts, { job: undefined, paths: plain }], busy, left };
}

async function lookAt(share: DropFolder, paths: readonly string[]): Promise<DropEntry[]> {
  const entries: DropEntry[] = [];
  for (const path of paths) {
    const entry = await share.look({ path });
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** The register first, that it is there for the first of its files; those without a row last. */
function inRowOrder(job: JobRecord, paths: readonly string[]): AskedFiles {
  const { folder, register } = job;
  if (register === undefined) return { job, paths };
  const order = [register.path, ...register.pairs.map(({ path }) => path)];
  const places = new Map(order.map((path, place) => [`${folder}/${path}`, place]));
  const placeOf = (path: string) => places.get(path) ?? order.length;
  return { job, paths: paths.toSorted((one, other) => placeOf(one) - placeOf(other)) };
}
