// Step 5's sessions for the upload engine: its port `UploadSessions`, put into the service's JSON calls.
import type { ProjectRef } from '../../workflows/contract';
import { asRefusal, orMisconfigured, unlessGone } from '../scope/refusal-reason';
import {
  createFileUpload,
  type FileUploadStatus,
  type PresignedAddress,
  patchFileUpload,
  showFileUpload,
} from '../service/endpoints/file-uploads';
import { isServiceError, type ServiceError } from '../service/errors';
import type { Sender } from '../service/service-client';
import { FileRefusedError, ReportRefusedError } from '../transfer/errors';
import type {
  FileToSend,
  OpenedSession,
  PresignedSegment,
  SessionLook,
  SessionStatus,
  UploadSessions,
} from '../transfer/ports';
import { inProject, requireAsked } from './documents';

export class ServiceUploadSessions implements UploadSessions {
  readonly #client: Sender;
  readonly #project: ProjectRef;

  constructor(client: Sender, project: ProjectRef) {
    this.#client = client;
    this.#project = project;
  }

  async open(file: FileToSend, signal: AbortSignal): Promise<OpenedSession> {
    try {
      const { data } = await this.#client.send(createFileUpload, {
        ...inProject(this.#project),
        signal,
        body: {
          fileName: file.fileName,
          sizeBytes: file.sizeBytes,
          contentType: file.contentType,
          sha256: file.sha256,
          segments: file.segments.map(({ sizeBytes, sha256 }) => ({ sizeBytes, sha256 })),
        },
      });
      return { sessionId: data.id, segments: data.segments.map(toSegment) };
    } catch (error: unknown) {
      if (!isServiceError(error) || error.code !== 'REQUEST_REFUSED') throw orMisconfigured(error);
      throw new FileRefusedError(toRefusal(error), wordsOf(error), { cause: error });
    }
  }

  async report(
    sessionId: string,
    partEtags: readonly (string | null)[],
    signal: AbortSignal,
  ): Promise<SessionStatus> {
    try {
      const { data } = await this.#client.send(patchFileUpload, {
        ...this.#session(sessionId),
        signal,
        body: { partEtags },
      });
      requireAsked(patchFileUpload, sessionId, data.id);
      return toStatus(data.status);
    } catch (error: unknown) {
      const refusal = asRefusal(error);
      if (refusal === undefined) throw error;
      throw new ReportRefusedError(wordsOf(refusal), { cause: refusal });
    }
  }

  async look(sessionId: string, signal: AbortSignal): Promise<SessionLook> {
    const shown = await unlessGone(() =>
      this.#client.send(showFileUpload, { ...this.#session(sessionId), signal }),
    );
    if (shown === undefined) return { kind: 'gone' };
    const { id, status, freshSegments } = shown.data;
    requireAsked(showFileUpload, sessionId, id);
    return { kind: 'found', status: toStatus(status), freshSegments: freshSegments.map(toSegment) };
  }

  #session(fileUploadId: string) {
    const { companyId, params } = inProject(this.#project);
    return { companyId, params: { ...params, fileUploadId } };
  }
}

function toStatus(status: FileUploadStatus): SessionStatus {
  return status === 'scanning' ? 'complete' : status;
}

function toSegment(address: PresignedAddress): PresignedSegment {
  return {
    url: address.url,
    headers: address.headers,
    ...(address.urlExpiresAtMs === null ? {} : { expiresAtMs: address.urlExpiresAtMs }),
  };
}

/**
 * Which property the service objects to decides what people read; when it does not say, only that it refused.
 */
function toRefusal(error: ServiceError): 'size-refused' | 'type-refused' | 'session-refused' {
  const properties = error.reasons.map(({ property }) => property ?? '').join(' ');
  if (/size|segment/i.test(properties)) return 'size-refused';
  return /content_type|file_name/i.test(properties) ? 'type-refused' : 'session-refused';
}

function wordsOf(error: ServiceError): string {
  return error.reasons.map(({ message }) => message).find(message => message !== '') ?? error.message;
}
