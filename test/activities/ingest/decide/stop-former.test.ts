import { stopFormer } from '../../../../activities/ingest/decide/stop-former';
import type { RevisionId, UploadId } from '../../../../workflows/contract';

/** What is said of the upload `new` where another one was about to be submitted before it. */
function textWhen(consumed: string): string | undefined {
  const uploadId = consumed as UploadId;
  const revisionId = 'R0' as RevisionId;
  const facts = { index: 0, uploadId, revisionId, submittedAtMs: 0 };
  const one = { index: 0, uploadId: 'new' as UploadId, before: 'old' as UploadId };
  return stopFormer([{ ...one, submitted: { ...facts, kind: 'submitted', paired: 'certain' } }], []).get(0)
    ?.reason.text;
}

test('an upload that was made after the revision is to be deleted, and none that is the revision itself', () => {
  const became = 'This document became a revision before its run was reset, revision id R0.';
  expect(textWhen('old')).toBe(
    `${became} Upload new, made after that, stays in the service: delete it there.`,
  );
  expect(textWhen('new')).toBe(became);
});
