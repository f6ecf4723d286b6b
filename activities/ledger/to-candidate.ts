// A file of a sealed batch, as it is compared with what was sent before.
import type { Manifest, ManifestFile } from '../share/batch/manifest';
import type { DocumentWords } from '../share/drop/document-words';
import { nameOfFile } from '../share/drop/name-of-file';
import { nameOf } from '../share/files/relative-path';
import { saidOfFile } from '../share/ledger/said-of-file';
import type { ShareConfig } from '../share/share-config';
import type { Candidate } from './decide/candidate';

/** Undefined for a file that was refused or has no hash: it is not sent. */
export function toCandidate(
  { policy }: Pick<ShareConfig, 'policy'>,
  manifest: Manifest,
  file: ManifestFile,
  words: DocumentWords,
  meant?: readonly string[],
): Candidate | undefined {
  const { index, path, sha256, mimeType, values } = file;
  if (sha256 === undefined || file.refused !== undefined) return undefined;
  const said = saidOfFile(manifest, file, words);
  return {
    batchId: manifest.batchId,
    index,
    path,
    sha256,
    mimeType,
    name:
      said.name ??
      words.textOf(values, 'name') ??
      nameOfFile({ fileName: nameOf(path), mimeType }, policy.naming),
    isNameSaid: said.name !== undefined,
    number: said.number ?? undefined,
    revision: said.revision ?? undefined,
    action: said.action,
    meant,
  };
}
