/** Logins, tokens and codes. Only their SHA-256 is kept. */
import { createHash, randomBytes } from 'node:crypto';
import { DEFAULT_USERS } from '../defaults';
import type { Credential, Login } from '../entities';
import type { World } from '../world';

/** Lifetime of an authorization code (specification, Limits). */
const CODE_LIFETIME_MS = 10 * 60 * 1000;

/** The token endpoint's answer. */
export interface TokenAnswer {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
  created_at: number;
  refresh_token?: string;
}

export function createLogin(world: World, grant: Login['grant']): Login {
  const userId = grant === 'client_credentials' ? DEFAULT_USERS.serviceAccount : DEFAULT_USERS.signedIn;
  return world.logins.put({ id: world.newId(), userId, grant, revoked: false });
}

/** A fresh access token and, unless the login is a service account's, a fresh refresh token. */
export function issueTokens(world: World, login: Login): TokenAnswer {
  const lifetimeMs = world.settings.tokenLifetimeSeconds * 1000;
  const expiresAt = world.after(lifetimeMs);
  const answer: TokenAnswer = {
    access_token: issue(world, login, 'access', expiresAt),
    token_type: 'bearer',
    // Rounded up: tokens of a fast clock live for less than a second, and 0 would mean never valid.
    expires_in: Math.max(1, Math.ceil((expiresAt - world.now()) / 1000)),
    created_at: Math.floor(world.now() / 1000),
  };
  if (login.grant !== 'client_credentials') answer.refresh_token = issue(world, login, 'refresh', null);
  return answer;
}

export function issueCode(
  world: World,
  login: Login,
  asked: { readonly redirectUri: string; readonly codeChallenge?: string },
): string {
  return issue(world, login, 'code', world.after(CODE_LIFETIME_MS), asked);
}

/** The record of a secret, whatever its state. */
export function findCredential(world: World, secret: string): Credential | undefined {
  return world.credentials.get(digestOf(secret));
}

/** Valid now: neither used, revoked nor expired, and its login still stands. */
export function isValid(world: World, credential: Credential | undefined): credential is Credential {
  return (
    credential?.state === 'valid' &&
    (credential.expiresAt === null || world.now() < credential.expiresAt) &&
    world.logins.get(credential.loginId)?.revoked === false
  );
}

/** Ends a login with all its tokens. */
export function revokeLogin(world: World, loginId: string): void {
  const login = world.logins.get(loginId);
  if (login !== undefined) world.logins.put({ ...login, revoked: true });
}

function issue(
  world: World,
  login: Login,
  kind: Credential['kind'],
  expiresAt: number | null,
  asked: { readonly redirectUri?: string; readonly codeChallenge?: string } = {},
): string {
  const secret = `sandbox-${kind}-${randomBytes(24).toString('base64url')}`;
  world.credentials.put({
    id: digestOf(secret),
    kind,
    loginId: login.id,
    createdAt: world.now(),
    expiresAt,
    state: 'valid',
    ...asked,
  });
  return secret;
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
