// Finds submitted documents by whatever text of theirs a person has.
import type { LedgerDocument, LookUp } from '../../activities/ledger/index-keys';
import type { LedgerIndex } from '../../activities/ledger/ledger-index';
import { stemOf } from '../../activities/share/drop/name-of-file';
import type { Share } from '../../activities/share/share';

/** Finds them by `sha256` where it is given; else by `wanted` as revision, upload, Number and name. */
export async function findDocuments(
  index: Pick<LedgerIndex, 'find'>,
  { name, config }: Pick<Share, 'name' | 'config'>,
  wanted: string,
  sha256: string | undefined,
): Promise<readonly LedgerDocument[]> {
  const names = [wanted, stemOf({ fileName: wanted, mimeType: 'application/pdf' })];
  const lookUps: readonly (readonly [LookUp, string])[] =
    sha256 !== undefined
      ? [['sha256', sha256]]
      : [
          ['revision', wanted],
          ['upload', wanted],
          ['number', wanted],
          ...[...new Set(names)].map(name => ['name', name] as const),
        ];
  const found = new Map<string, LedgerDocument>();
  for (const [by, text] of lookUps) {
    for (const one of await index.find(by, text, { project: config.project, shares: [name] }))
      found.set(`${one.batchId}/${one.index}`, one);
  }
  return [...found.values()];
}
