// Takes up a claim that its owner left without a manifest: exactly one adopter gets it, and none while its owner lives.
import { join } from 'node:path';
import { type ClaimedBatch, type ClaimedFile, judgeFile } from './claim-files';
import { beginClaim, type ClaimOwner, endClaim } from './claim-owner';
import { comparePaths } from './drop-names';
import { hasManifest } from './manifest';
import { type ClaimWatch, listOpenBatches, readOwner } from './open-batches';
import { discardBatchFolder } from './put-back';
import { placeOf, scanDrop } from './scan-drop';
import { isGone } from './share-error';
import { type ShareFs, temporaryName } from './share-fs';
import { batchPaths, type ShareLayout } from './share-layout';
import { isThere, writeOnce } from './write-whole';

/**
 * @returns the claimed files, to be sealed like a fresh claim; undefined when there is nothing (left) to adopt: the
 * owner is at work, another adopter was faster, or the claim held no file and was removed.
 */
export async function adoptClaim(
  fs: ShareFs,
  layout: ShareLayout,
  watch: ClaimWatch,
  request: {
    readonly batchId: string;
    readonly watcherId: string;
    readonly maxFileBytes: number;
    readonly now: () => Date;
  },
): Promise<ClaimedBatch | undefined> {
  const { batchId } = request;
  const open = (await listOpenBatches(fs, layout, watch)).find(batch => batch.batchId === batchId);
  if (open?.state !== 'claiming' || open.claim !== 'abandoned') return undefined;

  const paths = batchPaths(join(layout.batches, batchId));
  const claimedAt = open.owner?.claimedAt ?? request.now().toISOString();
  const owner = beginClaim(request.watcherId, claimedAt, open.owner?.key);
  let isOurs = false;
  try {
    if (!(await takeOver(fs, paths.claim, open.owner, owner))) return undefined;
    // The owner may have come to its end between our look and now.
    if (await hasManifest(fs, paths)) return undefined;
    const files: ClaimedFile[] = [];
    // The owner may have died before there was a folder for files.
    const claimed = (await isThere(fs, paths.files)) ? scanDrop(fs, paths.files) : [];
    for await (const name of claimed) {
      const file = { ...name, facts: await fs.look(placeOf(paths.files, name)) };
      files.push({ ...file, refusal: judgeFile(file, request.maxFileBytes) });
    }
    if (files.length === 0) {
      await discardBatchFolder(fs, paths);
      return undefined;
    }
    files.sort((one, other) => comparePaths(one.path, other.path));
    isOurs = true;
    return { batchId, claimedAt, owner, paths, files };
  } finally {
    if (!isOurs) endClaim(owner.claimId);
  }
}

/** Renaming the dead owner's claim away succeeds for one adopter only. */
async function takeOver(
  fs: ShareFs,
  path: string,
  dead: ClaimOwner | undefined,
  owner: ClaimOwner,
): Promise<boolean> {
  const aside = join(path, '..', temporaryName());
  try {
    await fs.rename(path, aside);
    const taken = await readOwner(fs, aside);
    if (taken?.claimId !== dead?.claimId) {
      // Between our look and the rename somebody else adopted it: theirs goes back where it was.
      await fs.link(aside, path).catch(() => undefined);
      await fs.unlink(aside).catch(() => undefined);
      return false;
    }
    await fs.unlink(aside).catch(() => undefined);
  } catch (error) {
    if (!isGone(error)) throw error;
    if (dead !== undefined) return false;
  }
  return await writeOnce(fs, path, `${JSON.stringify(owner)}\n`);
}
