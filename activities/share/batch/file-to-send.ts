// A claimed file on its way out: found by its index, and checked to be the file that
// was hashed, before it is used.

import { isGone } from '../../host/file-trouble';
import type { FileHasher } from '../../transfer/hashing/hash-file';
import type { FileToSend } from '../../transfer/ports';
import { requireMissing } from '../files/missing';
import { nameOf } from '../files/relative-path';
import { ShareError, toShareError } from '../files/share-error';
import type { FileFacts } from '../files/share-fs';
import type { BatchPaths } from '../files/share-layout';
import { type Manifest, placeBelow } from './manifest';
import { openByteSeals } from './sealed-bytes';

/**
 * @throws ShareError `file-missing`, `file-changed` or `file-refused`, which concern this document only, or
 * `share-away`.
 */
export async function findFileToSend(
  paths: BatchPaths,
  manifest: Manifest,
  index: number,
  hasher: FileHasher,
): Promise<FileToSend> {
  const file = manifest.files[index];
  if (file?.sha256 === undefined || file.refused !== undefined) {
    throw new ShareError('file-refused', `File ${index} of batch ${manifest.batchId} does not travel.`);
  }
  const place = placeBelow(paths.files, file) as string;
  const segments = file.segments ?? [{ offset: 0, sizeBytes: file.sizeBytes, sha256: file.sha256 }];
  const facts = await lookAtClaimed(paths, place, index);
  if (facts.kind !== 'file' || facts.sizeBytes !== file.sizeBytes) {
    throw new ShareError('file-changed', `File ${index} of batch ${manifest.batchId} was replaced.`);
  }
  // Times wobble on cluster file systems: where they differ, the content decides.
  if (facts.mtimeNs !== BigInt(file.mtimeNs)) {
    const hashed = await hasher.hashFile(place, { segments });
    if (hashed.sha256 !== file.sha256) {
      throw new ShareError('file-changed', `File ${index} of batch ${manifest.batchId} was changed.`);
    }
  }
  return {
    path: place,
    // On the share a name keeps its bytes; everywhere else it is composed, as a
    // Mac's would else be another name.
    fileName: nameOf(file.path).normalize('NFC'),
    contentType: file.mimeType,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
    segments,
    ...(file.byteSeals === undefined ? {} : { byteSeals: openByteSeals(paths.seals, file.byteSeals) }),
  };
}

async function lookAtClaimed(paths: BatchPaths, place: string, index: number): Promise<FileFacts> {
  try {
    return await paths.fs.look(place);
  } catch (error) {
    if (!isGone(error)) throw toShareError(error) ?? error;
    // If its whole batch is missing, too, the share is away.
    await requireMissing(paths.fs, place, paths.manifest);
    throw new ShareError(
      'file-missing',
      `File ${index} of batch ${paths.batchId} is gone from the share.`,
      error,
    );
  }
}
