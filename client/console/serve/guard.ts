// Checks each request before anything else does: whether it names this server, where it comes from, and
// whether it has the token that a page of another origin cannot have.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { texts } from '../texts/texts';
import type { Visitors } from './access';
import { ConsoleProblem } from './module';

const CSRF_HEADER = 'x-drawbridge-csrf';
/** `base-uri` allows our own: index.html names its path prefix with it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join('; ');
const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;
/** Methods that change nothing. */
const LOOKING = new Set(['GET', 'HEAD']);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For machines that know the server by any of its addresses; such a route tells nothing private. */
    readonly anyHost?: boolean;
    /** Also for who has not signed in. */
    readonly anyone?: boolean;
  }
}

export interface GuardInput {
  readonly access: Visitors;
  /** Our own, as browsers write them. Asked each time: the port is known once the server listens. */
  readonly origins: () => readonly string[];
  /** What the token against cross-site requests is made with. */
  readonly key: Buffer;
}

export function addGuard(server: FastifyInstance, input: GuardInput): void {
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers(HEADERS);
    const { anyHost, anyone } = request.routeOptions.config;
    // By its route as well: an address can be written in several ways (`/%61pi`). Some have no route.
    const isApi = isApiPath(request.routeOptions.url ?? '') || isApiPath(request.url);
    if (isApi) void reply.header('cache-control', 'no-store');
    // A name that leads here and is not ours: somebody's page has it point at us (DNS rebinding).
    if (anyHost !== true && !hostsOf(input.origins()).has(request.headers.host?.toLowerCase() ?? ''))
      throw new ConsoleProblem(403, texts.asked.otherAddress);
    if (!LOOKING.has(request.method)) requireOwnPage(request, input);
    else if (isApi && isFromElsewhere(request)) throw new ConsoleProblem(403, texts.asked.otherPageAsks);
    if (isApi && anyone !== true && input.access.visitorOf(request) === undefined)
      throw new ConsoleProblem(401, texts.access.signInFirst);
  });
}

/** The token that each request must carry that changes something. */
export function csrfOf(key: Buffer, session: string | undefined): string {
  return createHmac('sha256', key)
    .update(`csrf ${session ?? ''}`)
    .digest('base64url');
}

export function isApiPath(url: string): boolean {
  return /^\/api(?:[/?]|$)/.test(url);
}

function hostsOf(origins: readonly string[]): ReadonlySet<string> {
  return new Set(origins.map(origin => origin.replace(/^https?:\/\//, '')));
}

/** How the asking page relates to ours, as browsers tell it; other programs send nothing of it. */
function siteOf({ headers }: FastifyRequest): string | undefined {
  const site = headers['sec-fetch-site'];
  return typeof site === 'string' ? site : undefined;
}

/** A link from elsewhere may be followed; a script of elsewhere may not read. */
function isFromElsewhere(request: FastifyRequest): boolean {
  const site = siteOf(request);
  const isFollowed = request.headers['sec-fetch-mode'] === 'navigate';
  return (site === 'cross-site' || site === 'same-site') && !isFollowed;
}

function requireOwnPage(request: FastifyRequest, { access, origins, key }: GuardInput): void {
  const { origin } = request.headers;
  const site = siteOf(request);
  const isElsewhere =
    (origin !== undefined && !origins().includes(origin.toLowerCase())) ||
    (site !== undefined && site !== 'same-origin');
  if (isElsewhere) throw new ConsoleProblem(403, texts.asked.otherPageActs);
  const given = request.headers[CSRF_HEADER];
  const expected = csrfOf(key, access.visitorOf(request)?.session);
  if (typeof given !== 'string' || !isSame(given, expected))
    throw new ConsoleProblem(403, texts.asked.olderThanServer);
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
