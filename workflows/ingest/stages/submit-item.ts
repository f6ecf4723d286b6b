// One upload of a submission, and what a receipt says of the workflows that it ended.
import type { SubmitItem } from '../../../activities';
import type { DocumentState } from '../document-state';

export function toItem(state: DocumentState): SubmitItem {
  const { uploadId, eventId, termination } = state;
  if (uploadId === undefined || eventId === undefined) throw new RangeError('Submitted before it was read');
  return {
    index: state.document.index,
    uploadId,
    eventId,
    ...(termination === undefined
      ? {}
      : { termination: { reason: termination.reason, statusId: termination.statusId } }),
  };
}

export function noteTermination(state: DocumentState): void {
  if (state.termination === undefined) return;
  state.note(
    `Running workflows of earlier revisions were ended (reason: ${state.termination.reason}; their status is now ${state.termination.status}).`,
  );
}
