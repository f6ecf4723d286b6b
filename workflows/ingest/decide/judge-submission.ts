// What the response to a submission (Step 8) says of each document of the request. It names uploads that
// failed and revisions that came to be, never both for one document. Pure.
import { crossCheck } from './cross-check';
import type { Refusal } from './judge-refusal';
import { pairRevisions, type RevisionPair } from './pair-revisions';

interface Submitted {
  readonly uploadId?: string | undefined;
}

export interface Refused<Item> {
  readonly item: Item;
  readonly refusal: Refusal;
}

export type Judgement<Item> =
  | {
      readonly kind: 'told';
      readonly accepted: readonly RevisionPair<Item>[];
      readonly refused: readonly Refused<Item>[];
    }
  /** A failure that names no upload, or counts that disagree: each upload must be looked at. */
  | { readonly kind: 'look' };

/** The response names no upload with a revision id: what did not fail is accepted, if the counts agree. */
export function judgeSubmission<Item extends Submitted>(
  asked: readonly Item[],
  {
    revisionIds,
    failures,
  }: { readonly revisionIds: readonly string[]; readonly failures: readonly Refusal[] },
): Judgement<Item> {
  const named = failures.map(failure => ({ ...failure, id: failure.uploadId ?? '' }));
  if (named.some(({ id }) => id === '')) return { kind: 'look' };
  const { failed, missing } = crossCheck(asked, item => item.uploadId ?? '', [], named);
  const accepted = pairRevisions(missing, revisionIds);
  if (accepted === 'look') return { kind: 'look' };
  return {
    kind: 'told',
    accepted,
    refused: failed.map(({ item, failure: { id: _id, ...refusal } }) => ({ item, refusal })),
  };
}

/** Whom the refusal of a whole request names, each once. */
export function findNamed<Item extends Submitted>(
  asked: readonly Item[],
  refusals: readonly Refusal[],
): readonly Refused<Item>[] {
  const named = new Map<Item, Refusal>();
  for (const refusal of refusals) {
    for (const item of asked) {
      if (item.uploadId === refusal.uploadId && !named.has(item)) named.set(item, refusal);
    }
  }
  return [...named].map(([item, refusal]) => ({ item, refusal }));
}
