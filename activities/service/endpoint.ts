// Endpoints as data: one value says everything about an operation of the service; the
// client sends them all the same way.
import { type ZodType, z } from 'zod';
import { InvalidRequestError } from './errors';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Values of a query string; `undefined` leaves the key out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** What every list endpoint's query can hold. */
export interface PageQuery {
  readonly page?: number | undefined;
  readonly perPage?: number | undefined;
}

/**
 * A schema that turns a `Body` into what goes on the wire. `takes` is never there: it only tells the compiler
 * the type of the body, and the schema checks the value.
 */
export type RequestSchema<Body> = ZodType & { readonly takes?: (body: Body) => void };

/** A path in which `{names}` stand for the parts that `Params` has; `takes` is never there, as above. */
export type PathTemplate<Params> = string & { readonly takes?: (params: Params) => void };

/**
 * One operation. `Body` and `Data` are ours (camelCase); the schemas translate to and from the wire's
 * snake_case, strictly for what we send, leniently for what we read.
 */
export interface Endpoint<Params, Query, Body, Data> {
  /** Stable name for logs and tests, `uploads.patch`. */
  readonly name: string;
  readonly method: Method;
  /** Which configured origin it lives on. */
  readonly origin: 'api' | 'auth';
  /** `/projects/{projectId}/users`; messages and logs have it as it stands here. */
  readonly path: PathTemplate<Params>;
  readonly query?: (query: Query) => QueryValues;
  /** Absent: the request has no body. */
  readonly request?: RequestSchema<Body>;
  /**
   * How the body travels; the token calls take a form. `multipart`: JSON, or
   * multipart/form-data when files come along.
   */
  readonly requestForm?: 'json' | 'form' | 'multipart';
  readonly response: ZodType<Data>;
  /** `ignored`: the body's form is not specified and nothing of it is needed. */
  readonly responseForm?: 'json' | 'ignored';
  readonly success: readonly number[];
  /**
   * What a lost response allows: `yes`, repeat blindly; `no`, never; `after-checking`, only after a look at
   * what became of the request.
   */
  readonly repeatable: 'yes' | 'no' | 'after-checking';
  /** `none`: the credentials are in the body. */
  readonly authorization?: 'bearer' | 'none';
}

// What the operations of one kind have in common, to begin an endpoint with. An endpoint that differs in any
// of these facts names all of them itself, so that none is overlooked.

export const READ = { method: 'GET', origin: 'api', success: [200], repeatable: 'yes' } as const;

/** Two requests make two things: after a lost response the caller looks before it sends another. */
export const CREATE = {
  method: 'POST',
  origin: 'api',
  success: [201, 200],
  repeatable: 'after-checking',
} as const;

/** Sets what it says: the same request again changes nothing. */
export const UPDATE = { method: 'PATCH', origin: 'api', success: [200], repeatable: 'yes' } as const;

/** 404: it is gone already. The body of a success is not read. */
export const REMOVE = {
  method: 'DELETE',
  origin: 'api',
  response: z.null(),
  responseForm: 'ignored',
  success: [200, 204],
  repeatable: 'yes',
} as const;

/** The route as messages and logs show it: no value of a request is in it. */
export function routeOf({ method, path }: { readonly method: Method; readonly path: string }): string {
  return `${method} ${path}`;
}

/**
 * The path with the parts that `{names}` stand for, each encoded. Empty parts and dot segments are refused,
 * for they would name another resource.
 */
export function fillPath<Params>(path: PathTemplate<Params>, params: Params): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const part: unknown = params[name as keyof Params];
    if (typeof part !== 'string' || part === '' || part === '.' || part === '..') {
      throw new InvalidRequestError(`${path}: "${name}" cannot be a path part`, { effect: 'not-sent' });
    }
    // encodeURIComponent throws on lone surrogates; they have no UTF-8 form, so no resource is named so.
    if (/\p{Surrogate}/u.test(part)) {
      throw new InvalidRequestError(`${path}: "${name}" is not well-formed text`, { effect: 'not-sent' });
    }
    return encodeURIComponent(part);
  });
}
