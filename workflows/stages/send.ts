// Stages "create" and "transfer", side by side (Steps 4 and 5): each document gets an upload, each file its bytes in storage.

import { countOf } from '../decide/count-of';
import { cutChunks, splitLong } from '../decide/cut-chunks';
import type { BatchState, DocumentState } from './batch-state';
import type { Desk } from './desk';
import { noteUploads } from './journal';

/**
 * Gives every document an upload and a file upload that is fresh enough to be linked. Answers the documents that have
 * both; the others were set apart with their reason. What a document already has is not made again.
 */
export async function sendStage(
  batch: BatchState,
  desk: Desk,
  documents: readonly DocumentState[],
): Promise<readonly DocumentState[]> {
  const unmade = documents.filter(state => state.uploadId === undefined);
  const unsent = documents.filter(state => !isFresh(batch, state));
  batch.move(unsent, 'transferring');
  await Promise.all([createUploads(batch, desk, unmade), transferFiles(batch, desk, unsent)]);
  const sent = documents.filter(state => state.outcome === undefined);
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

async function createUploads(
  batch: BatchState,
  desk: Desk,
  documents: readonly DocumentState[],
): Promise<void> {
  if (documents.length === 0) return;
  const result = await desk.service(
    'createUploads',
    () => ({
      project: batch.project,
      files: documents.map(({ document: { index, fileName, mimeType } }) => ({ index, fileName, mimeType })),
    }),
    `Create ${countOf(documents.length, 'upload')}`,
  );
  for (const { index, uploadId } of result.created) {
    const state = find(documents, index);
    state.uploadId = uploadId;
    state.linksAsked = 0;
    state.tries.gone = 0;
  }
  for (const { index, reason } of result.refused) batch.setApart(find(documents, index), reason);
  // Before anything becomes visible in the service, the share knows which upload belongs to which file.
  await noteUploads(batch, desk, 'created', documents);
}

async function transferFiles(
  batch: BatchState,
  desk: Desk,
  documents: readonly DocumentState[],
): Promise<void> {
  const files = documents.map(state => ({ state, sizeBytes: state.document.sizeBytes }));
  const { long, others } = splitLong(files);
  const loads = [
    ...cutChunks(others, batch.policy.transferChunk).map(load => ({ load, pace: 'minutes' as const })),
    ...long.map(file => ({ load: [file], pace: 'hours' as const })),
  ];
  await Promise.all(
    loads.map(async ({ load, pace }, position) => {
      const states = load.map(({ state }) => state);
      const result = await desk.share(
        'transferFiles',
        () => ({
          share: batch.share,
          batchId: batch.batchId,
          project: batch.project,
          indexes: states.map(({ document }) => document.index),
        }),
        `Send files, part ${position + 1} of ${loads.length}`,
        pace,
      );
      for (const { index, fileUploadId, openedAtMs } of result.files) {
        Object.assign(find(states, index), { fileUploadId, openedAtMs });
      }
      for (const { index, reason } of result.refused) batch.setApart(find(states, index), reason);
    }),
  );
}

function find(states: readonly DocumentState[], index: number): DocumentState {
  const state = states.find(({ document }) => document.index === index);
  if (state === undefined) throw new RangeError(`An answer names document ${index}, which was not asked for`);
  return state;
}
