// A batch that was claimed for another project than the share's: the configuration was corrected since. As
// long as nothing of it was sent, it is sealed anew for the right one; after that it stays what it was, in
// sight, for a person to decide.
import type { ProjectRef } from '../../../workflows/contract';
import { hasCode } from '../../host/error-code';
import { readJournal } from '../batch/journal';
import { readManifest } from '../batch/manifest';
import { isThere, unlinkIfThere } from '../files/if-there';
import { ShareError, type ShareErrorCode } from '../files/share-error';
import type { BatchPaths } from '../files/share-layout';
import { judgeOwner, readOwner } from './claim-owner';
import { readWanted } from './claim-record';

export interface OtherProject {
  readonly project: ProjectRef;
  /** Something of it was sent, or may have been. */
  readonly isBegun: boolean;
}

/** Undefined when it is for the share's project. @throws what reading its manifest throws. */
export async function findOtherProject(paths: BatchPaths): Promise<OtherProject | undefined> {
  try {
    await readManifest(paths);
    return undefined;
  } catch (error) {
    if (!hasCode<ShareErrorCode>(error, 'project-differs')) throw error;
  }
  const { manifest } = await readManifest({ ...paths, project: undefined });
  return { project: manifest.project, isBegun: await isBegun(paths) };
}

/**
 * Which project a batch is for by now: its manifest's; a claim that is to be sealed is for the share's.
 * @throws ShareError `batch-unknown` when it is neither, or has lost its manifest after something was sent.
 */
export async function findProjectNow(paths: BatchPaths, now: ProjectRef): Promise<ProjectRef> {
  try {
    return (await readManifest({ ...paths, project: undefined })).manifest.project;
  } catch (error) {
    if (!hasCode<ShareErrorCode>(error, 'batch-unknown')) throw error;
    const isClaim = (await readWanted(paths)).files.size > 0;
    if (isClaim && !(await isBegun(paths))) return now;
    throw error;
  }
}

/** Whether something of it was sent, or may have been. */
async function isBegun(paths: BatchPaths): Promise<boolean> {
  let unreadable = 0;
  const records = await readJournal(paths, () => unreadable++);
  return (
    records.length > 0 ||
    unreadable > 0 ||
    (await isThere(paths.fs, paths.receipt)) ||
    (await isThere(paths.fs, paths.receiptSoFar))
  );
}

/**
 * Takes the manifest from a batch of which nothing was sent: it is a claim again, which is finished like any
 * other whose claimer has gone. The run that carried it must have stopped before: what it still noted would
 * count for the batch as it is sealed anew.
 */
async function unsealBatch(paths: BatchPaths): Promise<void> {
  const owner = await readOwner(paths);
  // Its claimer was through with it when it was sealed, but as long as that process lives the claim would
  // count as one that somebody is at work on.
  const claim = owner !== undefined && judgeOwner(owner) === 'alive' ? [paths.claim] : [];
  // The manifest last: without it the batch is taken up anew at once.
  for (const path of [...claim, paths.stopped, paths.hold, paths.manifest]) {
    await unlinkIfThere(paths.fs, path);
  }
  await paths.fs.syncFolder(paths.folder);
}

/**
 * Makes a batch that is for another project than `now` a claim again; nothing happens to all others.
 * @throws ShareError `project-differs` for one that was begun.
 */
export async function leaveOtherProject(paths: BatchPaths, now: ProjectRef): Promise<void> {
  const found = await findOtherProject(paths);
  if (found === undefined) return;
  if (found.isBegun) throw isBegunElsewhere(paths.batchId, found.project, now);
  await unsealBatch(paths);
}

/** The error for a batch that was begun, and stays for its project. */
function isBegunElsewhere(batchId: string, begun: ProjectRef, now: ProjectRef): ShareError {
  return new ShareError(
    'project-differs',
    `Batch ${batchId} was begun for project ${begun.projectId}, and the share's project is ${now.projectId} now. Set the share's project back until that batch has ended, or end its run and drop its files again from .drawbridge/batches/${batchId}/files`,
  );
}
