// Uploads whose ids changed places in the response to Step 4: each goes to the file that the service made it
// for, and that file is sent and linked anew, so that nothing is left in the service with another file's
// bytes.
import { log } from '@temporalio/workflow';
import type { BatchState } from '../batch-state';
import { explainSetApart } from '../decide/explain-set-apart';
import type { DocumentState } from '../document-state';

const MOST_TRIES = 4;

export interface Mispaired {
  readonly state: DocumentState;
  /** The upload that was read. */
  readonly uploadId: DocumentState['uploadId'];
  /** Indexes of the files whose upload it may be. */
  readonly others: readonly number[];
}

type Upload = Pick<DocumentState, 'uploadId' | 'linksAsked'>;
const NO_UPLOAD: Upload = { uploadId: undefined, linksAsked: 0 };

/**
 * Gives each upload to the file that it was made for. Afterwards none of these is COMPLETED: they are sent,
 * linked and looked at again. A file is given an upload only if the one that it has is another file's, too:
 * else that may be its own, made later.
 * @param isWhole all owners were looked at; false only in runs from before owners were looked at, in which
 * the upload of an owner that nobody had looked at was taken for one that changed places, too.
 */
export function putRight(batch: BatchState, mispaired: readonly Mispaired[], isWhole: boolean): void {
  // Looked at beside others, who may have put it right by now.
  const asked = mispaired.filter(
    ({ state, uploadId }) =>
      state.uploadId === uploadId &&
      state.outcome === undefined &&
      !state.absent &&
      !setApartIfSpent(batch, state),
  );
  const uploads = new Map(asked.map(({ state }) => [state, uploadOf(state)]));
  const given = new Map<DocumentState, Upload>();
  /** Uploads that nobody has looked at, of owners that now get their own (none where `isWhole`). */
  const free: Upload[] = [];
  for (const { state, others } of asked) {
    const owner = openOf(batch, others).find(
      other => (uploads.has(other) || (!isWhole && other.completed)) && !given.has(other),
    );
    log.warn(`The upload of ${state.document.path} is another file's`, {
      event: 'upload-mispaired',
      batchId: batch.batchId,
      uploadId: state.uploadId,
      ownerPath: owner?.document.path,
    });
    if (owner === undefined) {
      state.noteLeft();
      continue;
    }
    given.set(owner, uploadOf(state));
    if (!uploads.has(owner)) free.push(uploadOf(owner));
  }
  for (const { state } of asked) if (!given.has(state)) given.set(state, free.shift() ?? NO_UPLOAD);
  for (const [state, upload] of given) state.swapUpload(upload);
}

/** Files that these uploads were made for, and whose own uploads nobody has looked at. */
export function unseenOwners(batch: BatchState, mispaired: readonly Mispaired[]): readonly DocumentState[] {
  const seen = new Set(mispaired.map(({ state }) => state));
  const owners = new Set(mispaired.flatMap(({ others }) => openOf(batch, others)));
  return [...owners].filter(owner => owner.completed && !seen.has(owner));
}

/**
 * Adds those that `findMispaired` finds among the owners of these uploads, then among their owners, until
 * every owner was looked at.
 */
export async function withOwners(
  batch: BatchState,
  mispaired: readonly Mispaired[],
  findMispaired: (documents: readonly DocumentState[]) => Promise<readonly Mispaired[]>,
): Promise<readonly Mispaired[]> {
  const all = [...mispaired];
  const looked = new Set<DocumentState>();
  for (;;) {
    const unseen = unseenOwners(batch, all).filter(state => !looked.has(state));
    if (unseen.length === 0) return all;
    for (const state of unseen) looked.add(state);
    all.push(...(await findMispaired(unseen)));
  }
}

function openOf(batch: BatchState, indexes: readonly number[]): readonly DocumentState[] {
  return indexes.flatMap(index => batch.documents[index] ?? []).filter(isOpen);
}

/**
 * Sets it apart, and touches nothing else of it, where it was put right too often, or was about to be
 * submitted or may have been. Returns whether it did.
 */
function setApartIfSpent(batch: BatchState, state: DocumentState): boolean {
  const isAtRisk = state.intended || state.mayBeSubmitted;
  const isIt = isAtRisk || !state.mayTry('pairing', MOST_TRIES);
  if (isIt && !isAtRisk) state.noteLeft();
  if (isIt) batch.setApart(state, explainSetApart('name-mismatch'));
  return isIt;
}

/**
 * The upload stays in the service with another file's bytes: said, since nothing of ours can take it back.
 */
function leaveUpload(state: DocumentState): void {
  state.noteLeft();
  state.swapUpload(NO_UPLOAD);
}

/**
 * To be called where a file cannot be put in the place of another's: these uploads are left, and others made.
 * Returns whether there were any.
 */
export function leaveRelinked(states: readonly DocumentState[]): boolean {
  const relinked = states.filter(({ relink }) => relink);
  for (const state of relinked) leaveUpload(state);
  return relinked.length > 0;
}

/** Notes once a batch, for whoever can change it, that the service does not show whose upload is whose. */
export function noteUnshown(batch: BatchState, state: DocumentState): void {
  if (!state.verified && !batch.policy.createOneByOne) batch.noteOnce([state], UNSHOWN);
}

const UNSHOWN =
  'The service does not show which upload it made for which file, so the order of its answer was relied on; with "createOneByOne" of the share nothing has to be relied on.';

function uploadOf({ uploadId, linksAsked }: DocumentState): Upload {
  return { uploadId, linksAsked };
}

/** Has an upload that nobody has seen to be its own yet. */
function isOpen({ outcome, held, inLine, absent, uploadId, verified, intended }: DocumentState): boolean {
  return (
    uploadId !== undefined &&
    outcome === undefined &&
    held === undefined &&
    inLine === undefined &&
    !absent &&
    !verified &&
    !intended
  );
}
