// Who looks at the page, and what they may do.
import { signal } from '@preact/signals';
import type { Role } from '../../contract/route';
import type { Me } from '../../contract/session';
import { ask, isSignedOut, setCsrf } from './api';

export const me = signal<Me | undefined>(undefined);

const RANK: Readonly<Record<Role, number>> = { see: 0, answer: 1, operate: 2 };

/** With that share; without one, with any. */
export function may(role: Role, share?: string): boolean {
  const roles = me.value?.roles ?? {};
  const given = share === undefined ? Object.values(roles) : [roles[share]];
  return given.some(one => one !== undefined && RANK[one] >= RANK[role]);
}

/** @throws ApiProblem when the server does not answer. */
export async function askMe(): Promise<void> {
  const answer = await ask('GET /api/me');
  setCsrf(answer.csrf);
  me.value = answer;
  isSignedOut.value = answer.name === null;
}
