// Who may do what with which share.
import type { AccessSettings } from '../../../workers/config/config-console';
import type { Role } from '../contract/route';
import type { Person } from '../serve/module';

const ROLES: readonly Role[] = ['see', 'answer', 'operate'];

/** Somebody whose identity comes from a source that is trusted: our file of users, a proxy or a provider. */
export interface Known {
  /** Tells people apart; grants name people by it. */
  readonly id: string;
  /** What they are called. */
  readonly name: string;
  readonly groups: readonly string[];
}

interface Grant {
  readonly role: Role;
  readonly shares: readonly string[];
}

/** `own`: what is granted to this person alone. Ids of people are compared without regard to case. */
export function toPerson(known: Known, grants: AccessSettings['grants'], own: readonly Grant[] = []): Person {
  const id = known.id.toLowerCase();
  const theirs: readonly Grant[] = [
    ...own,
    ...grants.filter(
      ({ people, groups }) =>
        people.some(each => each.toLowerCase() === id) || groups.some(each => known.groups.includes(each)),
    ),
  ];
  return {
    id,
    name: known.name,
    may: (role, share) =>
      theirs.some(
        grant =>
          ROLES.indexOf(grant.role) >= ROLES.indexOf(role) &&
          (grant.shares.includes('*') || grant.shares.includes(share)),
      ),
  };
}
