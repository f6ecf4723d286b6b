// From claimed files to a manifest: hashes each, reads the values its name gives, and seals the
// result. A file that changes under our hands goes back to the drop folder to settle again;
// after a few times it is set apart.
import type { ProjectRef } from '../../../workflows/contract';
import { forEachLimited } from '../../host/concurrency';
import { codeOf } from '../../host/error-code';
import { isBusy, isGone } from '../../host/file-trouble';
import type { FileHasher } from '../../transfer/hashing/hash-file';
import { planSegments } from '../../transfer/segment-plan';
import { noteDroppedBy } from '../batch/dropped-by';
import { type Manifest, type ManifestFile, type SealedManifest, sealManifest } from '../batch/manifest';
import { beginSealing } from '../batch/sealed-bytes';
import { mimeTypeOf } from '../drop/drop-names';
import { type NamePatterns, readNameValues } from '../drop/name-values';
import { explainFileRefusal, type FileRefusal } from '../drop/refuse-file';
import { openIfThere } from '../files/if-there';
import { lastNameOf, parentOf, requireInPlace } from '../files/open-folder';
import type { OnNotOurs } from '../files/own-marks';
import { syncFolders } from '../files/real-folder';
import { placeOf, type RelativePath } from '../files/relative-path';
import { toShareError } from '../files/share-error';
import { Place } from '../files/share-fs';
import type { ShareLayout } from '../files/share-layout';
import type { KeptRegisters } from '../jobs/kept-register';
import type { RegisterWords } from '../register/find-job-register';
import type { ClaimedBatch, ClaimedFile } from './claim-files';
import { endClaim } from './claim-owner';
import { type JobRegisters, keepUsed, orderedBy, readJobRegisters } from './job-registers';
import { discardBatchFolder, putBack } from './put-back';
import { MAX_TRIES, type Tries } from './tries';

const PARALLEL = 4;
const TOUCH_EVERY_MS = 10_000;

export interface SealRequest {
  readonly share: string;
  readonly project: ProjectRef;
  readonly maxFileBytes: number;
  readonly patterns: NamePatterns;
  readonly words: RegisterWords;
  readonly kept: KeptRegisters;
  readonly onNotOurs: OnNotOurs;
  readonly hasher: FileHasher;
  readonly tries: Tries;
  /** Who a file's owner is; undefined where that is no person. */
  readonly personOf: (uid: number) => Promise<string | undefined>;
  readonly signal?: AbortSignal | undefined;
}

export interface ReturnedFile extends RelativePath {
  readonly why: 'changed' | 'busy' | 'gone';
}

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
  const keepAlive = setInterval(
    () => void layout.fs.touch(batch.paths.claim).catch(() => undefined),
    TOUCH_EVERY_MS,
  );
  keepAlive.unref();
  try {
    const jobs = await readJobRegisters(layout, batch, {
      ...request,
      mayWait: register => request.tries.add(triesOf(register)) < MAX_TRIES,
    });
    const { carried, returned } = await describeFiles(layout, batch, jobs, request);
    if (carried.length === 0) {
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
    // Sealed is only what a power cut leaves in its place.
    const folders = carried.map(({ file }) => parentOf(placeOf(batch.paths.files, file)));
    await syncFolders(layout.fs, layout.batches, [batch.paths.files, ...folders]);
    const sealed = await sealManifest(batch.paths, manifest);
    // After it: without a manifest the batch may still go back.
    const by = await findDropper(carried, request);
    if (by !== undefined) await noteDroppedBy(batch.paths, by);
    for (const { file } of carried) request.tries.forget(triesOf(file));
    return { batchId: batch.batchId, ...sealed, returned };
  } catch (error) {
    throw toShareError(error) ?? error;
  } finally {
    clearInterval(keepAlive);
    endClaim(batch.owner.claimId);
  }
}

/** Of all files that are carried, if that is one person. */
async function findDropper(
  carried: readonly Carried[],
  { personOf }: SealRequest,
): Promise<string | undefined> {
  const [owner, ...others] = new Set(carried.map(({ file }) => file.facts.owner));
  return owner === undefined || others.length > 0 ? undefined : await personOf(owner);
}

interface Carried {
  readonly file: ClaimedFile;
  readonly entry: Omit<ManifestFile, 'index'>;
}

/**
 * Files that came with one register go on together, or not at all: one that settles anew would come without
 * its row.
 */
async function describeFiles(
  layout: ShareLayout,
  batch: ClaimedBatch,
  jobs: JobRegisters,
  request: SealRequest,
): Promise<{ readonly carried: Carried[]; readonly returned: readonly ReturnedFile[] }> {
  const described: Carried[] = [];
  const returned: ReturnedFile[] = [];
  const goBack = new Set(jobs.unsettled);
  await forEachLimited(jobs.documents, PARALLEL, async file => {
    const { refused, order, ...about } = jobs.about(file);
    const result = await describeFile(layout, batch, file, request);
    if (!('why' in result)) {
      const values = orderedBy(result.values, order);
      const entry = {
        ...result,
        ...about,
        values,
        ...(refused === undefined ? {} : { values: {}, refused }),
      };
      described.push({ file, entry });
      return;
    }
    returned.push(result);
    if (result.why === 'gone') return;
    for (const other of jobs.companionsOf(file) ?? []) if (other !== file) goBack.add(other);
  });
  const isReturned = new Set(returned.map(({ path }) => path));
  for (const file of goBack) {
    if (isReturned.has(file.path)) continue;
    await putBack(layout, batch.paths, file);
    returned.push({ path: file.path, bytes: file.bytes, why: 'changed' });
  }
  return { carried: described.filter(({ file }) => !goBack.has(file)), returned };
}

async function describeFile(
  layout: ShareLayout,
  batch: ClaimedBatch,
  file: ClaimedFile,
  request: SealRequest,
): Promise<Omit<ManifestFile, 'index'> | ReturnedFile> {
  if (file.refusal !== undefined) return toRefusedFile(file, file.refusal, request);

  const path = placeOf(batch.paths.files, file);
  const folder = await openIfThere(layout.fs, layout.root, parentOf(path));
  if (folder === undefined) return { path: file.path, bytes: file.bytes, why: 'gone' };
  try {
    return await hashFile(layout, batch, { file, place: new Place(folder, lastNameOf(path)) }, request);
  } finally {
    await folder.close();
  }
}

/**
 * Through its folder, held open: what is hashed is what was claimed, and not what a path leads to by then.
 */
async function hashFile(
  layout: ShareLayout,
  batch: ClaimedBatch,
  { file, place }: { readonly file: ClaimedFile; readonly place: Place },
  request: SealRequest,
): Promise<Omit<ManifestFile, 'index'> | ReturnedFile> {
  const refused = (refusal: FileRefusal) => toRefusedFile(file, refusal, request);
  const trouble = async (why: 'changed' | 'busy', after: FileRefusal) => {
    if (request.tries.add(triesOf(file)) >= MAX_TRIES) return refused(after);
    await putBack(layout, batch.paths, file);
    return { path: file.path, bytes: file.bytes, why };
  };
  try {
    const segments = planSegments(file.facts.sizeBytes);
    const sealing = beginSealing(batch.paths.seals);
    const hashed = await request.hasher.hashFile(place.path.toString(), {
      segments,
      sealKey: sealing.key,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    await requireInPlace(place);
    const now = await layout.fs.look(place);
    if (!isSame(file, now) || hashed.sizeBytes !== now.sizeBytes) {
      return await trouble('changed', 'keeps-changing');
    }
    return {
      ...factsOf(file),
      sha256: hashed.sha256,
      ...(hashed.segments.length > 1 ? { segments: hashed.segments.map(segment => ({ ...segment })) } : {}),
      ...sealing.keep(hashed.byteSeals),
      values: { ...readNameValues(file.path, request.patterns) } as ManifestFile['values'],
    };
  } catch (error) {
    if (request.signal?.aborted) throw error;
    const fault = systemFault(error);
    const reason = reasonOf(error);
    if (isGone(fault) || reason === 'file-missing')
      return { path: file.path, bytes: file.bytes, why: 'gone' };
    const now = await layout.fs.look(place).catch(() => undefined);
    if (reason === 'file-changed' || (now !== undefined && !isSame(file, now))) {
      return await trouble('changed', 'keeps-changing');
    }
    if (isBusy(fault)) return await trouble('busy', 'unreadable-file');
    const shareError = toShareError(fault);
    // One file that cannot be read must not hold back the others for ever; the
    // share as a whole may only be away.
    if (shareError?.code === 'share-away' && codeOf(fault) === 'EIO') {
      if (request.tries.add(triesOf(file)) >= MAX_TRIES) return refused('unreadable-file');
    }
    if (shareError === undefined && reason === 'file-unreadable')
      return await trouble('busy', 'unreadable-file');
    throw shareError ?? error;
  }
}

function toRefusedFile(
  file: ClaimedFile,
  refusal: FileRefusal,
  { maxFileBytes }: SealRequest,
): Omit<ManifestFile, 'index'> {
  return { ...factsOf(file), values: {}, refused: explainFileRefusal(refusal, maxFileBytes) };
}

/** By what a file is counted again when it comes back. */
function triesOf(file: ClaimedFile): string {
  return file.facts.identity === '' ? file.path : file.facts.identity;
}

/** What the upload engine's hasher says of a file, in its own words. */
function reasonOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'reason' in error ? error.reason : undefined;
}

/** The hasher may wrap what the file system said; the innermost errno is what counts. */
function systemFault(error: unknown): unknown {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return codeOf(cause)?.startsWith('E') ? cause : error;
}

function factsOf(
  file: ClaimedFile,
): Pick<ManifestFile, 'path' | 'pathBytes' | 'sizeBytes' | 'mtimeNs' | 'mimeType'> {
  return {
    path: file.path,
    ...(file.bytes === undefined ? {} : { pathBytes: file.bytes.toString('base64') }),
    sizeBytes: file.facts.sizeBytes,
    mtimeNs: file.facts.mtimeNs.toString(),
    mimeType: mimeTypeOf(file.path),
  };
}

function isSame(file: ClaimedFile, now: { sizeBytes: number; mtimeNs: bigint; kind: string }): boolean {
  return now.kind === 'file' && now.sizeBytes === file.facts.sizeBytes && now.mtimeNs === file.facts.mtimeNs;
}
