// From claimed files to a manifest: what each is, and the seal on all of it.
import { noteDroppedBy } from '../batch/dropped-by';
import { type Manifest, type SealedManifest, sealManifest } from '../batch/manifest';
import { discardBatchFolder } from '../batch/put-back';
import { parentOf } from '../files/open-folder';
import { syncFolders } from '../files/real-folder';
import { placeOf } from '../files/relative-path';
import { toShareError } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import type { ClaimedBatch } from './claim-files';
import { endClaim, keepClaimed } from './claim-owner';
import { type Carried, describeFiles, type ReturnedFile, type SealRequest, triesOf } from './describe-files';
import { requireOwnClaim } from './give-back';
import { keepUsed, readJobRegisters } from './job-registers';
import { MAX_TRIES } from './tries';

export type SealedBatch = SealedManifest & {
  readonly batchId: string;
  readonly returned: readonly ReturnedFile[];
};

/**
 * Hashes the claimed files and writes the manifest; ends the claim.
 * @returns undefined when no file was left to carry: all went back to the drop folder.
 * @throws ShareError when the share fails; the claim is then without a manifest and recovery finishes it.
 * An abort ends it the same way.
 */
export async function sealBatch(
  layout: ShareLayout,
  batch: ClaimedBatch,
  request: SealRequest,
): Promise<SealedBatch | { readonly batchId: undefined; readonly returned: readonly ReturnedFile[] }> {
  const letGo = keepClaimed(batch.paths, batch.owner);
  try {
    const jobs = await readJobRegisters(layout, batch, {
      ...request,
      mayWait: register => request.tries.add(triesOf(register)) < MAX_TRIES,
    });
    const { carried, returned } = await describeFiles(layout, batch, jobs, request);
    if (carried.length === 0) {
      await requireOwnClaim(batch);
      await discardBatchFolder(batch.paths);
      return { batchId: undefined, returned };
    }
    const order = new Map(jobs.documents.map((file, index) => [file, index]));
    carried.sort((one, other) => (order.get(one.file) ?? 0) - (order.get(other.file) ?? 0));
    const { files, registers } = keepUsed(
      carried.map(({ entry }) => entry),
      jobs.registers,
    );
    const manifest: Manifest = {
      version: 1,
      batchId: batch.batchId,
      share: request.share,
      project: request.project,
      createdAt: batch.claimedAt,
      ...(batch.job === undefined ? {} : { job: batch.job }),
      files,
      ...(registers.length === 0 ? {} : { registers }),
    };
    // A file may be sealed only once it is certain that a power cut leaves it in its place.
    const folders = carried.map(({ file }) => parentOf(placeOf(batch.paths.files, file)));
    await syncFolders(layout.fs, layout.batches, [batch.paths.files, ...folders]);
    const sealed = await sealManifest(batch.paths, manifest);
    // Only now: without a manifest the batch could still go back to the drop folder.
    const by = await findDropper(carried, request);
    if (by !== undefined) await noteDroppedBy(batch.paths, by);
    for (const { file } of carried) request.tries.forget(triesOf(file));
    return { batchId: batch.batchId, ...sealed, returned };
  } catch (error) {
    throw toShareError(error) ?? error;
  } finally {
    letGo();
    endClaim(batch.owner.claimId);
  }
}

/** The person who dropped the files, if all of them have the same owner. */
async function findDropper(
  carried: readonly Carried[],
  { personOf }: SealRequest,
): Promise<string | undefined> {
  const [owner, ...others] = new Set(carried.map(({ file }) => file.facts.owner));
  return owner === undefined || others.length > 0 ? undefined : await personOf(owner);
}
