// From the bytes of a response to data or to the right error. Pure: the status and the reason
// codes decide, messages never do.
import type { ZodType } from 'zod';
import {
  AccessDeniedError,
  GoneError,
  InternalServiceError,
  NotFoundError,
  RequestRefusedError,
  type ServiceErrorFacts,
  ServiceUnavailableError,
} from '../errors';
import { parseReasons } from '../reasons';
import { type RawResponse, responseFault } from './http-exchange';

/** A header value that is safe to show and to keep. */
export function requestIdOf(response: RawResponse): string | undefined {
  const id = response.headers.get('x-request-id');
  return id !== undefined && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}

/**
 * Reads a success. Throws ServiceUnavailableError (effect unknown) when the body is not what `schema`
 * describes: a success that cannot be read must not pass for an empty one.
 */
export function readSuccess<Data>(
  response: RawResponse,
  route: string,
  schema: ZodType<Data>,
  form: 'json' | 'ignored' = 'json',
): Data {
  const body = form === 'ignored' ? null : parseJson(response, route);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues
    .slice(0, 3)
    .map(issue => `${issue.path.map(part => String(part).slice(0, 40)).join('.') || '(top)'}: ${issue.code}`);
  throw responseFault(route, response.status, `does not have the expected form at ${places.join(', ')}`);
}

/**
 * The error that a response outside `success` stands for, other than 401 and 429, which the client treats
 * itself. `secrets` are masked in whatever text is kept.
 */
export function toResponseError(
  response: RawResponse,
  route: string,
  secrets: readonly string[],
  retryAtMs?: number,
):
  | ServiceUnavailableError
  | AccessDeniedError
  | GoneError
  | InternalServiceError
  | NotFoundError
  | RequestRefusedError {
  const { status } = response;
  if (status >= 300 && status < 400)
    return responseFault(route, status, 'is a redirect, and none is followed');
  if (status < 400) return responseFault(route, status, 'has a status that this call does not have');
  const body = readErrorBody(response);
  const reasons = body.kind === 'none' || body.kind === 'foreign' ? [] : parseReasons(body.value, secrets);
  const codes = reasons.map(reason => reason.rawCode).filter(code => code !== '');
  const message = `${route} answered ${status}${codes.length > 0 ? ` (${[...new Set(codes)].slice(0, 5).join(', ')})` : ''}`;
  const facts = (effect: ServiceErrorFacts['effect']): ServiceErrorFacts => ({
    effect,
    route,
    status,
    reasons,
    requestId: requestIdOf(response),
    isEnveloped: body.kind === 'json' && isEnvelope(body.value),
    retryAtMs,
  });
  if (status === 500 && body.kind === 'json') return new InternalServiceError(message, facts('unknown'));
  if (status >= 500 || status === 408) {
    return new ServiceUnavailableError(message, { ...facts('unknown'), fault: 'status' });
  }
  // A gateway's page says nothing about the resource; taking its 404 for the service's would lose documents.
  if (body.kind === 'foreign') return responseFault(route, status, 'is not of the service: no JSON');
  if (status === 404 || status === 410) {
    if (body.kind !== 'json') return responseFault(route, status, 'is not of the service: no JSON');
    return status === 404
      ? new NotFoundError(message, facts('rejected'))
      : new GoneError(message, facts('rejected'));
  }
  const isAboutRights = reasons.some(
    reason => reason.reasonCode === 'ACCESS_DENIED' || reason.reasonCode === 'PERMISSION_DENIED',
  );
  if (status === 403 || isAboutRights) return new AccessDeniedError(message, facts('rejected'));
  return new RequestRefusedError(message, facts('rejected'));
}

/** What stands before the service says JSON as well, but not in this form. */
function isEnvelope(body: unknown): boolean {
  const error = (body as { readonly error?: unknown } | null)?.error;
  return typeof (error as { readonly code?: unknown } | null | undefined)?.code === 'string';
}

type ErrorBody =
  | { readonly kind: 'none' }
  /** HTML, or JSON that breaks off: not the service, or not all of it. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'json'; readonly value: unknown };

function readErrorBody(response: RawResponse): ErrorBody {
  const text = decode(response.body);
  if (text === undefined) return { kind: 'foreign' };
  if (text.trim() === '') return { kind: 'none' };
  if (isJson(response)) {
    try {
      return { kind: 'json', value: JSON.parse(text) };
    } catch {
      return { kind: 'foreign' };
    }
  }
  const isPlain = (response.headers.get('content-type') ?? '').toLowerCase().startsWith('text/plain');
  return isPlain && !text.trimStart().startsWith('<') ? { kind: 'text', value: text } : { kind: 'foreign' };
}

function parseJson(response: RawResponse, route: string): unknown {
  if (response.body.length === 0) throw responseFault(route, response.status, 'is empty');
  if (!isJson(response)) throw responseFault(route, response.status, 'is not JSON');
  const text = decode(response.body);
  if (text === undefined) throw responseFault(route, response.status, 'is not UTF-8');
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the body, so it is not kept.
    throw responseFault(route, response.status, 'is broken JSON');
  }
}

function isJson(response: RawResponse): boolean {
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'));
}

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}
