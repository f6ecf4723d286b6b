/**
 * The authentication origin: authorize, token, info, revoke (specification,
 * Authentication; errors by RFC 6749).
 */
import { createHash } from 'node:crypto';

import { DEFAULT_CREDENTIALS } from '../defaults';
import type { Credential } from '../entities';
import { type Answer, Refusal } from '../http/answer';
import type { Route, RouteRequest } from '../http/route';
import { createLogin, findCredential, issueCode, issueTokens, isValid, revokeLogin } from '../rules/tokens';
import type { World } from '../world';

/** Redirect address of applications without a server. */
const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';

export const oauthRoutes: readonly Route[] = [
  {
    key: 'oauth.authorize',
    origin: 'auth',
    method: 'GET',
    path: '/oauth/authorize',
    access: 'open',
    body: 'none',
    handle: authorize,
  },
  {
    key: 'oauth.token',
    origin: 'auth',
    method: 'POST',
    path: '/oauth/token',
    access: 'open',
    body: 'form',
    handle: grantToken,
  },
  {
    key: 'oauth.info',
    origin: 'auth',
    method: 'GET',
    path: '/oauth/token/info',
    access: 'bearer',
    body: 'none',
    handle(request, world) {
      const credential = world.credentials.get(request.caller.credentialId);
      const now = world.now();
      return {
        status: 200,
        json: {
          resource_owner_id: request.caller.userId,
          scopes: [],
          expires_in_seconds: Math.max(0, Math.ceil(((credential?.expiresAt ?? now) - now) / 1000)),
          application: { uid: DEFAULT_CREDENTIALS.clientId },
          created_at: Math.floor((credential?.createdAt ?? now) / 1000),
        },
      };
    },
  },
  {
    key: 'oauth.revoke',
    origin: 'auth',
    method: 'POST',
    path: '/oauth/revoke',
    access: 'open',
    body: 'form',
    handle(request, world) {
      const form = formOf(request);
      requireClient(form);
      const credential = findCredential(world, form.token ?? '');
      // 200 as well when there is no such token.
      if (credential !== undefined) {
        revokeLogin(world, credential.loginId);
        effect(world, request, 'login-revoked', credential);
      }
      return { status: 200, json: {} };
    },
  },
];

function authorize(request: RouteRequest, world: World): Answer {
  const { query } = request;
  const redirectUri = query.get('redirect_uri') ?? '';
  if (query.get('client_id') !== DEFAULT_CREDENTIALS.clientId) throw oauthError(401, 'invalid_client');
  if (!isAllowedRedirect(world, redirectUri))
    throw oauthError(400, 'invalid_request', 'redirect_uri is not allowed');
  const state = query.get('state');
  const stateParameter: Record<string, string> = state === null ? {} : { state };
  if (query.get('response_type') !== 'code') {
    if (redirectUri === OUT_OF_BAND) throw oauthError(400, 'unsupported_response_type');
    return redirectTo(redirectUri, { error: 'unsupported_response_type', ...stateParameter });
  }
  const login = createLogin(world, 'authorization_code');
  const codeChallenge = query.get('code_challenge');
  const code = issueCode(world, login, {
    redirectUri,
    ...(codeChallenge === null ? {} : { codeChallenge }),
  });
  world.log.record({
    kind: 'effect',
    route: request.route,
    request: request.number,
    what: 'code-issued',
    detail: { loginId: login.id },
  });
  if (redirectUri !== OUT_OF_BAND) return redirectTo(redirectUri, { code, ...stateParameter });
  const page = `<!doctype html><meta charset="utf-8"><title>Authorization code</title><p>Authorization code:</p><pre>${code}</pre>\n`;
  return { status: 200, text: { body: page, contentType: 'text/html; charset=utf-8' } };
}

function grantToken(request: RouteRequest, world: World): Answer {
  const form = formOf(request);
  requireClient(form);
  switch (form.grant_type) {
    case 'client_credentials':
      return tokensFor(world, request, createLogin(world, 'client_credentials').id);
    case 'refresh_token':
      return exchange(world, request, form.refresh_token ?? '', 'refresh');
    case 'authorization_code':
      return exchange(world, request, form.code ?? '', 'code', form);
    default:
      throw oauthError(400, 'unsupported_grant_type');
  }
}

/** Both secrets are good for one use, whether or not the answer arrives. */
function exchange(
  world: World,
  request: RouteRequest,
  secret: string,
  kind: 'refresh' | 'code',
  form: Record<string, string | undefined> = {},
): Answer {
  const credential = findCredential(world, secret);
  if (credential?.kind === kind && credential.state === 'used') {
    const violation = kind === 'refresh' ? 'refresh-token-reused' : 'code-reused';
    world.log.violation(violation, request.route, request.number, { loginId: credential.loginId });
    if (kind === 'refresh' && world.settings.reuseRevokesLogin) revokeLogin(world, credential.loginId);
  }
  if (!isValid(world, credential) || credential.kind !== kind) throw oauthError(400, 'invalid_grant');
  if (kind === 'code' && form.redirect_uri !== credential.redirectUri) throw oauthError(400, 'invalid_grant');
  if (kind === 'code' && challengeOf(form.code_verifier) !== credential.codeChallenge)
    throw oauthError(400, 'invalid_grant');
  world.credentials.put({ ...credential, state: 'used' });
  return tokensFor(world, request, credential.loginId);
}

function tokensFor(world: World, request: RouteRequest, loginId: string): Answer {
  const login = world.logins.get(loginId);
  if (login === undefined) throw oauthError(400, 'invalid_grant');
  const json = issueTokens(world, login);
  world.log.record({
    kind: 'effect',
    route: request.route,
    request: request.number,
    what: 'tokens-issued',
    detail: { loginId, grant: login.grant },
  });
  return { status: 200, json, headers: { 'Cache-Control': 'no-store' } };
}

/** S256 of RFC 7636; the contract knows nothing of it, so a code that was asked for without it needs none. */
function challengeOf(verifier: string | undefined): string | undefined {
  return verifier === undefined ? undefined : createHash('sha256').update(verifier).digest('base64url');
}

function formOf(request: RouteRequest): Record<string, string | undefined> {
  const { body } = request;
  if (typeof body !== 'object' || body === null) {
    throw oauthError(400, 'invalid_request', 'form data is expected');
  }
  return body as Record<string, string | undefined>;
}

function requireClient(form: Record<string, string | undefined>): void {
  const { clientId, clientSecret } = DEFAULT_CREDENTIALS;
  if (form.client_id !== clientId || form.client_secret !== clientSecret)
    throw oauthError(401, 'invalid_client');
}

function oauthError(status: number, error: string, description?: string): Refusal {
  return new Refusal({
    status,
    json: { error, error_description: description ?? error.replaceAll('_', ' ') },
  });
}

function redirectTo(uri: string, parameters: Record<string, string>): Answer {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { status: 302, headers: { Location: url.href }, text: { body: '', contentType: 'text/plain' } };
}

/** https, the loopback of a command-line login, or out of band. */
/** Registered with the application; a loopback address of any port is (RFC 8252, section 7.3). */
function isAllowedRedirect(world: World, uri: string): boolean {
  if (uri === OUT_OF_BAND) return true;
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'http:') return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return world.settings.redirectUris.includes(uri);
}

function effect(world: World, request: RouteRequest, what: string, { loginId }: Credential): void {
  world.log.record({
    kind: 'effect',
    route: request.route,
    request: request.number,
    what,
    detail: { loginId },
  });
}
