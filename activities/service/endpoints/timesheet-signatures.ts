// Signatures of a project's timesheets: list, show, create with an image, as the service documents them in
// public.
import { z } from 'zod';
import { CREATE, type Endpoint, type PageQuery, READ } from '../endpoint';
import { numericId } from './strict-values';
import { person, type TimesheetParams } from './timesheets';
import { pageValues, wireId, wireText, wireTextOrEmpty } from './wire';

const signature = z
  .object({
    id: wireId,
    signature_text: wireText,
    file_name: wireTextOrEmpty,
    url: wireText,
    created_by: person,
  })
  .transform(response => ({
    id: response.id,
    text: response.signature_text,
    fileName: response.file_name,
    /** Opaque (specification, Other rules 3): neither built nor parsed, and never logged. */
    url: response.url,
    createdBy: response.created_by,
  }));
export type TimesheetSignature = z.output<typeof signature>;

const SIGNATURES = '/rest/v1.0/projects/{projectId}/timesheets/signatures';
const SIGNATURE = `${SIGNATURES}/{signatureId}`;

/** Form field of the image. */
export const SIGNATURE_FIELD = 'signature[data]';

/** Paginated. */
export const listTimesheetSignatures: Endpoint<
  TimesheetParams,
  PageQuery,
  undefined,
  readonly TimesheetSignature[]
> = {
  name: 'timesheets.signatures',
  ...READ,
  path: SIGNATURES,
  query: pageValues,
  response: z.array(signature),
};

export const showTimesheetSignature: Endpoint<
  TimesheetParams & { readonly signatureId: string },
  undefined,
  undefined,
  TimesheetSignature
> = {
  name: 'timesheets.signature',
  ...READ,
  path: SIGNATURE,
  response: signature,
};

/**
 * The image travels as the file `SIGNATURE_FIELD`. After a lost response, look through the list for the file
 * name.
 */
export const createTimesheetSignature: Endpoint<
  TimesheetParams,
  undefined,
  { readonly userId: string; readonly text?: string | undefined },
  TimesheetSignature
> = {
  name: 'timesheets.sign',
  ...CREATE,
  path: SIGNATURES,
  request: z.strictObject({ userId: numericId, text: z.string().max(4_000).optional() }).transform(body => ({
    signature: { user_id: body.userId, signature_text: body.text },
  })),
  requestForm: 'multipart',
  response: signature,
};
