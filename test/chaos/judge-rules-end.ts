// Invariants of the end: everything has ended, every file has a receipt and lies where the receipt says, no
// success is unrecorded, nothing healthy was set apart.

import { contentsOf, type DocumentIndex, groupBy, nameOf } from './judge-documents';
import type { Evidence } from './judge-evidence';
import type { Rule } from './judge-rule';
import { ourRevisions } from './judge-rules-service';
import { folderOf, type ReceiptRowOnShare } from './judge-share';

/** Beyond this a run's history is in danger (invariant 22). */
const MOST_EVENTS = 5_000;

export const END_RULES: readonly Rule[] = [
  { invariant: '4 no success is unrecorded', onlyAtRest: true, find: findUnrecorded },
  { invariant: '5 one live upload a document', onlyAtRest: true, find: findLiveTwins },
  {
    invariant: '10 a bad document never changes the fate of the others',
    onlyAtRest: true,
    find: findHealthy,
  },
  { invariant: '11 every document is accounted for once', onlyAtRest: true, find: findUnaccounted },
  { invariant: '15 everything ends', onlyAtRest: true, find: findUnfinished },
  { invariant: '3 files lie where the receipt says', onlyAtRest: true, find: findMisplaced },
  { invariant: '12 nothing unfinished is left behind', onlyAtRest: true, find: findLeavings },
  { invariant: '22 histories stay small', find: findLongHistories },
];

interface FinalRow extends ReceiptRowOnShare {
  readonly batchId: string;
}

function finalRows({ share }: Evidence): FinalRow[] {
  return share.batches.flatMap(({ batchId, receipt }) =>
    receipt?.final === true ? receipt.files.map(row => ({ ...row, batchId })) : [],
  );
}

function findUnrecorded(evidence: Evidence): string[] {
  const rows = new Map(
    finalRows(evidence)
      .filter(({ outcome }) => outcome === 'submitted')
      .map(row => [row.uploadId, row]),
  );
  return ourRevisions(evidence).flatMap(({ id, uploadId, fileName }) =>
    rows.has(uploadId ?? undefined)
      ? []
      : [`revision ${id} of ${fileName} (upload ${uploadId}) is on no receipt`],
  );
}

function findLiveTwins(evidence: Evidence, documents: DocumentIndex): string[] {
  const shaOf = new Map(evidence.fileUploads.map(file => [file.id, file.sha256]));
  const live = evidence.uploads.flatMap(upload =>
    upload.status === 'COMPLETED' && upload.presence !== 'deleted'
      ? [{ ...upload, sha256: shaOf.get(upload.fileUploadId ?? '') ?? '' }]
      : [],
  );
  return [...groupBy(live, ({ fileName, sha256 }) => `${fileName}\0${sha256}`).values()].flatMap(group => {
    const [first] = group;
    if (first === undefined || group.length <= Math.max(1, documents.allowed(first.fileName, first.sha256)))
      return [];
    return [
      `${first.fileName} has ${group.length} completed uploads: ${group.map(({ id }) => id).join(', ')}`,
    ];
  });
}

function findHealthy(evidence: Evidence): string[] {
  const rows = groupBy(finalRows(evidence), ({ path }) => path);
  return evidence.dropped.flatMap(file => {
    if (file.healthy !== true) return [];
    const ends = rows.get(file.path) ?? [];
    // That a skipped one is there already is another rule's to see.
    if (ends.some(({ outcome }) => outcome === 'submitted' || outcome === 'skipped')) return [];
    const codes = ends.map(({ outcome, reason }) => reason?.code ?? outcome).join(', ');
    return [`${file.path} ended as ${codes || 'nothing'}, though nothing spoke against it`];
  });
}

function findUnaccounted({ share }: Evidence): string[] {
  return share.batches.flatMap(({ batchId, manifest, receipt }) => {
    if (manifest === undefined || receipt === undefined) return [];
    const rows = groupBy(receipt.files, ({ index }) => String(index));
    const files = manifest.files.flatMap(({ index, path }) => {
      const count = rows.get(String(index))?.length ?? 0;
      return count === 1 ? [] : [`${path} of batch ${batchId} is on its receipt ${count} times`];
    });
    const extra = receipt.files.length - manifest.files.length;
    return extra > 0 ? [...files, `the receipt of batch ${batchId} has ${extra} rows too many`] : files;
  });
}

function findUnfinished({ share }: Evidence): string[] {
  const claimed = new Set(
    share.files.flatMap(({ place, batchId }) => (place === 'claimed' ? [batchId] : [])),
  );
  const open = share.batches.flatMap(({ batchId, isFinished, manifest, receipt }) => {
    if (isFinished && receipt?.final === true) return [];
    // A kill before anything was claimed leaves an empty folder, which recovery
    // takes away when it is old enough.
    if (manifest === undefined && !claimed.has(batchId)) return [];
    return [`batch ${batchId} ${receipt === undefined ? 'has no final receipt' : 'was not put away'}`];
  });
  const waiting = share.files.flatMap(({ place, batchId, path }) =>
    place === 'drop' || place === 'claimed' ? [`${path} still lies in ${batchId ?? 'the drop folder'}`] : [],
  );
  return [...open, ...waiting];
}

function findMisplaced(evidence: Evidence): string[] {
  const { share, dropped } = evidence;
  const removed = new Set(dropped.filter(file => file.removed === true).map(({ path }) => path));
  const changed = new Set(dropped.flatMap(file => (contentsOf(file).length > 1 ? [file.path] : [])));
  const folders = new Map(share.batches.map(batch => [batch.batchId, folderOf(batch)]));
  // What was set apart and taken up again lies where its last receipt says.
  const goneOn = new Map<string, string>();
  for (const { batchId, path, sha256 } of finalRows(evidence)) {
    const key = `${path} ${sha256}`;
    if (batchId > (goneOn.get(key) ?? '')) goneOn.set(key, batchId);
  }
  const findings: string[] = [];
  for (const { batchId, path, outcome, sha256 } of finalRows(evidence)) {
    const place = outcome === 'set-apart' ? 'attention' : 'done';
    const folder = folders.get(batchId) ?? batchId;
    const isThere = share.files.some(
      file =>
        file.place === place &&
        file.batchId === folder &&
        nameOf(file.path).startsWith(nameOf(path).replace(/\.[^.]*$/, '')) &&
        (sha256 === undefined || file.sha256 === sha256 || changed.has(path)),
    );
    const wentOn = goneOn.get(`${path} ${sha256}`);
    const isElsewhere = place === 'attention' && wentOn !== undefined && wentOn > batchId;
    if (!isThere && !removed.has(path) && !isElsewhere) findings.push(`${path} is not in ${place}/${folder}`);
    for (const ending of ['json', 'csv']) {
      const hasReceipt = share.receipts.some(
        receipt => receipt.place === place && receipt.batchId === folder && receipt.name.endsWith(ending),
      );
      if (!hasReceipt) findings.push(`${place}/${folder} has no ${ending} receipt`);
    }
  }
  return findings;
}

/** Called as a receipt that is not final is called. */
export function isSoFar(name: string): boolean {
  return /(^|\/)receipt(-[^/]+)?-so-far[^/]*$/.test(name);
}

function findLeavings({ share }: Evidence): string[] {
  const soFar = share.receipts.filter(({ name, receipt }) => receipt?.final === false || isSoFar(name));
  return [
    ...soFar.map(({ place, batchId, name }) => `${place}/${batchId}/${name} is not final`),
    ...share.temporary.filter(path => /^(done|attention|drop)\//.test(path)).map(path => `${path} was left`),
  ];
}

function findLongHistories({ histories = [] }: Evidence): string[] {
  return histories.flatMap(({ workflowId, events }) =>
    events > MOST_EVENTS ? [`the history of ${workflowId} has ${events} events`] : [],
  );
}
