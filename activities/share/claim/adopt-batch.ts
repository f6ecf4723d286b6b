// Takes up a claim that its owner left without a manifest: exactly one adopter gets it,
// and none while its owner lives.
import { join } from 'node:path';
import { isGone } from '../../host/file-trouble';
import { hasManifest } from '../batch/manifest';
import { discardBatchFolder, finishPutBack, putBack } from '../batch/put-back';
import { ifThere } from '../files/if-there';
import { listOwnFiles } from '../files/own-files';
import { placeOf } from '../files/relative-path';
import { temporaryName } from '../files/share-fs';
import { type BatchPaths, openBatchPaths, type ShareLayout } from '../files/share-layout';
import { nameOnce, writeOnce } from '../files/write-whole';
import { isCopyFromElsewhere, undoCopy } from './claim-copy';
import { type ClaimedBatch, type ClaimedFile, judgeFile } from './claim-files';
import {
  beginClaim,
  type ClaimOwner,
  claimInto,
  endClaim,
  keepClaimed,
  readOwner,
  toClaimText,
} from './claim-owner';
import { isWanted, keyOf, readWanted, toName, type Wanted } from './claim-record';
import { type HeldClaim, requireOwnClaim } from './give-back';
import { isOfDrop, keepMistaken, type OnMistaken } from './keep-mistaken';
import { lookAtBatch, type OpenLook } from './open-batches';

/**
 * @returns the claimed files, to be sealed like a fresh claim; undefined when there is nothing (left) to
 * adopt: the owner is at work, another adopter was faster, or the claim held no file and was removed.
 */
export async function adoptClaim(
  layout: ShareLayout,
  look: OpenLook,
  request: {
    readonly batchId: string;
    readonly watcherId: string;
    readonly maxFileBytes: number;
    readonly onMistaken: OnMistaken;
    readonly now: () => Date;
  },
): Promise<ClaimedBatch | undefined> {
  const { batchId } = request;
  const open = await lookAtBatch(layout, look, batchId);
  if (open?.state !== 'claiming' || open.claim !== 'abandoned') return undefined;

  const paths = openBatchPaths(layout, batchId);
  const claimedAt = open.owner?.claimedAt ?? request.now().toISOString();
  const owner = beginClaim(request.watcherId, claimedAt, open.owner?.key);
  claimInto(batchId, owner);
  let isOurs = false;
  let letGo: (() => void) | undefined;
  try {
    if (!(await takeOver(paths, open.owner, owner))) return undefined;
    letGo = keepClaimed(paths, owner);
    // The owner may have come to its end between our look and now.
    if (await hasManifest(paths)) return undefined;
    const wanted = await readWanted(paths);
    const files = await takeUp(layout, { paths, owner }, wanted.files, request);
    if (files.length === 0) {
      await discardBatchFolder(paths);
      return undefined;
    }
    isOurs = true;
    return { batchId, claimedAt, owner, paths, files, job: wanted.job };
  } finally {
    letGo?.();
    if (!isOurs) endClaim(owner.claimId);
  }
}

/**
 * The files that the owner had noted, as it saw them. What else lies there, or has changed
 * since, goes back to settle anew, or is kept apart where it may have come from elsewhere.
 */
async function takeUp(
  layout: ShareLayout,
  held: HeldClaim,
  wanted: Wanted['files'],
  { maxFileBytes, onMistaken }: { readonly maxFileBytes: number; readonly onMistaken: OnMistaken },
): Promise<ClaimedFile[]> {
  const { paths } = held;
  for (const key of wanted.keys()) await undoCopy(layout, paths, toName(key));
  const files: ClaimedFile[] = [];
  for await (const name of listOwnFiles(layout.fs, layout.root, paths.files)) {
    const facts = await layout.fs.look(placeOf(paths.files, name));
    const known = wanted.get(keyOf(name));
    if (known === undefined || !(isWanted(facts, known) || isCopyFromElsewhere(facts, known))) {
      await requireOwnClaim(held);
      if (isOfDrop(layout, facts, known)) await putBack(layout, paths, name);
      else await keepMistaken(layout, paths, name, onMistaken);
      continue;
    }
    // The owner died while it gave this file back: it has both names.
    if (facts.links > 1) {
      await requireOwnClaim(held);
      if (await finishPutBack(layout, paths, name)) continue;
    }
    const file = { ...name, facts: known.identity === '' ? { ...facts, identity: '' } : facts };
    files.push({ ...file, refusal: judgeFile(file, maxFileBytes) });
  }
  const order = new Map([...wanted.keys()].map((key, place) => [key, place]));
  return files.sort((one, other) => (order.get(keyOf(one)) ?? 0) - (order.get(keyOf(other)) ?? 0));
}

/** Renaming the dead owner's claim away succeeds for one adopter only. */
async function takeOver(
  paths: BatchPaths,
  dead: ClaimOwner | undefined,
  owner: ClaimOwner,
): Promise<boolean> {
  const { fs } = paths;
  const aside = join(paths.folder, temporaryName());
  try {
    await fs.rename(paths.claim, aside);
    const taken = await readOwner(paths, aside);
    if (taken?.claimId !== dead?.claimId) {
      // Between our look and the rename somebody else adopted it: theirs goes back where it was.
      await ifThere(nameOnce(fs, aside, paths.claim));
      return false;
    }
    await fs.unlink(aside).catch(() => undefined);
  } catch (error) {
    if (!isGone(error)) throw error;
    if (dead !== undefined) return false;
  }
  return await writeOnce(fs, paths.claim, toClaimText(paths, owner));
}
