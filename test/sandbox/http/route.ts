/** Routes as data, and how a request finds its own. */
import type { RequestItem } from '../faults/fault-book';
import type { World } from '../world';
import type { Answer } from './answer';

/** Whose token came along. */
export interface Caller {
  userId: number;
  loginId: string;
  credentialId: string;
}

export interface RouteRequest {
  number: number;
  route: string;
  params: Readonly<Record<string, string | undefined>>;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON or form; undefined when the route takes none. */
  body: unknown;
  /** Path and query as sent, for Link headers. */
  target: string;
  /** Present at every route with `access: 'bearer'`. */
  caller: Caller;
}

export interface Route {
  /** Stable name, used by faults, counts and the log. */
  key: string;
  origin: 'api' | 'auth';
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Segments beginning with a colon are parameters. */
  path: string;
  /** `company`: a bearer token and the company header. */
  access: 'open' | 'bearer' | 'company';
  /** `json-or-files`: JSON, or multipart/form-data as one object with the files in it. */
  body: 'none' | 'json' | 'form' | 'json-or-files';
  /** What faults can tell apart in the request; lenient, called before the body was checked. */
  items?: (request: RouteRequest, world: World) => RequestItem[];
  /**
   * Checks everything, throws Refusal, and only then changes the world.
   * Synchronous: requests never interleave.
   */
  handle: (request: RouteRequest, world: World) => Answer;
}

/** The route of a request with the decoded parameters of its path, or null. */
export function findRoute(
  routes: readonly Route[],
  origin: string,
  method: string,
  path: string,
): { route: Route; params: Record<string, string> } | null {
  const parts = path.split('/');
  for (const route of routes) {
    if (route.origin !== origin || route.method !== method) continue;
    const params = matchPath(route.path.split('/'), parts);
    if (params !== null) return { route, params };
  }
  return null;
}

function matchPath(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (!expected.startsWith(':')) {
      if (expected !== part) return null;
      continue;
    }
    const value = decode(part);
    if (value === null || value === '') return null;
    params[expected.slice(1)] = value;
  }
  return params;
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
