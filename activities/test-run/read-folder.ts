// What a job made of a folder would have in its manifests: the same look at names, register and bytes, and
// nothing is moved, made or written.

import { systemClock } from '../host/clock';
import { createLimit, forEachLimited } from '../host/concurrency';
import { isGone, troubleOf } from '../host/file-trouble';
import { compareNatural } from '../registers/natural-order';
import type { Manifest, ManifestFile } from '../share/batch/manifest';
import { type ClaimedFile, judgeFile } from '../share/claim/claim-files';
import { factsOf, hashInPlace } from '../share/claim/describe-files';
import { byFolder } from '../share/claim/folder-checks';
import { type FoundRegister, keepUsed, orderedBy, readRegistersAmong } from '../share/claim/job-registers';
import { compileNamePatterns, readNameValues } from '../share/drop/name-values';
import { explainFileRefusal, type FileRefusal } from '../share/drop/refuse-file';
import { scanDrop } from '../share/drop/scan-drop';
import { lookIfThere, openIfThere } from '../share/files/if-there';
import { lastNameOf, parentOf } from '../share/files/open-folder';
import { nameOf, placeOf } from '../share/files/relative-path';
import { isFileError, ShareError, toShareError } from '../share/files/share-error';
import { type OpenFolder, Place, type ShareFs } from '../share/files/share-fs';
import { cutJob } from '../share/jobs/cut-job';
import { openRegisterFile, openSheetFile } from '../share/register/open-sheet';
import { registerWordsOf } from '../share/register/register-words';
import { SHARE_DEFAULTS, type ShareConfig } from '../share/share-config';
import { isSourceFileError } from '../transfer/errors';
import type { FileHasher } from '../transfer/hashing/hash-file';

export interface TriedFolder {
  readonly fs: ShareFs;
  /** Nothing outside it is read. */
  readonly root: string;
  /** The folder that the tried one lies in. */
  readonly base: string;
  readonly name: string;
  /** For a folder that is not there yet: the files that it would have. Only its sheets are there. */
  readonly listed?: readonly ListedFile[] | undefined;
}

export interface ListedFile {
  /** Below the folder. */
  readonly path: string;
  readonly sizeBytes: number;
  /** As whoever has the file works it out; absent where nobody did, and it is not compared. */
  readonly sha256?: string | undefined;
}

export interface TriedWith {
  readonly config: ShareConfig;
  readonly hasher: FileHasher;
  /** Called before any file is hashed or the service is asked; what it throws ends the test. */
  readonly onRegister?: ((register: FoundRegister | undefined) => void) | undefined;
}

export interface TriedJob {
  /** One for each batch, never written anywhere; paths as they would be in the drop folder. */
  readonly manifests: readonly Manifest[];
  readonly register: FoundRegister | undefined;
  /** Rows of the register whose files are not there; what each says in the receipt. */
  readonly notThere: readonly { readonly row: number; readonly file: string; readonly text: string }[];
  readonly notices: readonly string[];
  /** Names that would be left where they lie. */
  readonly ignored: readonly string[];
  /** Files that no row is about, where the share leaves those; below the folder. */
  readonly left: readonly string[];
}

/** More is no package that somebody tries, but a whole share. */
const MOST_FILES = 20_000;
const PARALLEL = 4;

export async function readTriedJob(
  folder: TriedFolder,
  { config, hasher, onRegister }: TriedWith,
  signal: AbortSignal,
): Promise<TriedJob> {
  const { files, ignored } = await listFiles(folder, config, signal);
  const jobs = await readRegistersAmong(files, (file, mostBytes) => openSheet(folder, file, mostBytes), {
    words: registerWordsOf(config),
    maxFileBytes: config.maxFileBytes,
    mayWait: () => false,
  });
  onRegister?.(jobs.found[0]);
  const unlisted = config.register?.leavesUnlisted === true ? jobs.found[0]?.matches.unlisted : undefined;
  const left = new Set((unlisted ?? []).map(path => `${folder.name}/${path}`));
  const documents = jobs.documents.filter(({ path, bytes }) => bytes !== undefined || !left.has(path));
  const patterns = compileNamePatterns(config);
  const entries = new Map<ClaimedFile, Omit<ManifestFile, 'index'>>();
  const describe = async (file: ClaimedFile, open: OpenFolder | undefined) => {
    const { refused, order, ...about } = jobs.about(file);
    const described = await describeFile(folder, { file, open }, config, hasher, signal);
    const values = { ...readNameValues(file.path, patterns) } as ManifestFile['values'];
    const entry = { ...described, ...about, values: orderedBy(values, order) };
    const why = described.refused ?? refused;
    entries.set(file, why === undefined ? entry : { ...entry, values: {}, refused: why });
  };
  const limit = createLimit(PARALLEL);
  await forEachLimited(byFolder(documents), PARALLEL, async ofOneFolder => {
    const open = await openFolderOf(folder, ofOneFolder);
    try {
      await forEachLimited(ofOneFolder, PARALLEL, file => limit(() => describe(file, open)));
    } finally {
      await open?.close();
    }
  });
  const inOrder = documents.flatMap(file => entries.get(file) ?? []);
  const parts = cutJob(inOrder, { maxFiles: config.maxBatchFiles, maxBytes: config.maxBatchBytes });
  const manifests = parts.map((part, at): Manifest => {
    const { files: ofPart, registers } = keepUsed(part, jobs.registers);
    return {
      version: 1,
      batchId: `test-${at + 1}`,
      share: config.name,
      project: config.project,
      createdAt: new Date(systemClock.wallMs()).toISOString(),
      files: ofPart,
      ...(registers.length === 0 ? {} : { registers }),
    };
  });
  return {
    manifests,
    register: jobs.found[0],
    notThere: jobs.registers.flatMap(({ notThere }) => notThere),
    notices: jobs.registers.flatMap(({ notices }) => notices),
    ignored,
    left: unlisted ?? [],
  };
}

/** The sheets of a listed folder lie at `base` itself, for the folder is not there yet. */
async function openSheet(folder: TriedFolder, file: ClaimedFile, mostBytes: number): Promise<Buffer> {
  if (folder.listed === undefined) return await openRegisterFile(folder, folder.base, file, mostBytes);
  const place = { path: file.path.slice(folder.name.length + 1) };
  const facts = await lookIfThere(folder.fs, placeOf(folder.base, place));
  return await openSheetFile(folder, folder.base, { ...place, facts: facts ?? file.facts }, mostBytes);
}

function fromListing({ name, listed = [] }: TriedFolder, config: ShareConfig): readonly ClaimedFile[] {
  const files = listed.map(({ path, sizeBytes }) => {
    const facts = {
      kind: 'file' as const,
      sizeBytes,
      mtimeNs: 0n,
      identity: '',
      device: 0n,
      links: 1,
      owner: 0,
      mode: 0o600,
    };
    const file = { path: `${name}/${path}`, facts };
    return { ...file, refusal: judgeFile(file, config.maxFileBytes) };
  });
  return files.sort((one, other) => compareNatural(one.path, other.path));
}

async function listFiles(
  folder: TriedFolder,
  config: ShareConfig,
  signal: AbortSignal,
): Promise<{ readonly files: readonly ClaimedFile[]; readonly ignored: readonly string[] }> {
  const { fs, base, name } = folder;
  if (folder.listed !== undefined) return { files: fromListing(folder, config), ignored: [] };
  const marker = `${name}/${config.jobMarker ?? SHARE_DEFAULTS.jobMarker}`;
  const ignored: string[] = [];
  const files: ClaimedFile[] = [];
  const onIgnored = (path: string, isFolder: boolean) => {
    if (isFolder || path !== marker) ignored.push(path.slice(name.length + 1));
  };
  for await (const found of scanDrop(fs, base, { under: name, signal, onIgnored })) {
    if (found.path === marker) continue;
    if (files.length >= MOST_FILES) {
      throw new ShareError(
        'folder-too-large',
        `"${name}" has more than ${MOST_FILES.toLocaleString('en-GB')} files, so it was not tested. Test a part of it at a time.`,
      );
    }
    const facts = await lookIfThere(fs, placeOf(base, found));
    if (facts === undefined || facts.kind === 'folder') continue;
    const file = { ...found, facts };
    files.push({ ...file, refusal: judgeFile(file, config.maxFileBytes) });
  }
  signal.throwIfAborted();
  return { files: files.sort((one, other) => compareNatural(one.path, other.path)), ignored };
}

/**
 * Opened once for all of them: a folder that is exchanged for a link leads to no file from elsewhere.
 * Undefined when it is gone, may not be read, or nothing in it is to be hashed.
 */
async function openFolderOf(
  { fs, root, base, listed }: TriedFolder,
  files: readonly ClaimedFile[],
): Promise<OpenFolder | undefined> {
  const first = files.find(({ refusal }) => refusal === undefined);
  if (first === undefined || listed !== undefined) return undefined;
  try {
    return await openIfThere(fs, root, parentOf(placeOf(base, first)));
  } catch (error) {
    if (isFileError(error) || troubleOf(error) === 'denied') return undefined;
    throw toShareError(error) ?? error;
  }
}

async function describeFile(
  { fs, base, name, listed }: TriedFolder,
  { file, open }: { readonly file: ClaimedFile; readonly open: OpenFolder | undefined },
  { maxFileBytes }: ShareConfig,
  hasher: FileHasher,
  signal: AbortSignal,
): Promise<Omit<ManifestFile, 'index'>> {
  const known = { ...factsOf(file), values: {} };
  const refuse = (refusal: FileRefusal) => ({ ...known, refused: explainFileRefusal(refusal, maxFileBytes) });
  if (file.refusal !== undefined) return refuse(file.refusal);
  if (listed !== undefined) {
    const sha256 = listed.find(each => `${name}/${each.path}` === file.path)?.sha256;
    return { ...known, ...(sha256 === undefined ? {} : { sha256 }) };
  }
  if (open === undefined) return refuse('unreadable-file');
  try {
    const place = new Place(open, lastNameOf(placeOf(base, file)));
    const hashed = await hashInPlace({ fs, hasher }, { file, place }, { signal });
    return hashed === undefined ? refuse('keeps-changing') : { ...known, sha256: hashed.sha256 };
  } catch (error) {
    signal.throwIfAborted();
    if (isFileError(error) || isGone(error)) return refuse('keeps-changing');
    // Of a share that is away for a moment, or a machine that is short of handles, no file is to blame.
    if (!isSourceFileError(error)) throw toShareError(error) ?? error;
    return refuse(error.reason === 'file-changed' ? 'keeps-changing' : 'unreadable-file');
  }
}

/** The name of the file as the service would get it. */
export function fileNameOf({ path }: Pick<ManifestFile, 'path'>): string {
  return nameOf(path).normalize('NFC');
}
