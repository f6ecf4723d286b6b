// Files that travel with an observation: they lie in a folder of their own beside the drop folder and are
// only read. Others may write there: each file is opened once, hashed, and sent through the same opening, so
// that what was looked at is what is sent.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { contentType } from 'mime-types';
import { isGone, troubleOf } from '../../host/file-trouble';
import { judgeNames } from '../files/only-name';
import { hasDescriptorPaths, openFolderAt, Place, pathOf } from '../files/open-folder';
import { isNoFolder } from '../files/real-folder';
import { isInnerPath } from '../files/relative-path';
import { ShareError, toShareError } from '../files/share-error';
import { createNodeShareFs, toFacts } from '../files/share-fs';
import { findNameFault } from './drop-names';

/** Below the share's folder; the watcher does not look into it. */
export const ATTACHMENTS_FOLDER = 'observations';
/** More would hardly reach the service in one request. */
const MAX_BYTES = 200 * 1024 ** 2;
const CHUNK_BYTES = 256 * 1024;

export interface AttachmentFile {
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /**
   * Called once for each attempt; reads from the beginning. Throws ShareError `file-changed` before the last
   * bytes when they are not those that were hashed.
   */
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly close: () => Promise<void>;
}

/** Opens files below one share's folder for attachments. The caller closes what it gives. */
export type OpenAttachment = (path: string) => Promise<AttachmentFile>;

export interface AttachmentOptions {
  /** Whether folders are held by descriptor, as for the share's files; false for what other systems do. */
  readonly byDescriptor?: boolean;
}

/**
 * @throws ShareError `file-missing` or `file-refused`, which concern this file only, or `share-away`.
 */
export async function findAttachment(
  shareFolder: string,
  path: string,
  options: AttachmentOptions = {},
): Promise<AttachmentFile> {
  if (!isInnerPath(path)) throw new ShareError('file-refused', `"${path}" leads out of its folder.`);
  const fileName = path.split('/').at(-1) ?? path;
  if (findNameFault(fileName) !== undefined)
    throw new ShareError('file-refused', `"${path}" has a name that cannot be sent.`);
  const handle = await openBelow(shareFolder, path, options.byDescriptor ?? hasDescriptorPaths());
  try {
    const sizeBytes = await sizeOf(handle, path);
    const sha256 = await hashOf(handle, sizeBytes);
    return {
      fileName,
      contentType: contentType(fileName) || 'application/octet-stream',
      sizeBytes,
      sha256,
      open: () => readAll(handle, path, { sizeBytes, sha256 }),
      close: async () => await handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw toShareError(error) ?? error;
  }
}

/** A link that somebody put into the folder, or puts there meanwhile, must not lead the reading elsewhere. */
async function openBelow(shareFolder: string, path: string, byDescriptor: boolean): Promise<FileHandle> {
  const names = [ATTACHMENTS_FOLDER, ...path.split('/')];
  try {
    const root = await realpath(shareFolder);
    const folder = await openFolderAt(root, names.slice(0, -1), { make: false, byDescriptor }, work =>
      work(),
    );
    try {
      const place = new Place(folder, names.at(-1) ?? '');
      const handle = await openRegular(pathOf(place));
      try {
        if (!(await folder.isInPlace()))
          throw new ShareError('file-refused', `The folder of "${path}" was exchanged while it was opened.`);
        await requireOneFile(handle, place, path);
        return handle;
      } catch (error) {
        await handle.close();
        throw error;
      }
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (troubleOf(error) === 'link') throw new ShareError('file-refused', `"${path}" is a link.`, error);
    if (isNoFolder(error) && (await isBehindLink(join(shareFolder, ...names.slice(0, -1)))))
      throw new ShareError('file-refused', `"${path}" lies behind a link.`, error);
    if (isGone(error)) throw new ShareError('file-missing', `There is no file "${path}".`, error);
    throw toShareError(error) ?? error;
  }
}

/** For the message only. */
async function isBehindLink(folder: string): Promise<boolean> {
  return await realpath(folder).then(
    () => true,
    () => false,
  );
}

async function requireOneFile(handle: FileHandle, place: Place, path: string): Promise<void> {
  const opened = toFacts(await handle.stat({ bigint: true }));
  if (opened.kind !== 'file') throw new ShareError('file-refused', `"${path}" is no file.`);
  const names = await judgeNames(createNodeShareFs(), place, opened);
  if (names === 'linked-twice')
    throw new ShareError('file-refused', `"${path}" has another name somewhere else (a hard link).`);
  if (names === 'exchanged')
    throw new ShareError('file-changed', `"${path}" was exchanged while it was opened.`);
}

async function sizeOf(handle: FileHandle, path: string): Promise<number> {
  const facts = await handle.stat();
  if (facts.size === 0) throw new ShareError('file-refused', `"${path}" is empty.`);
  if (facts.size > MAX_BYTES)
    throw new ShareError('file-refused', `"${path}" is larger than ${MAX_BYTES / 1024 ** 2} MiB.`);
  return facts.size;
}

async function hashOf(handle: FileHandle, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(handle, sizeBytes)) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * The last chunk is held back until all of them are known to be right: what was changed never arrives whole.
 */
async function* readAll(
  handle: FileHandle,
  path: string,
  expected: { readonly sizeBytes: number; readonly sha256: string },
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let last: Uint8Array | undefined;
  for await (const chunk of chunksOf(handle, expected.sizeBytes + 1)) {
    if (last !== undefined) yield last;
    hash.update(chunk);
    last = chunk;
  }
  if (hash.digest('hex') !== expected.sha256)
    throw new ShareError('file-changed', `"${path}" was changed while it was sent.`);
  if (last !== undefined) yield last;
}

async function* chunksOf(handle: FileHandle, mostBytes: number): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < mostBytes; ) {
    // A fresh buffer each time: the socket may still hold the last one.
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, mostBytes - done));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, done);
    if (bytesRead === 0) return;
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function openRegular(place: string | Buffer): Promise<FileHandle> {
  // A link is never followed, and a pipe must not block.
  return await open(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
}
