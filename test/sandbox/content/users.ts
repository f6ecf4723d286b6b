/** Project users: enough for several pages, with namesakes. */
import { DEFAULT_USERS } from '../defaults';
import type { ProjectUser } from '../entities';

const FIRST_NAMES = [
  'Ada',
  'Boris',
  'Chloé',
  'Dana',
  'Emil',
  'Fatima',
  'Goran',
  'Hana',
  'Ivo',
  'Jürgen',
  'Kenji',
];
const LAST_NAMES = [
  'Ashby',
  'Brandt',
  'Castillo',
  'Dubois',
  'Eriksen',
  'Fontaine',
  'Grünwald',
  'Hoffmann',
  'Ito',
];

/** Permission templates, by id. */
export const PERMISSION_TEMPLATES: Readonly<Record<number, string>> = {
  301: 'Read-only',
  302: 'Standard',
  303: 'Project Admin',
};

/** The users 9001 to 9130; the last two have one name between them. */
export function projectUsers(): ProjectUser[] {
  const users: ProjectUser[] = [];
  for (let index = 0; index < 128; index += 1) {
    const firstName = FIRST_NAMES[index % FIRST_NAMES.length] ?? 'Ada';
    const lastName = `${LAST_NAMES[index % LAST_NAMES.length] ?? 'Ashby'}${index < 99 ? '' : ' II'}`;
    users.push(userOf(DEFAULT_USERS.signedIn + index, firstName, lastName));
  }
  users.push(userOf(9129, 'Robin', 'Namesake'), userOf(9130, 'Robin', 'Namesake'));
  return users;
}

/** The company's directory: everyone in the default projects, and two people who are in none. */
export function companyUsers(): ProjectUser[] {
  return [...projectUsers(), userOf(9131, 'Sol', 'Outside'), userOf(9132, 'Tara', 'Elsewhere')];
}

function userOf(id: number, firstName: string, lastName: string): ProjectUser {
  return { id, firstName, lastName, email: `user-${id}@sandbox.example`, templateId: 301 + (id % 3) };
}
