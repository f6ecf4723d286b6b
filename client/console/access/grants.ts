// Who may do what with which share.
import type { AccessSettings } from '../../../workers/config/config-console';
import type { Role } from '../contract/route';
import type { Person } from '../serve/module';

const ROLES: readonly Role[] = ['see', 'answer', 'operate'];

/** Somebody whose name we were told by those whom we believe. */
export interface Known {
  /** Tells people apart; what grants name. */
  readonly id: string;
  /** What they are called. */
  readonly name: string;
  readonly groups: readonly string[];
}

interface Grant {
  readonly role: Role;
  readonly shares: readonly string[];
}

/** `own`: what is granted to this one alone. Names are compared whatever their case. */
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
    name: known.name,
    may: (role, share) =>
      theirs.some(
        grant =>
          ROLES.indexOf(grant.role) >= ROLES.indexOf(role) &&
          (grant.shares.includes('*') || grant.shares.includes(share)),
      ),
  };
}
