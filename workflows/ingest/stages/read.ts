// Reading uploads (Step 7, or all at once where the service can): event ids, what is missing, what became of
// them.

import { patched } from '@temporalio/workflow';
import type { ReadDocument, ReadUploadsResult } from '../../../activities';
import { countOf } from '../../run/decide/count-of';
import type { BatchState } from '../batch-state';
import { askForRegisters } from '../decide/ask-for-registers';
import { explainSetApart } from '../decide/explain-set-apart';
import type { DocumentState } from '../document-state';
import { lookForAbsent } from './absence';
import { saidOf } from './plan';
import { type Mispaired, noteUnshown, putRight, unseenOwners, withOwners } from './put-right';

/** Who was looked for so often, for whatever reason, is not looked for because an event id is missing. */
const MOST_WITHOUT_EVENT_ID = 2;

export interface ReadState {
  readonly state: DocumentState;
  readonly read: Extract<ReadDocument, { kind: 'found' }>;
}

export interface Polling {
  readonly lookedMs: number;
  readonly mayPart: boolean;
  readonly isToName?: true;
}

/**
 * Reads the uploads and settles what reading alone decides: mispaired. Returns what is there and COMPLETED,
 * with the event id of this moment. What should be there and is not shown, or is told as deleted, is looked
 * for beside the others.
 */
export async function readStage(
  batch: BatchState,
  documents: readonly DocumentState[],
  polling?: Polling,
): Promise<{ readonly found: readonly ReadState[]; readonly lookedMs: number }> {
  const asked = documents.filter(
    state => state.uploadId !== undefined && state.outcome === undefined && !state.absent,
  );
  if (asked.length === 0) return { found: [], lookedMs: polling?.lookedMs ?? 0 };
  const before = new Map(asked.map(state => [state, { uploadId: state.uploadId, analysed: state.analysed }]));
  const result = await askToRead(batch, asked, polling);
  const readOf = new Map(result.documents.map(read => [read.index, read]));
  const find = (owners: readonly DocumentState[]) => findMispaired(batch, owners);
  const named = new Map(result.named?.map(({ index, name }) => [index, name]));
  const found: ReadState[] = [];
  const absent: DocumentState[] = [];
  const deleted = new Set<DocumentState>();
  const mispaired: Mispaired[] = [];
  for (const state of asked) {
    // Put right meanwhile, with another document: what was read is not this document's upload any more.
    if (state.uploadId !== before.get(state)?.uploadId) continue;
    // Another look was faster, and what follows from it is under way.
    if (state.analysed !== before.get(state)?.analysed || state.absent || state.outcome !== undefined)
      continue;
    const name = named.get(state.document.index);
    if (name !== undefined) state.nameWritten(name);
    const read = readOf.get(state.document.index);
    if (read === undefined) throw new RangeError(`The reading leaves out document ${state.document.index}`);
    if (read.kind === 'deleted' && patched('deleted-is-looked-for')) {
      deleted.add(state);
      absent.push(state);
    } else if (read.kind === 'deleted') {
      // Nobody can delete what was submitted.
      state.cannotHaveBeenSubmitted();
      batch.setApart(state, explainSetApart('taken-by-a-person'));
    } else if (read.kind === 'hidden' || !read.completed) {
      // An upload that was never seen COMPLETED is hidden as it should be (some deployments show INCOMPLETE
      // ones): linking goes on.
      if (state.completed || state.mayBeSubmitted) absent.push(state);
    } else if (state.relink) {
      // COMPLETED with another file's bytes, which a look does not show.
      state.unlinked();
    } else if (typeof read.pairing === 'object') {
      mispaired.push({ state, uploadId: state.uploadId, others: read.pairing.others });
    } else if (read.eventId === '' && isToReadAgain(state)) {
      absent.push(state);
    } else if (read.eventId === '') {
      batch.setApart(state, explainSetApart('event-id-missing'));
    } else {
      if (read.pairing === 'not-shown') noteUnshown(batch, state);
      state.seen({ ...read, required: result.requirements?.[read.requirement ?? 0] });
      found.push({ state, read });
    }
  }
  lookForAbsent(batch, absent, deleted);
  const isSplit = unseenOwners(batch, mispaired).length > 0;
  if (!isSplit || !patched('owners-looked-at')) putRight(batch, mispaired, !isSplit);
  else putRight(batch, await withOwners(batch, mispaired, find), true);
  return { found, lookedMs: result.lookedMs };
}

/** One response without an event id says as little as one that does not show the upload. */
function isToReadAgain({ tries }: DocumentState): boolean {
  return tries.absent < MOST_WITHOUT_EVENT_ID && patched('an-event-id-that-is-missing-is-looked-for');
}

/** Of these documents, those whose upload is another file's. What else a look shows is for their own turn. */
async function findMispaired(
  batch: BatchState,
  documents: readonly DocumentState[],
): Promise<readonly Mispaired[]> {
  const asked = documents.map(state => ({ state, uploadId: state.uploadId }));
  const { documents: reads } = await askToRead(batch, documents, undefined);
  const readOf = new Map(reads.map(read => [read.index, read]));
  return asked.flatMap(each => {
    const read = readOf.get(each.state.document.index);
    const isAnothers = read?.kind === 'found' && typeof read.pairing === 'object';
    return isAnothers ? [{ ...each, others: read.pairing.others }] : [];
  });
}

/** Looks what became of uploads whose linking is in doubt; marks the COMPLETED ones. */
export async function lookAt(batch: BatchState, documents: readonly DocumentState[]): Promise<void> {
  await readStage(batch, documents);
}

async function askToRead(
  batch: BatchState,
  documents: readonly DocumentState[],
  polling: Polling | undefined,
): Promise<ReadUploadsResult> {
  return await batch.calls.service.readUploads(
    () => ({
      project: batch.project,
      defaults: batch.policy.defaults,
      naming: batch.policy.naming,
      ...askForRegisters(batch),
      ...(documents.every(({ verified }) => verified)
        ? {}
        : {
            files: batch.documents.map(({ document: { fileName, mimeType } }) => ({ fileName, mimeType })),
          }),
      items: documents.flatMap(state => {
        const { document, uploadId, verified } = state;
        const { index, fileName, mimeType } = document;
        if (uploadId === undefined) return [];
        const said = saidOf(state);
        return [{ index, uploadId, fileName, mimeType, ...said, ...(verified ? { verified } : {}) }];
      }),
      ...(polling === undefined ? {} : { poll: { times: batch.policy.analysis, ...polling } }),
    }),
    polling === undefined
      ? `Read ${countOf(documents.length, 'upload')}`
      : `Wait for the analysis of ${countOf(documents.length, 'upload')}`,
  );
}
