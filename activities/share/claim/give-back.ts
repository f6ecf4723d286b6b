// Gives files back out of a claim that is still one's own. Whoever stalls for long (a mount that hangs, a
// machine that was paused) is taken over meanwhile: its successor seals the files and sends them, and one
// that was given back then would be dropped a second time.
import { hasManifest } from '../batch/manifest';
import { putBack } from '../batch/put-back';
import type { RelativePath } from '../files/relative-path';
import { ShareError } from '../files/share-error';
import type { BatchPaths, ShareLayout } from '../files/share-layout';
import { type ClaimOwner, readOwner } from './claim-owner';

/** A claim, and whose it was when its files were claimed or taken up. */
export interface HeldClaim {
  readonly paths: BatchPaths;
  readonly owner: ClaimOwner;
}

/**
 * Called right before each thing is done that would undo the claim. Touches it as well, so that whoever
 * watches it begins anew, and nobody takes it over meanwhile.
 * @throws ShareError `unreadable-now` where somebody has taken it over, or it is sealed: then all is left as
 * it lies.
 */
export async function requireOwnClaim({ paths, owner }: HeldClaim): Promise<void> {
  const { fs, batchId, claim } = paths;
  const isOwn = (await readOwner(paths))?.claimId === owner.claimId && !(await hasManifest(paths));
  if (!isOwn) {
    throw new ShareError('unreadable-now', `The claim ${batchId} was taken over, and is left as it lies.`);
  }
  await fs.touch(claim);
}

/** Returns a claimed file to the drop folder. @throws ShareError as `requireOwnClaim`. */
export async function giveBack(layout: ShareLayout, held: HeldClaim, file: RelativePath): Promise<void> {
  await requireOwnClaim(held);
  await putBack(layout, held.paths, file);
}
