// Who and which template is meant: from texts as people write them to ids, with all faults at once.
import type { Reason } from '../../workflows/contract';
import { isId } from '../../workflows/run/decide/is-id';
import { type Candidate, type Resolution, resolveCandidate } from '../host/resolve-value';
import type { FindMemberInput, FindMemberResult, PermissionTemplate } from './users-api';

export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  /** Other ways to write the name. */
  readonly spellings: readonly string[];
  readonly isActive: boolean;
  readonly template: PermissionTemplate | null;
}

/**
 * A user by id, e-mail address or name; a template by id, or by name when somebody in the
 * project has it (the service has no list of templates). An id of nobody in the project is
 * `outside`; the name of nobody is refused.
 */
export function resolveMember(
  question: Omit<FindMemberInput, 'project'>,
  people: readonly Person[],
): FindMemberResult {
  const reasons: Reason[] = [];
  const user = resolveCandidate(question.user, people.map(toCandidate));
  const isNewId = user.kind === 'unknown' && isId(question.user.trim());
  if (user.kind !== 'resolved' && !isNewId) reasons.push(explain('user', question.user, user));
  const template = resolveTemplate('template', question.template, people, reasons);
  const previous =
    question.previousTemplate === undefined
      ? null
      : resolveTemplate('previousTemplate', question.previousTemplate, people, reasons);
  if (reasons.length > 0 || template === null) return { kind: 'refused', reasons };
  if (user.kind !== 'resolved') return { kind: 'outside', userId: question.user.trim(), template, previous };
  const person = people.find(({ userId }) => userId === user.value);
  const member = {
    userId: user.value,
    name: person?.name ?? '',
    template: person?.template ?? null,
  };
  return { kind: 'found', member, template, previous: member.template ?? previous };
}

function resolveTemplate(
  key: string,
  text: string,
  people: readonly Person[],
  reasons: Reason[],
): PermissionTemplate | null {
  const known = new Map(
    people.flatMap(({ template }) => (template === null ? [] : [[template.id, template]])),
  );
  const candidates = [...known.values()].map(
    ({ id, name }): Candidate => ({ id, label: name, alternatives: [], active: true }),
  );
  const resolution = resolveCandidate(text, candidates);
  if (resolution.kind === 'resolved') {
    return known.get(resolution.value) ?? { id: resolution.value, name: '' };
  }
  // Nobody has it yet: whether it exists, the service says when it is given to somebody.
  if (isId(text.trim())) return { id: text.trim(), name: '' };
  reasons.push(explain(key, text, resolution));
  return null;
}

function toCandidate(person: Person): Candidate {
  const spellings = [person.email ?? '', ...person.spellings];
  return {
    id: person.userId,
    label: person.name,
    alternatives: spellings.filter(spelling => spelling.replace(/[\s,]/g, '') !== ''),
    active: person.isActive,
  };
}

function explain(key: string, text: string, resolution: Exclude<Resolution, { kind: 'resolved' }>): Reason {
  const nearest = resolution.kind === 'malformed' ? [] : resolution.nearest;
  const shown = nearest.length === 0 ? '' : ` Near it: ${nearest.join(', ')}.`;
  const what =
    key === 'user' ? 'person of the project' : 'permission template that somebody in the project has';
  switch (resolution.kind) {
    case 'ambiguous':
      return {
        code: `ambiguous-${key}`,
        text: `"${key}": "${text}" can be read as more than one ${what}.${shown}`,
        fix: key === 'user' ? 'Give the e-mail address or the id.' : 'Give the id.',
      };
    case 'inactive':
      return {
        code: `inactive-${key}`,
        text: `"${key}": "${text}" is no active ${what}.${shown}`,
        fix: 'Reactivate the person, or choose another one.',
      };
    default:
      return {
        code: `unknown-${key}`,
        text: `"${key}": "${text}" is no ${what}.${shown}`,
        fix:
          key === 'user'
            ? 'Correct the spelling, or give the id.'
            : "Correct the spelling, or give the template's id.",
      };
  }
}
