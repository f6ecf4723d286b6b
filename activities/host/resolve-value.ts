// From a value as a person writes it (label, code, name) to the id of the list's entry that is meant.
import { editDistance } from './edit-distance';
import { foldText } from './fold-text';

/** One entry of a value list (Step 3) or one project user. */
export interface Candidate {
  readonly id: string;
  readonly label: string;
  /** Other texts that mean the same entry: a code, "Last, First". */
  readonly alternatives: readonly string[];
  readonly active: boolean;
}

export type Resolution =
  | { readonly kind: 'resolved'; readonly value: string }
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] }
  | { readonly kind: 'inactive'; readonly nearest: readonly string[] }
  | { readonly kind: 'ambiguous'; readonly nearest: readonly string[] }
  | { readonly kind: 'malformed'; readonly expected: string };

/** The list that the text would be in is not shown: it may be in there as well as not. */
export interface NotShown {
  readonly kind: 'not-shown';
  /** What is not shown, as a part of a sentence. */
  readonly why: string;
  readonly fix: string;
}

/**
 * Finds the one active entry that `text` names: by id, else by label, else by code or another spelling,
 * else as our own messages write it. What is written exactly goes before what only reads the same. An
 * entry listed twice is one entry.
 */
export function resolveCandidate(text: string, candidates: readonly Candidate[]): Resolution {
  const wanted = foldText(text);
  const exact = text.trim().normalize('NFC');
  const isExact = (spelling: string) => spelling.trim().normalize('NFC') === exact;
  const isLike = (spelling: string) => foldText(spelling) === wanted;
  const tiers: readonly ((candidate: Candidate) => boolean)[] = [
    candidate => candidate.id === text.trim(),
    candidate => isExact(candidate.label),
    candidate => isLike(candidate.label),
    candidate => candidate.alternatives.some(isExact),
    candidate => candidate.alternatives.some(isLike),
    candidate => isLike(describe(candidate)) || isLike(describeById(candidate)),
  ];
  let inactive = false;
  for (const fits of tiers) {
    const found = candidates.filter(fits);
    const active = [
      ...new Map(found.filter(({ active }) => active).map(entry => [entry.id, entry])).values(),
    ];
    if (active.length === 1 && active[0] !== undefined) return { kind: 'resolved', value: active[0].id };
    if (active.length > 1)
      return { kind: 'ambiguous', nearest: active.slice(0, 5).map(one => describeAmong(one, active)) };
    inactive ||= found.length > 0;
  }
  const nearest = listNearest(
    text,
    candidates.filter(candidate => candidate.active),
  );
  return inactive ? { kind: 'inactive', nearest } : { kind: 'unknown', nearest };
}

/** Up to three spellings near `text`, nearest first, for the message that says it is not allowed. */
export function listNearest(text: string, candidates: readonly Candidate[]): readonly string[] {
  const wanted = foldText(text);
  return candidates
    .map(candidate => ({
      candidate,
      distance: Math.min(
        ...[candidate.label, ...candidate.alternatives].map(spelling =>
          editDistance(wanted, foldText(spelling)),
        ),
      ),
    }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => describeAmong(candidate, candidates));
}

/** A spelling that leads to this entry alone; its id is shown only where nothing else differs. */
function describeAmong(candidate: Candidate, all: readonly Candidate[]): string {
  const spelling = describe(candidate);
  const isShared = all.some(
    other => other.id !== candidate.id && foldText(describe(other)) === foldText(spelling),
  );
  return isShared ? describeById(candidate) : spelling;
}

function describeById(candidate: Candidate): string {
  return `${candidate.label} (${candidate.id})`;
}

function describe(candidate: Candidate): string {
  const code = candidate.alternatives.find(alternative => alternative.trim() !== '');
  return code === undefined || foldText(code) === foldText(candidate.label)
    ? candidate.label
    : `${candidate.label} (${code})`;
}
