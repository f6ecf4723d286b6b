// From the names people use (type, assignee, distribution) to ids; everything that
// cannot be resolved is said at once.
import type { Reason } from '../../workflows/contract';
import { type Candidate, type Resolution, resolveCandidate } from '../host/resolve-value';
import type { ListedPerson, ObservationType } from '../service/endpoints/observation-lists';
import type { ResolveObservationInput, ResolveObservationResult } from './observations-api';

export interface ObservationLists {
  readonly types: readonly ObservationType[];
  readonly assignees: readonly ListedPerson[];
  readonly members: readonly ListedPerson[];
  readonly defaults: readonly ListedPerson[];
}

export function resolveObservationNames(
  input: Omit<ResolveObservationInput, 'project'>,
  lists: ObservationLists,
): ResolveObservationResult {
  const reasons: Reason[] = [];
  const resolve = (what: string, text: string, candidates: readonly Candidate[]): string => {
    const found = resolveCandidate(text, candidates);
    if (found.kind === 'resolved') return found.value;
    reasons.push(explain(what, text, found));
    return '';
  };
  const typeId = resolve('type', input.type, lists.types.map(toTypeCandidate));
  const assigneeId =
    input.assignee === undefined
      ? undefined
      : resolve('assignee', input.assignee, lists.assignees.map(toPersonCandidate));
  const members = lists.members.map(toPersonCandidate);
  const distributionMemberIds =
    input.distribution === undefined
      ? undefined
      : input.distribution === 'default'
        ? lists.defaults.map(({ id }) => id)
        : [...new Set(input.distribution.map(text => resolve('distribution member', text, members)))];
  if (reasons.length > 0) return { kind: 'unresolved', reasons };
  return {
    kind: 'resolved',
    typeId,
    category: lists.types.find(({ id }) => id === typeId)?.category ?? '',
    ...(assigneeId === undefined ? {} : { assigneeId }),
    ...(distributionMemberIds === undefined ? {} : { distributionMemberIds }),
  };
}

function toTypeCandidate(type: ObservationType): Candidate {
  return {
    id: type.id,
    label: type.name,
    alternatives: [
      ...(type.localizedName === null ? [] : [type.localizedName]),
      `${type.category} / ${type.name}`,
    ],
    active: type.isActive,
  };
}

function toPersonCandidate({ id, name, login }: ListedPerson): Candidate {
  return { id, label: name, alternatives: login === null ? [] : [login], active: true };
}

function explain(what: string, text: string, found: Exclude<Resolution, { kind: 'resolved' }>): Reason {
  const nearest = found.kind === 'malformed' ? [] : found.nearest;
  const problem = {
    unknown: 'is not known in the project',
    inactive: 'is not in use any more',
    ambiguous: 'means more than one',
    malformed: 'cannot be read',
  }[found.kind];
  return {
    code: `${what.replaceAll(' ', '-')}-${found.kind}`,
    text: `The ${what} "${text}" ${problem}.`,
    fix: nearest.length === 0 ? 'Look it up in the service.' : `Nearest: ${nearest.join('; ')}.`,
  };
}
