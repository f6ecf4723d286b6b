// Signing in at a provider of OpenID Connect: the code flow, with PKCE, state and nonce.
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as openid from 'openid-client';
import { isLoopbackHost } from '../../../activities/service/service-config';
import type { AccessSettings } from '../../../workers/config/config-console';
import type { Logger } from '../../../workers/logging';
import type { Access } from '../serve/access';
import { readCookie, toCookie } from './cookies';
import { type Known, toPerson } from './grants';
import type { Sessions } from './sessions';

const COOKIE = 'drawbridge-sign-in';
const BACK = '/sign-in/back';
const WITHIN_MS = 10 * 60_000;
const MOST_UNDER_WAY = 1_000;
const ANSWERS_WITHIN_S = 10;

export interface OpenidAccessInput {
  readonly settings: NonNullable<AccessSettings['openid']>;
  readonly clientSecret: string | undefined;
  readonly grants: AccessSettings['grants'];
  readonly sessions: Sessions;
  readonly publicOrigin: string;
  readonly prefix: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly now: () => Date;
}

/** One who has been sent to the provider and is not back yet. */
interface UnderWay {
  readonly nonce: string;
  readonly verifier: string;
  /** Known to their browser alone: a link made elsewhere signs nobody in. */
  readonly browser: string;
  readonly to: string;
  readonly untilMs: number;
}

export function createOpenidAccess(input: OpenidAccessInput): Access {
  const { grants, sessions, prefix, publicOrigin, logger } = input;
  const underWay = new Map<string, UnderWay>();
  const provider = createProvider(input);
  const cookieOptions = {
    path: `${prefix}/sign-in`,
    isSecure: publicOrigin.startsWith('https:'),
    sameSite: 'Lax',
  } as const;
  const toPage = (reply: FastifyReply, path: string) => reply.redirect(`${prefix}${path}`, 302);

  const goThere = async (request: FastifyRequest, reply: FastifyReply) => {
    const [state, browser, nonce] = [randomId(), randomId(), randomId()];
    const verifier = openid.randomPKCECodeVerifier();
    const address = openid.buildAuthorizationUrl(await provider(), {
      redirect_uri: `${publicOrigin}${prefix}${BACK}`,
      scope: input.settings.scope,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    const nowMs = input.now().getTime();
    for (const [each, { untilMs }] of underWay)
      if (untilMs < nowMs || underWay.size >= MOST_UNDER_WAY) underWay.delete(each);
    const { to } = request.query as { readonly to?: unknown };
    underWay.set(state, { nonce, verifier, browser, to: toOwnPath(to, prefix), untilMs: nowMs + WITHIN_MS });
    void reply.header(
      'set-cookie',
      toCookie(COOKIE, browser, { ...cookieOptions, forSeconds: WITHIN_MS / 1_000 }),
    );
    return reply.redirect(address.href, 302);
  };

  const comeBack = async (request: FastifyRequest, reply: FastifyReply) => {
    const { state } = request.query as { readonly state?: unknown };
    const one = typeof state === 'string' ? underWay.get(state) : undefined;
    if (typeof state === 'string') underWay.delete(state);
    const isTheirs = one !== undefined && readCookie(request.headers.cookie, COOKIE) === one.browser;
    if (!isTheirs || one.untilMs < input.now().getTime()) return toPage(reply, '/sign-in?problem=late');
    const [, query = ''] = request.url.split('?');
    const known = await askWho(
      await provider(),
      `${publicOrigin}${prefix}${BACK}?${query}`,
      one,
      state,
      input,
    );
    await sessions.begin(request, reply, known);
    logger.info({ event: 'console-sign-in', who: known.id, isIn: true }, 'Somebody signed in');
    return toPage(reply, one.to);
  };

  /** A person sees the page in any case; it says what became of it. */
  const orPage =
    (handle: typeof goThere) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      void reply.header('cache-control', 'no-store');
      try {
        return await handle(request, reply);
      } catch (error) {
        logger.warn({ event: 'console-sign-in', who: null, isIn: false, error }, 'Somebody was not let in');
        const isRefused =
          error instanceof NotKnownError || error instanceof openid.AuthorizationResponseError;
        return toPage(reply, `/sign-in?problem=${isRefused ? 'refused' : 'away'}`);
      }
    };

  return {
    signIn: 'openid',
    visitorOf: request => {
      const session = sessions.find(request);
      return session && { person: toPerson(session, grants), session: session.key };
    },
    leave: (request, reply) => sessions.end(request, reply),
    extend: server => {
      const config = { anyone: true };
      server.get('/sign-in/openid', { config }, orPage(goThere));
      server.get(BACK, { config }, orPage(comeBack));
    },
    close: () => sessions.close(),
  };
}

class NotKnownError extends Error {
  override readonly name = 'NotKnownError';
}

/** Looked up when somebody first signs in; looked up again when that did not work. */
function createProvider({ settings, clientSecret }: OpenidAccessInput): () => Promise<openid.Configuration> {
  let found: Promise<openid.Configuration> | undefined;
  const issuer = new URL(settings.issuer);
  const isHere = issuer.protocol === 'http:' && isLoopbackHost(issuer.hostname);
  return () => {
    found ??= openid
      .discovery(
        issuer,
        settings.clientId,
        clientSecret,
        clientSecret === undefined ? openid.None() : undefined,
        {
          timeout: ANSWERS_WITHIN_S,
          ...(isHere ? { execute: [openid.allowInsecureRequests] } : {}),
        },
      )
      .catch((error: unknown) => {
        found = undefined;
        throw error;
      });
    return found;
  };
}

async function askWho(
  provider: openid.Configuration,
  address: string,
  { verifier, nonce }: UnderWay,
  state: unknown,
  { settings }: OpenidAccessInput,
): Promise<Known> {
  const tokens = await openid.authorizationCodeGrant(provider, new URL(address), {
    pkceCodeVerifier: verifier,
    expectedState: String(state),
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new NotKnownError('The provider did not say who it is');
  // Many providers tell names and groups there only.
  const more =
    provider.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await openid.fetchUserInfo(provider, tokens.access_token, claims.sub);
  return toKnown({ ...claims, ...more }, settings);
}

/** @throws NotKnownError when they cannot be told from others. */
export function toKnown(
  claims: Readonly<Record<string, unknown>>,
  {
    personClaim,
    nameClaim,
    groupsClaim,
  }: Pick<OpenidAccessInput['settings'], 'personClaim' | 'nameClaim' | 'groupsClaim'>,
): Known {
  const id = claims[personClaim];
  if (typeof id !== 'string' || id === '') throw new NotKnownError(`The claim "${personClaim}" is missing`);
  // Whoever may write any address there could be anybody.
  if (personClaim === 'email' && claims.email_verified === false)
    throw new NotKnownError('The e-mail address is not verified');
  const name = claims[nameClaim];
  const groups = claims[groupsClaim];
  return {
    id,
    name: typeof name === 'string' && name.trim() !== '' ? name.trim() : id,
    groups: (Array.isArray(groups) ? groups : [groups]).filter(each => typeof each === 'string'),
  };
}

/** Back to where they were, below the path prefix, and nowhere else. */
function toOwnPath(to: unknown, prefix: string): string {
  if (typeof to !== 'string') return '/';
  const path = prefix !== '' && to.startsWith(`${prefix}/`) ? to.slice(prefix.length) : to;
  if (path.startsWith('/sign-in')) return '/';
  return /^\/(?![/\\])[\x21-\x7e]{0,1000}$/.test(path) && !path.includes('\\') ? path : '/';
}

function randomId(): string {
  return randomBytes(24).toString('base64url');
}
