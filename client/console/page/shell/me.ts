// Who looks at the page, and what they may do.
import { signal } from '@preact/signals';
import type { Role } from '../../contract/route';
import type { Me } from '../../contract/session';
import { ask, isSignedOut, setCsrf } from './api';
import { beginAnew } from './router';

export const me = signal<Me | undefined>(undefined);

const RANK: Readonly<Record<Role, number>> = { see: 0, answer: 1, operate: 2 };

/** Whether the person may do that with this share; without a share, with any. */
export function may(role: Role, share?: string): boolean {
  const roles = me.value?.roles ?? {};
  const given = share === undefined ? Object.values(roles) : [roles[share]];
  return given.some(one => one !== undefined && RANK[one] >= RANK[role]);
}

/** Who was signed in here last: what they have seen stands in this window. */
let last: string | undefined;

export function wasSignedIn(): boolean {
  return last !== undefined;
}

/** @throws ApiProblem when the server does not answer. */
export async function askMe(): Promise<void> {
  const answer = await ask('GET /api/me');
  // Somebody else by now: nothing of what the one before saw, or has not saved, is for them.
  if (last !== undefined && answer.name !== null && answer.name !== last) {
    beginAnew();
    return;
  }
  last = answer.name ?? last;
  setCsrf(answer.csrf);
  me.value = answer;
  isSignedOut.value = answer.name === null;
}
