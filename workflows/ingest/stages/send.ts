// Stages "create" and "transfer", side by side (Steps 4 and 5): each document gets an upload, each file its
// bytes in storage.

import { countOf } from '../../run/decide/count-of';
import type { BatchState } from '../batch-state';
import { cutChunks, splitLong } from '../decide/cut-chunks';
import type { DocumentState } from '../document-state';
import { noteUploads } from '../journal';
import { findState, LateFiles, takeTransfer } from './late';

/**
 * Gives every document an upload and a file upload that is fresh enough to be linked. Returns the documents
 * that have both; the others were set apart with their reason, or their files are late and go on beside. What
 * a document already has is not made again.
 */
export async function sendStage(
  batch: BatchState,
  documents: readonly DocumentState[],
): Promise<readonly DocumentState[]> {
  const unmade = documents.filter(state => state.uploadId === undefined);
  const unsent = documents.filter(state => !isFresh(batch, state));
  batch.move(unsent, 'transferring');
  // An earlier run may have left documents as late: only those whose file is begun and not there yet stay so.
  for (const state of documents) if (state.late === null || isFresh(batch, state)) state.catchUp();
  const late = new LateFiles(batch);
  await Promise.all([createUploads(batch, unmade), transferFiles(batch, unsent, late)]);
  if (!late.isEmpty) batch.background.run(late.follow());
  const sent = documents.filter(state => state.outcome === undefined && state.late === undefined);
  batch.passed(
    sent.filter(state => unsent.includes(state)),
    'sent',
  );
  return sent;
}

function isFresh(batch: BatchState, state: DocumentState): boolean {
  return (
    state.fileUploadId !== undefined &&
    state.openedAtMs !== undefined &&
    Date.now() - state.openedAtMs < batch.policy.linkWithinMs
  );
}

async function createUploads(batch: BatchState, documents: readonly DocumentState[]): Promise<void> {
  if (documents.length === 0) return;
  const result = await batch.calls.service.createUploads(
    () => ({
      project: batch.project,
      files: documents.map(({ document: { index, fileName, mimeType } }) => ({ index, fileName, mimeType })),
      ...(batch.policy.createOneByOne ? { oneByOne: true } : {}),
    }),
    `Create ${countOf(documents.length, 'upload')}`,
  );
  for (const { index, uploadId } of result.created) {
    findState(documents, index).uploadCreated(uploadId);
  }
  for (const { index, reason } of result.refused) batch.setApart(findState(documents, index), reason);
  // Before anything becomes visible in the service, the share knows which upload belongs to which file.
  await noteUploads(batch, 'created', documents);
}

async function transferFiles(
  batch: BatchState,
  documents: readonly DocumentState[],
  late: LateFiles,
): Promise<void> {
  const begun = documents.filter(state => state.late != null);
  late.add(begun.map(state => ({ state, progress: state.late ?? null })));
  const { long, others } = splitLong(
    documents
      .filter(state => !begun.includes(state))
      .map(state => ({ state, sizeBytes: state.document.sizeBytes })),
  );
  late.add(long.map(({ state }) => ({ state, progress: null })));
  const loads = cutChunks(others, batch.policy.transferChunk);
  await Promise.all(
    loads.map(async (load, position) => {
      const states = load.map(({ state }) => state);
      const result = await batch.calls.share.transferFiles(
        () => ({
          ...batch.ref,
          project: batch.project,
          indexes: states.map(({ document }) => document.index),
          linkWithinMs: batch.policy.linkWithinMs,
        }),
        `Send files, part ${position + 1} of ${loads.length}`,
      );
      late.add(takeTransfer(batch, states, result));
    }),
  );
}
