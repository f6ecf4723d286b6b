// Where a person grants access in the browser (specification, GET /oauth/authorize),
// and what comes back from there.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../../activities/service/secret';

/** For applications without a server: the service shows the code, and the person copies it. */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';

/** 192 bits; alphanumeric, as the specification recommends. */
export function newState(): string {
  return randomBytes(24).toString('hex');
}

/**
 * Only whoever has it can use the code: a code that somebody reads on its way is
 * worth nothing (RFC 7636). 256 bits.
 */
export function newVerifier(): Secret {
  return new Secret(randomBytes(32).toString('base64url'));
}

/**
 * The page to open. It holds no secret: the state is worthless once the code came back, and
 * of the verifier it has the hash.
 */
export function authorizationAddress(input: {
  readonly authUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly verifier: Secret;
}): string {
  const url = new URL(`${input.authUrl.replace(/\/+$/, '')}/oauth/authorize`);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', input.clientId);
  url.searchParams.set('redirect_uri', input.redirectUri);
  url.searchParams.set('state', input.state);
  url.searchParams.set(
    'code_challenge',
    createHash('sha256').update(input.verifier.reveal()).digest('base64url'),
  );
  url.searchParams.set('code_challenge_method', 'S256');
  return url.href;
}

export type Grant =
  | { readonly kind: 'code'; readonly code: string }
  /**
   * The person said no, or the service refuses the application; `error` is the
   * service's word, made safe to show.
   */
  | { readonly kind: 'denied'; readonly error: string }
  /** Not the answer to our question: another state, or neither code nor error. */
  | { readonly kind: 'foreign' };

/** Reads the query of a redirect. Nothing counts without our state. */
export function readGrant(query: URLSearchParams, state: string): Grant {
  if (!isSameText(query.get('state') ?? '', state)) return { kind: 'foreign' };
  const error = query.get('error');
  if (error !== null) return { kind: 'denied', error: error.replace(/[^\w .-]/g, '?').slice(0, 80) };
  const code = query.get('code') ?? '';
  return isCode(code) ? { kind: 'code', code } : { kind: 'foreign' };
}

/** What a person pasted: the code alone, or the whole address the browser ended at (then with our state). */
export function readPasted(text: string, state: string): Grant {
  const trimmed = text.trim();
  if (URL.canParse(trimmed) && /^https?:/i.test(trimmed))
    return readGrant(new URL(trimmed).searchParams, state);
  return isCode(trimmed) ? { kind: 'code', code: trimmed } : { kind: 'foreign' };
}

function isCode(text: string): boolean {
  return /^[\x21-\x7e]{1,2000}$/.test(text);
}

function isSameText(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
