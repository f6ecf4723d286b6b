// Batches on a share: opening, noting, settling up, and claiming files on demand.
import { type BatchDocument, type BatchSummary, ingestWorkflowId, type Reason } from '../workflows/contract';
import type { ActivityScope } from './activity-scope';
import type {
  AppendRecordInput,
  BatchRef,
  FindTurnsInput,
  FindTurnsResult,
  OpenBatchResult,
  SettleUpInput,
  ShareActivities,
} from './api';
import { comparePaths, folderOf } from './share/drop-names';
import type { ManifestFile } from './share/manifest';
import type { Share } from './share/share';
import { ShareError } from './share/share-error';

/** Most files that one claim on demand takes; more is a job for the watcher. */
const MOST_FILES = 10_000;

/**
 * What the workflow needs of a batch; with a final receipt, only what is left to move is moved.
 * @param workflowId of the run that asks: Temporal keeps two runs of one id apart, and nothing keeps apart two of different
 * ids that carry the same batch. Both would make uploads, and one document would become two revisions.
 * @throws ShareError `bad-request` for a run whose id is not the batch's own.
 */
export async function openBatch(
  share: Share,
  input: BatchRef & { readonly manifestSha256?: string | undefined },
  workflowId: string,
): Promise<OpenBatchResult> {
  const { manifest, known, receipt } = await share.readBatch(input.batchId, input.manifestSha256);
  if (receipt?.final === true) {
    return {
      kind: 'settled',
      summary: await settleUp(share, { ...input, outcomes: [], held: [], final: true }),
    };
  }
  const ownId = ingestWorkflowId(manifest.project, input.batchId);
  if (workflowId !== ownId) {
    throw new ShareError(
      'bad-request',
      `Only the run "${ownId}" may carry batch ${input.batchId}: look there, or start it with that Workflow Id.`,
    );
  }
  return {
    kind: 'open',
    project: manifest.project,
    policy: share.config.policy,
    documents: manifest.files.map(toDocument),
    known,
  };
}

/** Notes a record; of an intent in turn, only what may go now. Answers what has to wait, if anything does. */
export async function appendRecord(
  share: Share,
  { batchId, record, inTurn }: AppendRecordInput,
): Promise<FindTurnsResult | undefined> {
  if (record.kind !== 'intent' || inTurn === undefined) {
    await share.appendRecord(batchId, record);
    return undefined;
  }
  const indexes = record.uploads.map(({ index }) => index);
  const waiting = await share.findWaiting({ batchId, indexes, ended: inTurn.ended });
  const late = new Set(waiting.map(({ index }) => index));
  const uploads = record.uploads.filter(({ index }) => !late.has(index));
  if (uploads.length > 0) await share.appendRecord(batchId, { ...record, uploads });
  return waiting.length === 0 ? undefined : { waiting };
}

export async function findTurns(
  share: Share,
  { batchId, indexes, ended }: FindTurnsInput,
): Promise<FindTurnsResult> {
  return { waiting: await share.findWaiting({ batchId, indexes, ended }) };
}

export async function settleUp(share: Share, input: SettleUpInput): Promise<BatchSummary> {
  const { done, attention, receipts } = await share.settleUp(input.batchId, input.outcomes, {
    final: input.final,
    held: input.held,
  });
  return { batchId: input.batchId, submitted: done, setApart: attention, receipts };
}

/**
 * Claims the named files, or all below a folder, into batches now. The key is noted with every claim: a repeat finds
 * the batches of the attempt before, finishes them, and claims what is still in the drop folder.
 */
export async function claimFiles(
  share: Share,
  input: Parameters<ShareActivities['claimFiles']>[0],
  scope: Pick<ActivityScope, 'signal'>,
): Promise<Awaited<ReturnType<ShareActivities['claimFiles']>>> {
  const batchIds = new Set<string>();
  for (const batchId of await share.batchesOfKey(input.key)) {
    const sealed = await share.readSeal(batchId).catch(() => share.adopt(batchId, { signal: scope.signal }));
    if (sealed !== undefined) batchIds.add(batchId);
  }
  const refused: Reason[] = [];
  const wanted = input.paths ?? (await listFolder(share, input.folder ?? ''));
  for (let start = 0; start < wanted.length; start += share.config.maxBatchFiles) {
    scope.signal.throwIfAborted();
    const { batch, notClaimed } = await share.claim(wanted.slice(start, start + share.config.maxBatchFiles), {
      key: input.key,
    });
    // On a repeat, what the attempt before claimed is gone from the drop folder: no news.
    for (const { path, why } of notClaimed) {
      if (why !== 'gone' || batchIds.size === 0) refused.push({ code: why, ...WORDS[why](path) });
    }
    if (batch === undefined) continue;
    const sealed = await share.writeManifest(batch, { signal: scope.signal });
    if (sealed.batchId === undefined) {
      refused.push(...sealed.returned.map(({ path }) => ({ code: 'changed', ...WORDS.changed(path) })));
    } else {
      batchIds.add(sealed.batchId);
      await removeEmptied(
        share,
        sealed.manifest.files.map(file => file.path),
      );
    }
  }
  return { project: share.config.project, batchIds: [...batchIds], refused };
}

/** Folders that nothing is left in: the watcher clears away those that it claims from, these are nobody else's. */
async function removeEmptied(share: Share, paths: readonly string[]): Promise<void> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.add(folder);
  }
  const innermostFirst = [...folders].sort((one, other) => other.length - one.length);
  for (const folder of innermostFirst) await share.removeEmptyFolder(folder);
}

async function listFolder(share: Share, folder: string): Promise<readonly string[]> {
  const prefix = folder.replace(/^\.?\/+|\/+$/g, '').replace(/^\.$/, '');
  const found: string[] = [];
  for await (const name of share.scan()) {
    if (prefix === '' || name.path.startsWith(`${prefix}/`)) found.push(name.path);
    if (found.length >= MOST_FILES) break;
  }
  return found.sort(comparePaths);
}

function toDocument(file: ManifestFile): BatchDocument {
  return {
    index: file.index,
    path: file.path,
    fileName: file.path.slice(file.path.lastIndexOf('/') + 1),
    sizeBytes: file.sizeBytes,
    mimeType: file.mimeType,
    values: file.values,
    ...(file.refused === undefined ? {} : { refused: file.refused }),
  };
}

const WORDS: Readonly<
  Record<'gone' | 'busy' | 'changed' | 'impossible', (path: string) => { text: string; fix: string }>
> = {
  gone: path => ({
    text: `"${path}" is not in the drop folder.`,
    fix: 'Paths are relative to the drop folder.',
  }),
  busy: path => ({ text: `"${path}" is open in another program.`, fix: 'Close it there and try again.' }),
  changed: path => ({
    text: `"${path}" is still being written.`,
    fix: 'Wait until it is complete and try again.',
  }),
  impossible: path => ({ text: `"${path}" cannot be taken.`, fix: 'Check its name and permissions.' }),
};
