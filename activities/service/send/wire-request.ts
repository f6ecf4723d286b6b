// From our parameters to the parts of a request on the wire. Everything that can be wrong on our side shows
// here, before anything is sent.
import { type Endpoint, fillPath, type QueryValues, routeOf } from '../endpoint';
import { InvalidRequestError } from '../errors';
import { encodeMultipart, type FilePart, type StreamedBody } from './multipart-body';

export interface WireRequest {
  /** Encoded, without the query. */
  readonly path: string;
  /** Without `?`; empty when there is none. */
  readonly search: string;
  readonly body?: string;
  /** Instead of `body`, when files travel along. */
  readonly stream?: StreamedBody;
  readonly contentType?: string;
}

export interface RequestParts<Params, Query, Body> {
  readonly params: Params;
  readonly query?: Query | undefined;
  /** A query string (without `?`) as a `Link` header gave it; stands in for `query`. */
  readonly search?: string | undefined;
  readonly body?: Body | undefined;
  /** Travel with the body, read from disk while they are sent; only where the form is `multipart`. */
  readonly files?: readonly FilePart[] | undefined;
  readonly companyId: string;
}

/**
 * Throws InvalidRequestError (nothing was sent) when the body breaks the endpoint's
 * schema or a part cannot be a path.
 */
export function toWireRequest<Params, Query, Body, Data>(
  endpoint: Endpoint<Params, Query, Body, Data>,
  input: RequestParts<Params, Query, Body>,
): WireRequest {
  const route = routeOf(endpoint);
  if (endpoint.origin === 'api' && !/^[\w.-]{1,64}$/.test(input.companyId)) {
    throw new InvalidRequestError(`${route}: the company id is not one`, { effect: 'not-sent', route });
  }
  const files = input.files ?? [];
  if (files.length > 0 && endpoint.requestForm !== 'multipart') {
    throw new InvalidRequestError(`${route}: takes no files`, { effect: 'not-sent', route });
  }
  const path = fillPath(endpoint.path, input.params);
  const search =
    input.search ?? toSearch(input.query === undefined ? {} : (endpoint.query?.(input.query) ?? {}));
  if (endpoint.request === undefined) return { path, search };
  const parsed = endpoint.request.safeParse(input.body);
  if (!parsed.success) {
    const places = parsed.error.issues
      .slice(0, 5)
      .map(
        issue => `${issue.path.map(part => String(part).slice(0, 40)).join('.') || '(top)'}: ${issue.code}`,
      );
    throw new InvalidRequestError(`${route}: the body breaks the contract at ${places.join(', ')}`, {
      effect: 'not-sent',
      route,
    });
  }
  if (endpoint.requestForm === 'form') {
    return {
      path,
      search,
      body: toSearch(parsed.data as QueryValues),
      contentType: 'application/x-www-form-urlencoded',
    };
  }
  if (files.length > 0) {
    const { contentType, body } = encodeMultipart(parsed.data, files);
    return { path, search, stream: body, contentType };
  }
  return { path, search, body: JSON.stringify(parsed.data), contentType: 'application/json' };
}

function toSearch(values: QueryValues): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) search.append(key, String(value));
  }
  return search.toString();
}
