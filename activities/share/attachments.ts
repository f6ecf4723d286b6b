// Files that travel with an observation: they lie in a folder of their own beside the drop folder and are only read.
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { contentType } from 'mime-types';
import { findNameFault, isInnerPath } from './drop-names';
import { isGone, ShareError, toShareError } from './share-error';

/** Below the share's folder; the watcher does not look into it. */
export const ATTACHMENTS_FOLDER = 'observations';
/** More would hardly reach the service in one request. */
const MAX_BYTES = 200 * 1024 ** 2;
const CHUNK_BYTES = 256 * 1024;

export interface AttachmentFile {
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Opened anew at every call; ends early or late when the file changed, which the sender notices. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** Opens files below one share's folder for attachments. */
export type OpenAttachment = (path: string) => Promise<AttachmentFile>;

/**
 * @throws ShareError `file-missing` or `file-refused`, which concern this file only, or `share-away`.
 */
export async function findAttachment(shareFolder: string, path: string): Promise<AttachmentFile> {
  if (!isInnerPath(path)) throw new ShareError('file-refused', `"${path}" leads out of its folder.`);
  const fileName = path.split('/').at(-1) ?? path;
  if (findNameFault(fileName) !== undefined)
    throw new ShareError('file-refused', `"${path}" has a name that cannot be sent.`);
  const place = await placeOf(shareFolder, path);
  const { sizeBytes } = await lookAt(place, path);
  return {
    fileName,
    contentType: contentType(fileName) || 'application/octet-stream',
    sizeBytes,
    open: () => readAll(place),
  };
}

async function placeOf(shareFolder: string, path: string): Promise<string> {
  const root = await realpath(shareFolder).catch((error: unknown) => {
    throw toShareError(error) ?? error;
  });
  const place = join(root, ATTACHMENTS_FOLDER, ...path.split('/'));
  const parent = place.slice(0, place.lastIndexOf(sep));
  const real = await realpath(parent).catch((error: unknown) => {
    if (isGone(error)) throw new ShareError('file-missing', `There is no file "${path}".`, error);
    throw toShareError(error) ?? error;
  });
  // A link that somebody put into the folder must not lead the reading elsewhere.
  if (real !== parent) throw new ShareError('file-refused', `"${path}" lies behind a link.`);
  return place;
}

async function lookAt(place: string, path: string): Promise<{ readonly sizeBytes: number }> {
  const handle = await openRegular(place).catch((error: unknown) => {
    if (isGone(error)) throw new ShareError('file-missing', `There is no file "${path}".`, error);
    if ((error as { code?: unknown }).code === 'ELOOP')
      throw new ShareError('file-refused', `"${path}" is a link.`, error);
    throw toShareError(error) ?? error;
  });
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw new ShareError('file-refused', `"${path}" is no file.`);
    if (facts.nlink > 1)
      throw new ShareError('file-refused', `"${path}" has another name somewhere else (a hard link).`);
    if (facts.size === 0) throw new ShareError('file-refused', `"${path}" is empty.`);
    if (facts.size > MAX_BYTES)
      throw new ShareError('file-refused', `"${path}" is larger than ${MAX_BYTES / 1024 ** 2} MiB.`);
    return { sizeBytes: facts.size };
  } finally {
    await handle.close();
  }
}

async function* readAll(place: string): AsyncGenerator<Uint8Array> {
  const handle = await openRegular(place);
  try {
    for (;;) {
      // A fresh buffer each time: the socket may still hold the last one.
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function openRegular(place: string) {
  // A link is never followed, and a pipe must not block.
  return await open(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
}
