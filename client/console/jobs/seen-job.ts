// A job as the share shows it now, of whatever kind: a folder with its batches, loose files, or what waits in
// the drop folder.
import { toSpokenTime } from '../../../activities/registers/words/local-time';
import type { BatchDocuments } from '../../../activities/share/receipt/documents-so-far';
import type { ShownJob } from '../../../activities/share/share';
import type { MissingRow } from '../../../activities/share/status/missing-rows';
import { ownerOf } from '../../../activities/share/status/waiting-folder';
import { texts } from '../texts/texts';

export interface SeenJob {
  readonly share: string;
  /** Id of the job; of the batch for loose files. */
  readonly id: string;
  readonly kind: 'folder' | 'files';
  /** Undefined for loose files, and for what lies in the drop folder alone. */
  readonly job: ShownJob | undefined;
  readonly parts: readonly BatchDocuments[];
  /** Paths below the job's folder of files that still lie in the drop folder. */
  readonly inLine: readonly string[];
  /** Rows of its register whose files have not come. */
  readonly missing: readonly MissingRow[];
  /** Of a folder that lies in the drop folder: its register, and what that lists that is not there. */
  readonly register?: string | undefined;
  readonly waitsFor?: readonly string[] | undefined;
  /** Of such a folder: files that a job which has closed left there, for no row is about them. */
  readonly left?: readonly string[] | undefined;
  /** Batches of it that are there and spoilt: what did not come elsewhere may lie in them. */
  readonly unreadable: number;
  /** ISO. */
  readonly droppedAt: string;
  /** For people. */
  readonly name: string;
  readonly by: string | null;
}

/** Whether it was shown by this id while it lay in the drop folder: who looked at it then sees it go on. */
export function isOnceWaiting({ job }: Pick<SeenJob, 'job'>, id: string): boolean {
  const folder = job?.record.folder ?? null;
  return folder !== null && ownerOf({ top: folder }).jobId === id;
}

/** No document of it lies in the drop folder or is on its way any more. */
export function hasEnded({ job, parts, inLine }: SeenJob): boolean {
  if (job !== undefined) return job.isFinished;
  return inLine.length === 0 && parts.length > 0 && parts.every(({ isFinished }) => isFinished);
}

/** The path below the job's folder; the path as it is for loose files, which have none. */
export function belowJob({ job, kind, parts }: SeenJob, path: string): string {
  const folder = job?.record.folder ?? (kind === 'folder' ? folderOf(parts) : null);
  return folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function folderOf(parts: readonly BatchDocuments[]): string | null {
  return parts[0]?.sealed?.manifest.job?.name ?? null;
}

/** The name is the same on every day: it never says "today". */
export function nameFiles(droppedAt: string, zone: string): string {
  return texts.jobs.filesOf(toSpokenTime(droppedAt, '9999-01-01T00:00:00Z', zone));
}

/** Who dropped it, if one person dropped all of it; else null. */
export function tellBy(parts: readonly BatchDocuments[]): string | null {
  const all = [...new Set(parts.map(({ by }) => by))];
  return all.length === 1 ? (all[0] ?? null) : null;
}
