// Step 8: submitting document uploads as permanent revisions (specification, Endpoints, Step 8).
import { z } from 'zod';
import type { EventId, RevisionId, UploadId } from '../../../workflows/contract';
import { CREATE, type Endpoint } from '../endpoint';
import { type ReasonCode, toReasonCode } from '../reasons';
import { MAX_ITEMS } from './document-uploads';
import type { ProjectParams } from './project-rules';
import { inData, wireId, wireList, wireTextOrEmpty } from './wire';

export interface Submission {
  readonly id: UploadId;
  /** From Step 7, read after our last write. */
  readonly latestEventId: EventId;
  /** Ends other people's workflows in the target container; both parts or none. */
  readonly termination?: { readonly reason: string; readonly statusId: string } | undefined;
}

const revisionsBody = z
  .strictObject({
    uploads: z
      .array(
        z.strictObject({
          id: z.string().min(1),
          latestEventId: z.string().min(1),
          termination: z.strictObject({ reason: z.string().min(1), statusId: z.string().min(1) }).optional(),
        }),
      )
      .min(1)
      .max(MAX_ITEMS)
      .readonly(),
  })
  .transform(body => ({
    uploads: body.uploads.map(upload => ({
      id: upload.id,
      upload_latest_event_id: upload.latestEventId,
      termination_reason: upload.termination?.reason,
      terminated_revision_status_id: upload.termination?.statusId,
    })),
  }));

const revisionsResponse = inData(
  z
    .object({
      ids: z.array(wireId.transform(id => id as RevisionId)),
      failures: wireList(
        z.object({ upload_id: wireId, reason_code: wireTextOrEmpty, message: wireTextOrEmpty }),
      ),
    })
    .transform(response => ({
      revisionIds: response.ids,
      failures: response.failures.map(
        (failure): SubmissionFailure => ({
          uploadId: failure.upload_id as UploadId,
          reasonCode: toReasonCode(failure.reason_code),
          rawCode: failure.reason_code.slice(0, 64),
          message: failure.message.slice(0, 300),
        }),
      ),
    })),
);

export interface SubmissionFailure {
  readonly uploadId: UploadId;
  readonly reasonCode: ReasonCode;
  readonly rawCode: string;
  readonly message: string;
}

/** Revision ids come without upload ids; some submissions may have failed although the status is 201. */
export interface SubmissionResult {
  readonly revisionIds: readonly RevisionId[];
  readonly failures: readonly SubmissionFailure[];
}

const REVISIONS =
  '/rest/v2.1/companies/{companyId}/projects/{projectId}/document_management/document_revisions';

/**
 * Step 8. Consumes each upload once; after a lost response look at every upload, never create another one.
 */
export const createRevisions: Endpoint<
  ProjectParams,
  undefined,
  { uploads: readonly Submission[] },
  SubmissionResult
> = {
  name: 'revisions.create',
  ...CREATE,
  path: REVISIONS,
  request: revisionsBody,
  response: revisionsResponse,
};
