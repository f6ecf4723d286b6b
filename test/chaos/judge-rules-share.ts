// Invariants that are read off the share: nothing lost, nothing overwritten, claims exclusive, receipts true.

import { contentsOf, type DocumentIndex, groupBy, nameOf } from './judge-documents';
import type { DroppedFile, Evidence } from './judge-evidence';
import type { Rule } from './judge-rule';
import type { BatchOnShare, FileOnShare, ReceiptRowOnShare } from './judge-share';

export const SHARE_RULES: readonly Rule[] = [
  { invariant: '1 every file is in one place', find: findLost },
  { invariant: '3 a receipt that says submitted is true', find: findUntrueReceipts },
  { invariant: '10 a batch has 1 to 100 files', find: findOddBatches },
  { invariant: '12 a file is claimed once', find: findSecondClaims },
  { invariant: '12 nothing is overwritten', find: findForeignContent },
  { invariant: '24 nothing is written outside the folders of a share', find: findForeignEntries },
  { invariant: '27 our own files can be read', find: findDamage },
];

interface Matching {
  readonly nowhere: readonly DroppedFile[];
  readonly unknown: readonly FileOnShare[];
}

/**
 * Each dropped file takes one file of its path and content on the share; what is
 * left on either side is a finding.
 */
function matchFiles(evidence: Evidence, documents: DocumentIndex): Matching {
  const taken = new Set<DroppedFile>();
  const unknown: FileOnShare[] = [];
  const found = [...groupBy(evidence.share.files, ({ identity }) => identity).values()].flatMap(
    // Under two names for an instant: linked at its new place, not yet gone from the old one.
    ([first]) => (first === undefined ? [] : [first]),
  );
  for (const file of found) {
    const owner = documents
      .at(file.path)
      .find(dropped => !taken.has(dropped) && contentsOf(dropped).includes(file.sha256));
    if (owner === undefined) unknown.push(file);
    else taken.add(owner);
  }
  return { nowhere: evidence.dropped.filter(file => !taken.has(file) && file.removed !== true), unknown };
}

function findLost(evidence: Evidence, documents: DocumentIndex): string[] {
  return matchFiles(evidence, documents).nowhere.map(({ path }) => `${path} is nowhere on the share`);
}

function findForeignContent(evidence: Evidence, documents: DocumentIndex): string[] {
  return matchFiles(evidence, documents).unknown.map(file => {
    const isDropped = documents.at(file.path).some(dropped => contentsOf(dropped).includes(file.sha256));
    const why = isDropped ? 'is there more often than it was dropped' : 'was never dropped with this content';
    return `${whereOf(file)} ${why}`;
  });
}

function findOddBatches({ share }: Evidence): string[] {
  return share.batches.flatMap(({ batchId, manifest }) => {
    const count = manifest?.files.length ?? 1;
    return count < 1 || count > 100 ? [`batch ${batchId} has ${count} files`] : [];
  });
}

/**
 * A manifest is written once and never changed: a path that is in more of them than
 * it was dropped was taken twice.
 */
function findSecondClaims({ share }: Evidence, documents: DocumentIndex): string[] {
  const entries = share.batches.flatMap(({ batchId, manifest }) =>
    (manifest?.files ?? []).map(({ path }) => ({ path, batchId })),
  );
  return [...groupBy(entries, ({ path }) => path)].flatMap(([path, group]) => {
    const allowed = documents.dropsOf(path);
    if (group.length <= allowed) return [];
    return [
      `${path} was dropped ${allowed} times and is in the batches ${group.map(({ batchId }) => batchId).join(', ')}`,
    ];
  });
}

interface Claim {
  readonly where: string;
  readonly row: ReceiptRowOnShare;
  readonly manifestSha256: string | undefined;
}

function findUntrueReceipts({ share, revisions }: Evidence, documents: DocumentIndex): string[] {
  const revisionOf = new Map(revisions.map(revision => [revision.uploadId, revision]));
  const claims = [...share.batches.flatMap(claimsOfBatch), ...claimsBeside(share)];
  return claims.flatMap(({ where, row, manifestSha256 }): string[] => {
    const say = (what: string) => [`${where}: ${row.path}: ${what}`];
    if (row.outcome === 'skipped') {
      const isThere = revisions.some(({ sha256 }) => sha256 === (row.sha256 ?? manifestSha256));
      return isThere ? [] : say('skipped, and no revision has its bytes');
    }
    if (row.outcome !== 'submitted') return [];
    if (row.uploadId === undefined) return say('submitted, but under no upload');
    const revision = revisionOf.get(row.uploadId);
    if (revision === undefined) return say(`submitted, but there is no revision of upload ${row.uploadId}`);
    const sha256 = row.sha256 ?? manifestSha256;
    if (sha256 !== revision.sha256) return say('the revision has other bytes');
    if (manifestSha256 !== undefined && manifestSha256 !== sha256)
      return say('another hash than the manifest');
    if (!documents.isCalled(revision, nameOf(row.path)))
      return say(`the revision is called ${revision.name}`);
    const isNamed = row.revisionId !== undefined && row.revisionId !== null;
    return isNamed && row.revisionId !== revision.id ? say('another revision id than the service has') : [];
  });
}

function claimsOfBatch(batch: BatchOnShare): Claim[] {
  const files = new Map((batch.manifest?.files ?? []).map(file => [file.index, file]));
  const receipts = [batch.receipt, batch.receiptSoFar].flatMap(receipt => receipt?.files ?? []);
  const recorded = batch.journal.flatMap(({ record }): ReceiptRowOnShare[] => {
    if (record.kind !== 'outcome') return [];
    return record.outcomes.map(({ index, kind, uploadId, ...rest }) => ({
      index,
      path: files.get(index)?.path ?? `document ${index}`,
      outcome: kind,
      ...(uploadId === undefined ? {} : { uploadId }),
      ...('revisionId' in rest ? { revisionId: rest.revisionId } : {}),
    }));
  });
  return [...receipts, ...recorded].map(row => ({
    where: `batch ${batch.batchId}`,
    row,
    manifestSha256: files.get(row.index)?.sha256,
  }));
}

function claimsBeside({ receipts }: Evidence['share']): Claim[] {
  return receipts.flatMap(({ place, batchId, name, receipt }) =>
    (receipt?.files ?? []).map(row => ({
      where: `${place}/${batchId}/${name}`,
      row,
      manifestSha256: undefined,
    })),
  );
}

function findForeignEntries({ share }: Evidence): string[] {
  return share.foreign.map(path => `${path} is none of ours`);
}

function findDamage({ share }: Evidence): string[] {
  return share.batches.flatMap(({ batchId, damaged }) =>
    damaged.map(name => `${name} of batch ${batchId} cannot be read`),
  );
}

function whereOf({ place, batchId, path }: FileOnShare): string {
  return [place, batchId, path].filter(part => part !== undefined).join('/');
}
