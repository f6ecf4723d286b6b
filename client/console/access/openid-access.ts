// Signing in at a provider of OpenID Connect: the code flow, with PKCE, state and nonce.
import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as openid from 'openid-client';
import { isLoopbackHost } from '../../../activities/service/service-config';
import type { AccessSettings } from '../../../workers/config/config-console';
import type { Logger } from '../../../workers/logging';
import type { Access } from '../serve/access';
import { cookieOf, readCookie, toCookie } from './cookies';
import { type Known, toPerson } from './grants';
import type { Sessions } from './sessions';

const BACK = '/sign-in/back';
const WITHIN_MS = 10 * 60_000;
const ANSWERS_WITHIN_S = 10;

export interface OpenidAccessInput {
  readonly settings: NonNullable<AccessSettings['openid']>;
  readonly clientSecret: string | undefined;
  readonly grants: AccessSettings['grants'];
  readonly sessions: Sessions;
  readonly publicOrigin: string;
  readonly prefix: string;
  /** 32 bytes. */
  readonly key: Buffer;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly now: () => Date;
}

/**
 * A sign-in that was sent to the provider and is not back yet. All of it is derived from a cookie of the
 * browser and our key: sign-ins that are begun and never ended take no memory and push no others out, a
 * restart loses none, and a link made elsewhere signs nobody in.
 */
interface UnderWay {
  readonly cookie: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

function toUnderWay(cookie: string, key: Buffer): UnderWay {
  const derive = (what: string) =>
    createHmac('sha256', key).update(`sign-in ${what} ${cookie}`).digest('base64url');
  return { cookie, state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/** The cookie: something random, until when it counts (Unix ms), and the path to go back to. */
function toCookieText(to: string, untilMs: number): string {
  return [randomBytes(24).toString('base64url'), untilMs, Buffer.from(to).toString('base64url')].join('.');
}

function readCookieText(cookie: string): { readonly untilMs: number; readonly to: string } {
  const [, untilMs = '', to = ''] = cookie.split('.');
  return { untilMs: Number(untilMs), to: Buffer.from(to, 'base64url').toString() };
}

export function createOpenidAccess(input: OpenidAccessInput): Access {
  const { grants, sessions, prefix, publicOrigin, logger } = input;
  const provider = createProvider(input);
  const cookieName = cookieOf('sign-in', input.key);
  const cookieOptions = {
    path: `${prefix}/sign-in`,
    isSecure: publicOrigin.startsWith('https:'),
    sameSite: 'Lax',
  } as const;
  const toPage = (reply: FastifyReply, path: string) => reply.redirect(`${prefix}${path}`, 302);

  const goThere = async (request: FastifyRequest, reply: FastifyReply) => {
    const { to } = request.query as { readonly to?: unknown };
    const cookie = toCookieText(toOwnPath(to, prefix), input.now().getTime() + WITHIN_MS);
    const { state, nonce, verifier } = toUnderWay(cookie, input.key);
    const address = openid.buildAuthorizationUrl(await provider(), {
      redirect_uri: `${publicOrigin}${prefix}${BACK}`,
      scope: input.settings.scope,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    void reply.header(
      'set-cookie',
      toCookie(cookieName, cookie, { ...cookieOptions, forSeconds: WITHIN_MS / 1_000 }),
    );
    return reply.redirect(address.href, 302);
  };

  const comeBack = async (request: FastifyRequest, reply: FastifyReply) => {
    const { state } = request.query as { readonly state?: unknown };
    const cookie = readCookie(request.headers.cookie, cookieName) ?? '';
    const one = toUnderWay(cookie, input.key);
    const { untilMs, to } = readCookieText(cookie);
    // The state is derived from the whole cookie: a cookie that was changed does not fit the state it had.
    if (state !== one.state || !(input.now().getTime() < untilMs))
      return toPage(reply, '/sign-in?problem=late');
    // The cookie counts once, as the code of the provider does.
    void reply.header('set-cookie', toCookie(cookieName, '', { ...cookieOptions, forSeconds: 0 }));
    const [, query = ''] = request.url.split('?');
    const known = await askWho(await provider(), `${publicOrigin}${prefix}${BACK}?${query}`, one, input);
    await sessions.begin(request, reply, withGranted(known, grants));
    logger.info({ event: 'console-sign-in', who: known.id, isIn: true }, 'Somebody signed in');
    return toPage(reply, to);
  };

  /** Whatever goes wrong, the person is led to the page, which says what became of the sign-in. */
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

/** The provider is looked up when somebody first signs in, and again when that did not work. */
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
  { verifier, nonce, state }: UnderWay,
  { settings }: OpenidAccessInput,
): Promise<Known> {
  const tokens = await openid.authorizationCodeGrant(provider, new URL(address), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new NotKnownError('The provider did not say who it is');
  // Many providers tell names and groups at this address only.
  const more =
    provider.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await openid.fetchUserInfo(provider, tokens.access_token, claims.sub);
  return toKnown(joinClaims(claims, more), settings);
}

type Claims = Readonly<Record<string, unknown>>;

/** What both say, the second over the first; an address that either calls unverified is not verified. */
export function joinClaims(token: Claims, more: Claims): Claims {
  return { ...token, ...more, ...(isUnverified(token) ? { email_verified: false } : {}) };
}

/** Some providers say it as text. Where nothing is said, the provider's word for the address is taken. */
function isUnverified({ email_verified: said }: Claims): boolean {
  return said !== undefined && said !== true && said !== 'true';
}

/** @throws NotKnownError when the claims do not say for certain who it is. */
export function toKnown(
  claims: Claims,
  {
    personClaim,
    nameClaim,
    groupsClaim,
  }: Pick<OpenidAccessInput['settings'], 'personClaim' | 'nameClaim' | 'groupsClaim'>,
): Known {
  const id = claims[personClaim];
  if (typeof id !== 'string' || id === '') throw new NotKnownError(`The claim "${personClaim}" is missing`);
  // Whoever can enter any address at the provider could pass for anybody.
  if (personClaim === 'email' && isUnverified(claims))
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

/** Keeps only the groups that grants name: providers tell hundreds, and the file of sessions is small. */
function withGranted(known: Known, grants: OpenidAccessInput['grants']): Known {
  const named = new Set(grants.flatMap(({ groups }) => groups));
  return { ...known, groups: known.groups.filter(each => named.has(each)) };
}
