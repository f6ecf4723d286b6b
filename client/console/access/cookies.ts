// Cookies that scripts cannot read, and that go nowhere but here.
import { createHash } from 'node:crypto';

export interface CookieOptions {
  readonly path: string;
  /** Where the page is served over https. */
  readonly isSecure: boolean;
  /** `Lax`: also sent when another site leads here, as the provider does after people signed in there. */
  readonly sameSite: 'Strict' | 'Lax';
  /** 0 removes it. */
  readonly forSeconds: number;
}

/**
 * Cookies know no ports: each page on a host has a name of its own for them, or signing in to one would end
 * the sign-in to another. @param key of this page
 */
export function cookieOf(what: 'session' | 'sign-in', key: Buffer): string {
  return `drawbridge-${what}-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
}

/** Undefined when there is none, or several of that name: one may have been planted. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '')
    .split(';')
    .map(each => each.trim())
    .filter(each => each.startsWith(`${name}=`))
    .map(each => each.slice(name.length + 1));
  return found.length === 1 && /^[\w.-]{1,2000}$/.test(found[0] ?? '') ? found[0] : undefined;
}

export function toCookie(name: string, value: string, options: CookieOptions): string {
  const { path, isSecure, sameSite, forSeconds } = options;
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${forSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}
