// Claims dropped files: each is renamed into a fresh folder of the batch, on the same share. A file is
// claimed once or not at all, whoever else watches; a fresh folder means that nothing can be overwritten.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MAX_BATCH_DOCUMENTS } from '../../../workflows/contract';
import { forEachLimited } from '../../host/concurrency';
import { isBusy, isGone, isTaken, troubleOf } from '../../host/file-trouble';
import { MAX_FILE_BYTES } from '../../transfer/segment-plan';
import type { JobOfBatch } from '../batch/manifest';
import { discardBatchFolder } from '../batch/put-back';
import { findNameFault } from '../drop/drop-names';
import type { FileRefusal } from '../drop/refuse-file';
import { type DropEntry, lookAtDrop } from '../drop/scan-drop';
import { isThere } from '../files/if-there';
import { lastNameOf } from '../files/open-folder';
import { isInnerPath, nameOf, placeOf, type RelativePath } from '../files/relative-path';
import { ShareError, toShareError } from '../files/share-error';
import { type FileFacts, Place } from '../files/share-fs';
import { type BatchPaths, openBatchPaths, type ShareLayout } from '../files/share-layout';
import { writeOnce } from '../files/write-whole';
import { noteBatch } from '../jobs/job-book';
import type { JobRecord } from '../jobs/job-record';
import { keyFolder } from './batches-of-key';
import { claimByCopy, undoCopy } from './claim-copy';
import { beginClaim, type ClaimOwner, claimInto, endClaim, keepClaimed, toClaimText } from './claim-owner';
import { isWanted, keyOf, writeWanted } from './claim-record';
import { byFolder, type ClaimFolders, openClaimFolders } from './folder-checks';
import { giveBack, requireOwnClaim } from './give-back';
import { Twins } from './give-back-twin';
import { isOfDrop, keepMistaken, type OnMistaken } from './keep-mistaken';
import type { NotClaimed } from './not-claimed';
import { countFiles, withoutRegister } from './without-register';

/** Renames under way at one time; the file system port has its own, lower limit. */
const PARALLEL = 4;

export interface ClaimedFile extends RelativePath {
  readonly facts: FileFacts;
  readonly refusal?: FileRefusal | undefined;
}

export interface ClaimedBatch {
  readonly batchId: string;
  readonly claimedAt: string;
  readonly owner: ClaimOwner;
  readonly paths: BatchPaths;
  /** In the order in which they were asked for. */
  readonly files: readonly ClaimedFile[];
  /** The job that they are part of. */
  readonly job?: JobOfBatch | undefined;
}

export interface ClaimRequest {
  /** Entries carry what was seen of a settled file; a bare path is looked at now. */
  readonly wanted: readonly (string | DropEntry)[];
  readonly watcherId: string;
  readonly key?: string | undefined;
  /** The job that they are to be part of. */
  readonly job?: JobRecord | undefined;
  readonly maxFileBytes: number;
  readonly onMistaken: OnMistaken;
  readonly now: () => Date;
}

export interface Claimed {
  readonly batch: ClaimedBatch | undefined;
  readonly notClaimed: readonly NotClaimed[];
  /** Nothing was taken, for nothing more becomes part of the job. */
  readonly isJobClosed?: true;
}

/**
 * Claims up to 100 files into one new batch, and the register of their job besides.
 * @returns no batch when none of them could be had, or the job is closed. The claim stays ours until
 * `endClaim`.
 * @throws ShareError when the share is away, full or read-only; what was claimed is then back in the drop
 * folder, or, if even that fails, in a batch without a manifest, which recovery finishes.
 */
export async function claimFiles(layout: ShareLayout, request: ClaimRequest): Promise<Claimed> {
  if (countFiles(request.job, request.wanted) > MAX_BATCH_DOCUMENTS) {
    throw new ShareError('bad-request', `A batch holds at most ${MAX_BATCH_DOCUMENTS} files.`);
  }
  const { onMistaken } = request;
  const notClaimed: NotClaimed[] = [];
  const wanted = await lookAtWanted(layout, request.wanted, notClaimed);
  if (wanted.length === 0) return { batch: undefined, notClaimed };

  const claimedAt = request.now();
  const owner = beginClaim(request.watcherId, claimedAt.toISOString(), request.key);
  const files: ClaimedFile[] = [];
  let entries: readonly DropEntry[] = [];
  let paths: BatchPaths | undefined;
  let letGo: (() => void) | undefined;
  try {
    const opened = await openBatchFolder(layout, owner, claimedAt);
    paths = opened;
    letGo = keepClaimed(opened, owner);
    const job = request.job && (await noteBatch(layout, request.job, opened.batchId));
    if (request.job !== undefined && job === undefined) {
      await discardBatchFolder(opened);
      endClaim(owner.claimId);
      return { batch: undefined, notClaimed: [], isJobClosed: true };
    }
    entries = await withoutRegister(layout, request.job, wanted, notClaimed);
    const twins = new Twins(layout, opened);
    await writeWanted(opened, entries, job);
    await forEachLimited(byFolder(entries), PARALLEL, async ofOneFolder => {
      await claimFolder(layout, opened, { owner, twins, onMistaken }, ofOneFolder, result => {
        if ('why' in result) notClaimed.push(result);
        else files.push({ ...result, refusal: judgeFile(result, request.maxFileBytes) });
      });
    });
    if (files.length > 0) {
      const order = new Map(entries.map((entry, place) => [keyOf(entry), place]));
      files.sort((one, other) => (order.get(keyOf(one)) ?? 0) - (order.get(keyOf(other)) ?? 0));
      const { batchId } = paths;
      return { batch: { batchId, claimedAt: owner.claimedAt, owner, paths, files, job }, notClaimed };
    }
    await discardBatchFolder(paths);
    endClaim(owner.claimId);
    return { batch: undefined, notClaimed };
  } catch (error) {
    try {
      if (paths !== undefined) {
        for (const file of files) await giveBack(layout, { paths, owner }, file);
        await requireOwnClaim({ paths, owner });
        for (const entry of entries) await undoCopy(layout, paths, entry);
        await discardBatchFolder(paths);
      }
    } catch {
      // The share is in no state for this, or it was for so long that somebody has taken the claim over; the
      // batch has no manifest, so recovery will take it up.
    } finally {
      endClaim(owner.claimId);
    }
    throw toShareError(error) ?? error;
  } finally {
    letGo?.();
  }
}

/** What is wrong with a claimed file, if anything. Pure. */
export function judgeFile(
  file: Pick<ClaimedFile, 'path' | 'bytes' | 'facts'>,
  maxFileBytes: number,
): FileRefusal | undefined {
  const { facts } = file;
  if (facts.kind === 'symlink') return 'shortcut';
  if (facts.kind !== 'file') return 'not-a-file';
  if (file.bytes !== undefined) return 'unreadable-name';
  const nameFault = findNameFault(nameOf(file.path));
  if (nameFault !== undefined) return nameFault;
  if (facts.links > 1) return 'linked-twice';
  if (facts.sizeBytes === 0) return 'empty-file';
  return facts.sizeBytes > Math.min(maxFileBytes, MAX_FILE_BYTES) ? 'too-large' : undefined;
}

async function lookAtWanted(
  layout: ShareLayout,
  wanted: readonly (string | DropEntry)[],
  notClaimed: NotClaimed[],
): Promise<DropEntry[]> {
  const entries = new Map<string, DropEntry>();
  for (const item of wanted) {
    const path = typeof item === 'string' ? item : item.path;
    if (!isInnerPath(path)) {
      throw new ShareError('bad-request', 'A path to claim is not inside the drop folder.');
    }
    const entry = typeof item === 'string' ? await lookAtDrop(layout.fs, layout.drop, { path }) : item;
    if (entry === undefined) notClaimed.push({ path, why: 'gone' });
    else entries.set(keyOf(entry), entry);
  }
  return [...entries.values()];
}

async function openBatchFolder(layout: ShareLayout, owner: ClaimOwner, claimedAt: Date): Promise<BatchPaths> {
  const { fs } = layout;
  for (;;) {
    const batchId = newBatchId(claimedAt);
    const paths = openBatchPaths(layout, batchId);
    claimInto(batchId, owner);
    try {
      await fs.makeFolder(paths.folder, { private: true });
    } catch (error) {
      if (isTaken(error)) continue;
      throw error;
    }
    if (owner.key !== undefined) {
      const folder = keyFolder(layout, owner.key);
      await fs.makeFolders(layout.own, folder);
      await fs.writeNew(join(folder, batchId), '');
      await fs.syncFolder(folder);
    }
    // Before the first file: a claimed file always lies beside the name of its claimer.
    await writeOnce(fs, paths.claim, toClaimText(paths, owner));
    await fs.makeFolder(paths.files);
    return paths;
  }
}

/** `20260131-093000-k3f9a2`: UTC of the claim, and six characters of chance. */
function newBatchId(at: Date): string {
  const [day = '', time = ''] = at.toISOString().split(/[T.]/);
  const letters = 'abcdefghijklmnopqrstuvwxyz234567';
  const random = [...randomBytes(6)].map(byte => letters[byte % 32]).join('');
  return `${day.replaceAll('-', '')}-${time.replaceAll(':', '')}-${random}`;
}

/** What lay there was not what had been seen; it is there still. */
class NotTheSame extends Error {}

interface Claiming {
  readonly owner: ClaimOwner;
  readonly twins: Twins;
  readonly onMistaken: OnMistaken;
}

async function claimFolder(
  layout: ShareLayout,
  paths: BatchPaths,
  claiming: Claiming,
  entries: readonly DropEntry[],
  tell: (result: ClaimedFile | NotClaimed) => void,
): Promise<void> {
  const [first] = entries;
  if (first === undefined) return;
  const folders = await openClaimFolders(layout, paths, first);
  if (folders === undefined) {
    for (const { path, bytes } of entries) tell({ path, bytes, why: 'gone' });
    return;
  }
  try {
    await forEachLimited(entries, PARALLEL, async entry => {
      tell(await claimOne(layout, paths, claiming, folders, entry));
    });
  } finally {
    await folders.close();
  }
}

async function claimOne(
  layout: ShareLayout,
  paths: BatchPaths,
  { owner, twins, onMistaken }: Claiming,
  folders: ClaimFolders,
  entry: DropEntry,
): Promise<ClaimedFile | NotClaimed> {
  const { fs } = layout;
  const { path, bytes } = entry;
  const name = lastNameOf(placeOf(layout.drop, entry));
  const source = new Place(folders.drop, name);
  const destination = new Place(folders.batch, name);
  if (!(await folders.areInPlace())) return { path, bytes, why: 'gone' };
  let copied: FileFacts | undefined;
  try {
    // What is saved anew just now could not be told later from what a link led to: it is left where it is.
    if (!fs.holdsFolders && !isWanted(await fs.look(source), entry)) throw new NotTheSame();
    await fs.rename(source, destination).catch(async error => {
      if (troubleOf(error) !== 'other-device') throw error;
      copied = await claimByCopy(paths, { source, destination }, entry);
      if (copied === undefined) throw new NotTheSame();
    });
    if (copied !== undefined) return { path, bytes, facts: copied };
  } catch (error) {
    if (error instanceof NotTheSame) return { path, bytes, why: 'changed' };
    if (isGone(error)) {
      // On NFS the response to a rename that did happen can be lost: the repeat then finds nothing.
      if (!(await isThere(fs, destination))) return { path, bytes, why: 'gone' };
    } else if (isBusy(error)) {
      return { path, bytes, why: 'busy' };
    } else if (toShareError(error) === undefined) {
      return { path, bytes, why: 'impossible' };
    } else {
      throw error;
    }
  }
  // Where folders cannot be held, it came from where the path led just then. Size and time prove nothing of
  // what came from elsewhere: whoever made the link can give his own file those of another one.
  const isInPlace = await folders.areInPlace();
  const facts = await fs.look(destination);
  const isAsSeen = isWanted(facts, entry);
  if (!(isAsSeen && isInPlace) && !isOfDrop(layout, facts, entry)) {
    await requireOwnClaim({ paths, owner });
    await keepMistaken(layout, paths, entry, onMistaken);
    return { path, bytes, why: 'mistaken' };
  }
  if (!isAsSeen) {
    await giveBack(layout, { paths, owner }, entry);
    return { path, bytes, why: 'changed' };
  }
  const claimed = facts.links > 1 ? await twins.end(entry, destination, facts) : facts;
  // Where inode numbers have proved to be none, they are not compared later either.
  return { path, bytes, facts: entry.identity === '' ? { ...claimed, identity: '' } : claimed };
}
