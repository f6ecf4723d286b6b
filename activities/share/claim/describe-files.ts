// The claimed files of a batch as its manifest has them: each is hashed, with the values that its name gives.
// A file that changes under our hands goes back to the drop folder to settle again; after a few times it is
// set apart.
import type { ProjectRef } from '../../../workflows/contract';
import { createLimit, forEachLimited } from '../../host/concurrency';
import { codeOf, hasCode } from '../../host/error-code';
import { isBusy, isGone, type SystemCode } from '../../host/file-trouble';
import {
  FEW_BYTES,
  type FileHasher,
  type HashedFile,
  type HashFileInput,
} from '../../transfer/hashing/hash-file';
import { planSegments } from '../../transfer/segment-plan';
import type { ManifestFile } from '../batch/manifest';
import { beginSealing } from '../batch/sealed-bytes';
import { mimeTypeOf } from '../drop/drop-names';
import { type NamePatterns, readNameValues } from '../drop/name-values';
import { explainFileRefusal, type FileRefusal } from '../drop/refuse-file';
import { openIfThere } from '../files/if-there';
import { lastNameOf, parentOf, requireInPlace } from '../files/open-folder';
import type { OnNotOurs } from '../files/own-marks';
import { placeOf, type RelativePath } from '../files/relative-path';
import { toShareError } from '../files/share-error';
import { type OpenFolder, Place, type ShareFs } from '../files/share-fs';
import type { ShareLayout } from '../files/share-layout';
import type { KeptRegisters } from '../jobs/kept-register';
import type { RegisterWords } from '../register/find-job-register';
import type { ClaimedBatch, ClaimedFile } from './claim-files';
import { byFolder } from './folder-checks';
import { giveBack } from './give-back';
import { type JobRegisters, orderedBy } from './job-registers';
import { MAX_TRIES, type Tries } from './tries';

/** Files of many bytes that are hashed at one time, and folders that are held open for it. */
const PARALLEL = 4;

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
  /** The person that the owner (uid) of a file is; undefined where that is no person. */
  readonly personOf: (uid: number) => Promise<string | undefined>;
  readonly signal?: AbortSignal | undefined;
}

export interface ReturnedFile extends RelativePath {
  readonly why: 'changed' | 'busy' | 'gone';
}

export interface Carried {
  readonly file: ClaimedFile;
  readonly entry: Omit<ManifestFile, 'index'>;
}

/**
 * Files that came with one register go on together, or not at all: one that settles anew would come without
 * its row.
 */
export async function describeFiles(
  layout: ShareLayout,
  batch: ClaimedBatch,
  jobs: JobRegisters,
  request: SealRequest,
): Promise<{ readonly carried: Carried[]; readonly returned: readonly ReturnedFile[] }> {
  const described: Carried[] = [];
  const returned: ReturnedFile[] = [];
  const goBack = new Set(jobs.unsettled);
  const describe = async (file: ClaimedFile, folder: OpenFolder | undefined) => {
    const { refused, order, ...about } = jobs.about(file);
    const result = await describeFile(layout, batch, { file, folder }, request);
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
  };
  const limit = createLimit(PARALLEL);
  await forEachLimited(byFolder(jobs.documents), PARALLEL, async ofOneFolder => {
    const folder = await openFolderOf(layout, batch, ofOneFolder);
    try {
      // Files of few bytes all at once: the hashing threads take many of them in one message.
      const few = ofOneFolder.filter(hasFewBytes);
      const others = ofOneFolder.filter(file => !hasFewBytes(file));
      await forEachLimited(few, few.length, file => describe(file, folder));
      await forEachLimited(others, PARALLEL, file => limit(() => describe(file, folder)));
    } finally {
      await folder?.close();
    }
  });
  const isReturned = new Set(returned.map(({ path }) => path));
  for (const file of goBack) {
    if (isReturned.has(file.path)) continue;
    await giveBack(layout, batch, file);
    returned.push({ path: file.path, bytes: file.bytes, why: 'changed' });
  }
  return { carried: described.filter(({ file }) => !goBack.has(file)), returned };
}

/** Opened once for all of them; undefined when it is gone, or nothing in it is to be hashed. */
async function openFolderOf(
  layout: ShareLayout,
  batch: ClaimedBatch,
  files: readonly ClaimedFile[],
): Promise<OpenFolder | undefined> {
  const first = files.find(({ refusal }) => refusal === undefined);
  if (first === undefined) return undefined;
  return await openIfThere(layout.fs, layout.root, parentOf(placeOf(batch.paths.files, first)));
}

async function describeFile(
  layout: ShareLayout,
  batch: ClaimedBatch,
  { file, folder }: { readonly file: ClaimedFile; readonly folder: OpenFolder | undefined },
  request: SealRequest,
): Promise<Omit<ManifestFile, 'index'> | ReturnedFile> {
  if (file.refusal !== undefined) return toRefusedFile(file, file.refusal, request);
  if (folder === undefined) return { path: file.path, bytes: file.bytes, why: 'gone' };
  const place = new Place(folder, lastNameOf(placeOf(batch.paths.files, file)));
  return await hashFile(layout, batch, { file, place }, request);
}

/**
 * Through its folder, held open: what is hashed is the file that was seen, and not what a path leads to by
 * then. Undefined where it is no longer as it was seen.
 */
export async function hashInPlace(
  { fs, hasher }: { readonly fs: ShareFs; readonly hasher: FileHasher },
  { file, place }: { readonly file: ClaimedFile; readonly place: Place },
  how: Omit<HashFileInput, 'segments'>,
): Promise<HashedFile | undefined> {
  const segments = planSegments(file.facts.sizeBytes);
  const hashed = await hasher.hashFile(place.path.toString(), { segments, ...how });
  await requireInPlace(place);
  const now = await fs.look(place);
  return isSame(file, now) && hashed.sizeBytes === now.sizeBytes ? hashed : undefined;
}

async function hashFile(
  layout: ShareLayout,
  batch: ClaimedBatch,
  { file, place }: { readonly file: ClaimedFile; readonly place: Place },
  request: SealRequest,
): Promise<Omit<ManifestFile, 'index'> | ReturnedFile> {
  const refused = (refusal: FileRefusal) => toRefusedFile(file, refusal, request);
  const trouble = async (why: 'changed' | 'busy', after: FileRefusal) => {
    if (request.tries.add(triesOf(file)) >= MAX_TRIES) return refused(after);
    await giveBack(layout, batch, file);
    return { path: file.path, bytes: file.bytes, why };
  };
  try {
    const sealing = hasFewBytes(file) ? undefined : beginSealing(batch.paths.seals);
    const from = { fs: layout.fs, hasher: request.hasher };
    const hashed = await hashInPlace(
      from,
      { file, place },
      {
        ...(sealing === undefined ? {} : { sealKey: sealing.key }),
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      },
    );
    if (hashed === undefined) return await trouble('changed', 'keeps-changing');
    return {
      ...factsOf(file),
      sha256: hashed.sha256,
      ...(hashed.segments.length > 1 ? { segments: hashed.segments.map(segment => ({ ...segment })) } : {}),
      ...sealing?.keep(hashed.byteSeals),
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
    if (shareError?.code === 'share-away' && hasCode<SystemCode>(fault, 'EIO')) {
      if (request.tries.add(triesOf(file)) >= MAX_TRIES) return refused('unreadable-file');
    }
    if (shareError === undefined && reason === 'file-unreadable')
      return await trouble('busy', 'unreadable-file');
    throw shareError ?? error;
  }
}

function hasFewBytes({ facts }: ClaimedFile): boolean {
  return facts.sizeBytes <= FEW_BYTES;
}

function toRefusedFile(
  file: ClaimedFile,
  refusal: FileRefusal,
  { maxFileBytes }: SealRequest,
): Omit<ManifestFile, 'index'> {
  return { ...factsOf(file), values: {}, refused: explainFileRefusal(refusal, maxFileBytes) };
}

/** The key under which the tries of a file are counted: it is the same when the file comes back. */
export function triesOf(file: ClaimedFile): string {
  return file.facts.identity === '' ? file.path : file.facts.identity;
}

/** The hasher's own code for what is wrong with a file. */
function reasonOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'reason' in error ? error.reason : undefined;
}

/** The hasher may wrap what the file system said; the innermost errno is what counts. */
function systemFault(error: unknown): unknown {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return codeOf(cause)?.startsWith('E') ? cause : error;
}

/** What a manifest says of the file itself. */
export function factsOf(
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
