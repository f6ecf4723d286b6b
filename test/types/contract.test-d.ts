// What the types of the contract refuse. Nothing here runs: `npm run check` compiles it, and an expected
// error that does not come is one itself.
import type { EventId, FileUploadId, ProjectRef, RevisionId, UploadId } from '../../workflows/contract';
import type { HeldAnswer } from '../../workflows/ingest/answer-contract';
import type { BatchPolicy, DocumentOutcome, JournalRecord } from '../../workflows/ingest/ingest-contract';

declare function takes<Value>(value: Value): void;

declare const text: string;
declare const uploadId: UploadId;
declare const fileUploadId: FileUploadId;
declare const eventId: EventId;
declare const revisionId: RevisionId;

/** All of them are texts on the wire, and each names something else. */
export function ids(): void {
  takes<UploadId>(uploadId);
  takes<string>(uploadId);
  // @ts-expect-error A text that nobody has read from the service is no id.
  takes<UploadId>(text);
  // @ts-expect-error The upload of a file's bytes is not the upload of a document.
  takes<UploadId>(fileUploadId);
  // @ts-expect-error
  takes<FileUploadId>(uploadId);
  // @ts-expect-error An upload is consumed; the revision that it becomes has an id of its own.
  takes<RevisionId>(uploadId);
  // @ts-expect-error
  takes<UploadId>(revisionId);
  // @ts-expect-error The last event of an upload is not the upload.
  takes<UploadId>(eventId);
  // @ts-expect-error
  takes<EventId>(uploadId);
}

export function outcomes(): void {
  const common = { index: 7, uploadId };
  takes<DocumentOutcome>({
    ...common,
    kind: 'submitted',
    revisionId,
    paired: 'certain',
    submittedAtMs: 1_767_225_600_000,
  });
  // @ts-expect-error Who was submitted has a revision, or it is said that its id was not told.
  takes<DocumentOutcome>({ ...common, kind: 'submitted', paired: 'certain', submittedAtMs: 0 });
  // @ts-expect-error Nothing is set apart without a reason.
  takes<DocumentOutcome>({ ...common, kind: 'set-apart' });
  // @ts-expect-error A reason says what to do about it.
  takes<DocumentOutcome>({ ...common, kind: 'set-apart', reason: { code: 'empty', text: 'is empty' } });
  // @ts-expect-error There is no third way for a document to end.
  takes<DocumentOutcome>({ ...common, kind: 'skipped' });
}

export function journal(): void {
  takes<JournalRecord>({ kind: 'intent', uploads: [{ index: 7, uploadId, eventId }] });
  // @ts-expect-error What is about to be submitted is an upload.
  takes<JournalRecord>({ kind: 'intent', uploads: [{ index: 7, uploadId: fileUploadId }] });
  // @ts-expect-error A kind that no release reads.
  takes<JournalRecord>({ kind: 'forgotten', uploads: [] });
}

export function whatPeopleSay(): void {
  takes<HeldAnswer>({ document: 7, decision: 'retry' });
  // @ts-expect-error No decision of that name.
  takes<HeldAnswer>({ document: 7, decision: 'ignore' });
  takes<BatchPolicy['conflict']>({ kind: 'terminate', reason: 'Superseded', status: 'Superseded' });
  // @ts-expect-error Other people's workflows are never ended without a reason and a status.
  takes<BatchPolicy['conflict']>({ kind: 'terminate' });
  // @ts-expect-error A project is named with its company.
  takes<ProjectRef>({ projectId: '7001' });
}
