// Step 5: sessions of the unified file upload, as the service's public documentation has it. The bytes
// themselves go to presigned addresses, which are secrets: nobody but the upload engine is given them.
import { z } from 'zod';
import type { FileUploadId } from '../../../workflows/contract';
import { CREATE, type Endpoint, READ } from '../endpoint';
import type { ProjectParams } from './project-rules';
import { inData, wireId, wireKind, wireList, wireSeconds, wireText } from './wire';

const STATUSES = ['ready', 'receiving', 'complete', 'scanning', 'available'] as const;
/** Only `available` may be linked. */
export type FileUploadStatus = (typeof STATUSES)[number] | 'other';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const md5 = z.string().regex(/^[0-9a-f]{32}$/);

const createBody = z
  .strictObject({
    fileName: z.string().min(1),
    sizeBytes: z.number().int().positive(),
    contentType: z.string().min(1),
    sha256,
    md5: md5.optional(),
    segments: z
      .array(z.strictObject({ sizeBytes: z.number().int().positive(), sha256, md5: md5.optional() }))
      .min(1)
      .max(10_000)
      .readonly(),
  })
  .transform(body => ({
    file_name: body.fileName,
    file_size: body.sizeBytes,
    content_type: body.contentType,
    sha256: body.sha256,
    md5: body.md5,
    segments: body.segments.map(segment => ({
      size: segment.sizeBytes,
      sha256: segment.sha256,
      md5: segment.md5,
    })),
  }));

export interface NewFileUpload {
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  /** Of the whole file, lower-case hexadecimal. */
  readonly sha256: string;
  readonly md5?: string | undefined;
  readonly segments: readonly {
    readonly sizeBytes: number;
    readonly sha256: string;
    readonly md5?: string | undefined;
  }[];
}

// Unix seconds on the wire.
const instant = wireSeconds
  .nullish()
  .transform(seconds => (seconds === null || seconds === undefined ? null : seconds * 1_000));

const segment = z
  .object({
    url: z.string().min(1),
    url_expires_at: instant,
    headers: z
      .record(
        z.string(),
        z.union([z.string(), z.number()]).transform(value => String(value)),
      )
      .nullish()
      .transform(headers => headers ?? {}),
  })
  .transform(part => ({ url: part.url, urlExpiresAtMs: part.url_expires_at, headers: part.headers }));
/** Where one segment's bytes go, with exactly these headers. A secret; copied, never parsed. */
export type PresignedAddress = z.output<typeof segment>;

const status = wireKind(STATUSES).transform((kind): FileUploadStatus => kind ?? 'other');
const fileUploadId = wireId.transform(id => id as FileUploadId);

const session = z
  .object({ upload_id: fileUploadId, status, upload_expires_at: instant, segments: z.array(segment) })
  .transform(response => ({
    id: response.upload_id,
    status: response.status,
    expiresAtMs: response.upload_expires_at,
    segments: response.segments,
  }));
/** A session with an address for every segment, in segment order. */
export type FileUploadSession = z.output<typeof session>;

const fileUpload = z
  .object({
    upload_id: fileUploadId,
    status,
    file_name: wireText,
    content_type: wireText,
    file_size: z.number().nullish(),
    // Once every segment has come the list may be absent, or name segments without an address.
    segments: wireList(segment.or(z.unknown().transform(() => null))),
  })
  .transform(response => ({
    id: response.upload_id,
    status: response.status,
    fileName: response.file_name,
    contentType: response.content_type,
    sizeBytes: response.file_size ?? null,
    freshSegments: response.segments.filter(part => part !== null),
  }));
/** How far a file is. `freshSegments` are new addresses for the segments still missing, in segment order. */
export type FileUpload = z.output<typeof fileUpload>;

export interface PartEtags {
  /** Unquoted, one a segment in segment order; null marks one not sent yet. */
  readonly partEtags: readonly (string | null)[];
}

const SESSIONS = '/rest/v2.1/companies/{companyId}/projects/{projectId}/uploads';
const SESSION = `${SESSIONS}/{fileUploadId}`;

type SessionParams = ProjectParams & { readonly fileUploadId: string };

/** Opens a session. A session whose response is lost expires unused, so a fresh one does no harm. */
export const createFileUpload: Endpoint<ProjectParams, undefined, NewFileUpload, FileUploadSession> = {
  name: 'files.create',
  ...CREATE,
  path: SESSIONS,
  request: createBody,
  response: inData(session),
};

/** Reports segments as sent; with all of them the file is complete. A refused repeat: look at the status. */
export const patchFileUpload: Endpoint<
  SessionParams,
  undefined,
  PartEtags,
  { readonly id: FileUploadId; readonly status: FileUploadStatus }
> = {
  name: 'files.patch',
  method: 'PATCH',
  origin: 'api',
  path: SESSION,
  request: z
    .strictObject({
      partEtags: z
        .array(
          z
            .string()
            .min(1)
            .regex(/^[^"]+$/)
            .nullable(),
        )
        .min(1)
        .max(10_000)
        .readonly(),
    })
    .transform(body => ({ part_etags: [...body.partEtags] })),
  response: inData(
    z
      .object({ upload_id: fileUploadId, status })
      .transform(response => ({ id: response.upload_id, status: response.status })),
  ),
  success: [200],
  repeatable: 'after-checking',
};

/** 404: expired or never there. */
export const showFileUpload: Endpoint<SessionParams, undefined, undefined, FileUpload> = {
  name: 'files.show',
  ...READ,
  path: SESSION,
  response: inData(fileUpload),
};
