// Steps 4, 6 and 7: document uploads, and the reads of many of them at once (specification,
// Endpoints; the service's public documentation of document management).
import { z } from 'zod';
import type { EventId, FileUploadId, UploadId } from '../../../workflows/contract';
import { CREATE, type Endpoint, type PageQuery, READ } from '../endpoint';
import { FIELD_TYPES, type FieldType, type ProjectParams, toShownLabel } from './project-rules';
import {
  inData,
  pageValues,
  wireFlag,
  wireId,
  wireItems,
  wireKind,
  wireList,
  wireText,
  wireTextOrEmpty,
  wireTextWithin,
} from './wire';

/** Specification, Limits: batches of 100 or fewer. */
export const MAX_ITEMS = 100;

/**
 * Of the texts that an upload shows beside its fields, at most so many are looked at, and none that is
 * longer.
 */
const MOST_TEXTS = 50;
const MOST_TEXT_CHARS = 300;

/** As much as a record of the journal takes. */
const MOST_EVENT_ID_CHARS = 200;
const MOST_CRITERIA_CHARS = 2_000;

const uploadId = wireId.transform(id => id as UploadId);

// ULIDs in Crockford's alphabet; the service refuses a whole batch for one that is none.
const ulid = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/i);

/** One that no later request could name is not taken: it would have each batch of a hundred refused. */
const newUploadId = ulid.transform(id => id as UploadId);

export interface NewUpload {
  readonly fileName: string;
  readonly mimeType: string;
  readonly fileLocked?: boolean | undefined;
}

const createBody = z
  .strictObject({
    uploads: z
      .array(
        z.strictObject({
          fileName: z.string().min(1),
          mimeType: z.string().min(1),
          fileLocked: z.boolean().optional(),
        }),
      )
      .min(1)
      .max(MAX_ITEMS),
  })
  .transform(body => ({
    uploads: body.uploads.map(upload => ({
      file_name: upload.fileName,
      mime_type: upload.mimeType,
      file_locked: upload.fileLocked,
    })),
  }));

export interface FieldValuesWrite {
  readonly fieldId: string;
  /** Value ids for lists and references; one text for string, numeric and timestamp. */
  readonly values: readonly string[];
}

/** What Step 6 writes to one upload. */
export interface UploadPatch {
  readonly id: UploadId;
  readonly fileUploadId?: FileUploadId | undefined;
  readonly uploadStatus?: 'COMPLETED' | undefined;
  readonly fileLocked?: boolean | undefined;
  readonly fields?: readonly FieldValuesWrite[] | undefined;
}

export interface UploadPatches {
  readonly updates: readonly UploadPatch[];
  /** true: values that are there, from people or the analysis, stay. */
  readonly onlyEmptyFields?: boolean | undefined;
}

// The specification also knows update_all_document_uploads: it would write to other people's
// uploads and has no place here.
const patchBody = z
  .strictObject({
    updates: z
      .array(
        z.strictObject({
          id: ulid,
          fileUploadId: z.string().min(1).optional(),
          uploadStatus: z.literal('COMPLETED').optional(),
          fileLocked: z.boolean().optional(),
          fields: z
            .array(z.strictObject({ fieldId: z.string().min(1), values: z.array(z.string()).readonly() }))
            .readonly()
            .optional(),
        }),
      )
      .min(1)
      .max(MAX_ITEMS)
      .readonly(),
    onlyEmptyFields: z.boolean().optional(),
  })
  .transform(body => ({
    update_params: body.updates.map(update => ({
      id: update.id,
      file_upload_id: update.fileUploadId,
      upload_status: update.uploadStatus,
      file_locked: update.fileLocked,
      fields: update.fields?.map(field => ({ id: field.fieldId, values: field.values })),
    })),
    only_update_empty_fields: body.onlyEmptyFields,
  }));

const patchResponse = inData(
  z
    .object({
      // Without this list the response says nothing of what was done; `failed` is
      // only there when something failed.
      success: z.array(z.object({ id: uploadId })),
      failed: wireList(z.object({ id: uploadId, code: wireText, message: wireTextOrEmpty })),
    })
    .transform(response => ({
      succeededIds: response.success.map(entry => entry.id),
      failed: response.failed.map(({ id, code, message }) => ({
        id,
        code: code ?? '',
        message: message.slice(0, 300),
      })),
    })),
);
/** Step 6's 207. An id in neither list was silently dropped: the caller accounts for it. */
export type UploadPatchResult = z.output<typeof patchResponse>;

const UPLOAD_STATUSES = ['INCOMPLETE', 'COMPLETED', 'PLACEHOLDER'] as const;
const LABEL_SOURCES = [
  'MANUAL',
  'NONE',
  'FILENAME_SCRAPING',
  'SCRAPING_FAILED',
  'ML',
  'ML_FAILED',
  'SYSTEM',
] as const;
const INTEGRATION_STATUSES = ['in_progress', 'completed', 'error', 'not_applicable'] as const;
const integrationKind = wireKind(INTEGRATION_STATUSES);
// Text, or an object with the text in `status` (the specification shows neither).
const integrationStatus = z
  .unknown()
  .optional()
  .transform(value => {
    const status = typeof value === 'object' && value !== null && 'status' in value ? value.status : value;
    return integrationKind.parse(status);
  });

/** A field of an upload with its present values; list entries have an id, texts only a label. */
const uploadField = z
  .object({
    id: wireId,
    name: wireTextOrEmpty,
    label: wireTextOrEmpty,
    type: wireKind(FIELD_TYPES).transform((kind): FieldType => kind ?? 'other'),
    values: wireList(z.object({ id: wireText, code: wireText, label: wireText, active: wireFlag(true) })),
    label_source: wireKind(LABEL_SOURCES),
    confidence_score: z.number().nullish().catch(null),
  })
  .transform(({ label_source, confidence_score, ...field }) => ({
    ...field,
    label: toShownLabel(field.label || field.name),
    labelSource: label_source,
    confidenceScore: confidence_score ?? null,
  }));
/**
 * Texts under keys that the contract does not name, the file's name among them where a deployment shows it.
 */
function listTexts(values: readonly unknown[], depth = 0): readonly string[] {
  const texts = values.flatMap((value): readonly string[] => {
    if (typeof value === 'string') return value.length <= MOST_TEXT_CHARS ? [value] : [];
    if (typeof value !== 'object' || value === null || depth >= 2) return [];
    return listTexts(Object.values(value), depth + 1);
  });
  return texts.slice(0, MOST_TEXTS);
}

const documentUpload = z
  .looseObject({
    id: uploadId,
    file_locked: wireFlag(false),
    upload_status: wireKind(UPLOAD_STATUSES),
    fields: wireList(uploadField),
    integration_statuses: z
      .object({ ml: integrationStatus, filename_scraping: integrationStatus })
      .nullish()
      .transform(statuses => ({
        ml: statuses?.ml ?? null,
        filenameScraping: statuses?.filename_scraping ?? null,
      })),
    latest_event_id: wireTextWithin(MOST_EVENT_ID_CHARS).transform(id => id as EventId | null),
    match_criteria: wireTextWithin(MOST_CRITERIA_CHARS),
    document_container_id: wireText,
  })
  .transform(
    ({
      id,
      file_locked,
      upload_status,
      fields,
      integration_statuses,
      latest_event_id,
      match_criteria,
      document_container_id,
      permissions: _permissions,
      ...rest
    }) => ({
      id,
      fileLocked: file_locked,
      uploadStatus: upload_status,
      fields,
      integrationStatuses: integration_statuses,
      latestEventId: latest_event_id,
      matchCriteria: match_criteria,
      documentContainerId: document_container_id,
      otherTexts: listTexts(Object.values(rest)),
    }),
  );
/** Step 7. `latestEventId` goes into Step 8 and is stale after any write. Statuses are null when absent. */
export type DocumentUpload = z.output<typeof documentUpload>;

const UPLOADS = '/rest/v2.0/companies/{companyId}/projects/{projectId}/document_management/document_uploads';
const UPLOAD = `${UPLOADS}/{uploadId}`;
const SELECTED =
  '/rest/v2.2/companies/{companyId}/projects/{projectId}/document_management/document_uploads/selected_uploads';

/**
 * Step 4. One element of the response for each upload, by position only. Not idempotent, but a fresh POST
 * after a lost response is what the specification asks for: the orphans stay hidden and cannot be submitted.
 */
export const createUploads: Endpoint<
  ProjectParams,
  undefined,
  { uploads: NewUpload[] },
  readonly { readonly id: UploadId; readonly fileLocked: boolean }[]
> = {
  name: 'uploads.create',
  ...CREATE,
  path: UPLOADS,
  request: createBody,
  response: inData(
    z.array(
      z
        .object({ id: newUploadId, file_locked: wireFlag(false) })
        .transform(upload => ({ id: upload.id, fileLocked: upload.file_locked })),
    ),
  ),
};

/** Step 6. Safe to repeat with the same content; a repeat must keep to the same file upload. */
export const patchUploads: Endpoint<ProjectParams, undefined, UploadPatches, UploadPatchResult> = {
  name: 'uploads.patch',
  method: 'PATCH',
  origin: 'api',
  path: UPLOADS,
  request: patchBody,
  response: patchResponse,
  success: [207, 200],
  repeatable: 'after-checking',
};

/** Step 7. 404: unknown, consumed, or still INCOMPLETE; 410: a user deleted it. */
export const showUpload: Endpoint<
  ProjectParams & { readonly uploadId: string },
  undefined,
  undefined,
  DocumentUpload
> = {
  name: 'uploads.show',
  ...READ,
  path: UPLOAD,
  response: inData(documentUpload),
};

/**
 * Up to 100 uploads by id, in any order, those not found left out; null is one that cannot be read. A project
 * may not have it (404): Step 7 serves then.
 */
export const readSelectedUploads: Endpoint<
  ProjectParams,
  PageQuery,
  { ids: readonly UploadId[] },
  readonly (DocumentUpload | null)[]
> = {
  name: 'uploads.selected',
  method: 'POST',
  origin: 'api',
  path: SELECTED,
  query: pageValues,
  request: z.strictObject({ ids: z.array(ulid).min(1).max(MAX_ITEMS).readonly() }),
  response: inData(wireItems(documentUpload)),
  success: [200, 201],
  repeatable: 'yes',
};

/** The completed, not yet submitted uploads of the whole project; null is one that cannot be read. */
export const listUploads: Endpoint<
  ProjectParams,
  PageQuery & { readonly search?: string | undefined; readonly sort?: string | undefined },
  undefined,
  readonly (DocumentUpload | null)[]
> = {
  name: 'uploads.list',
  ...READ,
  path: UPLOADS,
  query: query => ({ ...pageValues(query), search: query.search, sort: query.sort }),
  response: inData(wireItems(documentUpload)),
};
