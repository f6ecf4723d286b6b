// Who looks at the page, and what changes while they do.
import { z } from 'zod';
import type { Routes } from './route';

export const roleShape = z.enum(['see', 'answer', 'operate']);

export const me = z.object({
  /** null: nobody is signed in. */
  name: z.string().nullable(),
  /** How to sign in: `none` on loopback, where whoever is there may do everything. */
  signIn: z.enum(['none', 'password', 'openid', 'proxy']),
  /** What the person may do, by share. */
  roles: z.record(z.string(), roleShape),
  /** To be sent as the header `x-drawbridge-csrf` with everything that changes something. */
  csrf: z.string(),
  version: z.string(),
});
export type Me = z.infer<typeof me>;

export const sessionRoutes = {
  'GET /api/me': { role: 'anyone', summary: 'Who is signed in, and what they may do', answer: me },
  'POST /api/sign-in': {
    role: 'anyone',
    summary: 'Signs in with a name and a password; with OpenID Connect: open /sign-in/openid?to=<address>',
    body: z.object({ name: z.string().min(1).max(200), password: z.string().min(1).max(1_000) }),
    answer: me,
  },
  'POST /api/sign-out': { role: 'anyone', summary: 'Signs out', answer: me },
} as const satisfies Routes;

/** What a view shows that may have changed; `job:<share>/<job>` for one of them. */
export type Topic = 'jobs' | 'waiting' | 'apart' | 'operations' | 'drop' | `job:${string}`;

/** The first event, `hello`, of `GET /api/live`. */
export interface Hello {
  /** Of the server: where it is not the version of the page, there is a newer page. */
  readonly version: string;
  /** Time between two events `here`: a page that hears nothing for much longer has no connection. */
  readonly beatMs: number;
}

/** An event `changed` of `GET /api/live` (server-sent events): ask again for what you show of these. */
export interface Changed {
  readonly topics: readonly Topic[];
  readonly at: string;
}
