// What the files of one batch show by themselves, before anything of them is sent: the same bytes under two
// names, and several files of one document that no revision puts in order. Pure.

import { parseRevision } from '../../../workflows/revision-order/decide/compare-revisions';
import {
  findMistakenNumbers,
  NUMBER,
  type QueuedDocument,
  toQueues,
} from '../../../workflows/revision-order/decide/order-revisions';
import { foldName } from '../../host/fold-text';
import type { DuplicateRules } from '../../share/share-config';
import { type Candidate, isNamedAlike, isSameDocument } from './candidate';
import type { Stopped } from './decide-document';
import { explainStop, type Stop } from './explain-stop';

/** Where very many files have the same bytes, each is compared with the first hundred of them only. */
const MOST_ALIKE = 100;

interface QueuedCandidate extends QueuedDocument {
  readonly candidate: Candidate;
}

/**
 * @param candidates all of the batch that are to be sent.
 * @returns those that are held, by their places in the batch.
 */
export function decideBatch(
  candidates: readonly Candidate[],
  rulesOf: (candidate: Candidate) => DuplicateRules,
): ReadonlyMap<number, Stopped> {
  const stops = new Map<number, Stopped>();
  const hold = (candidate: Candidate, stop: Stop) =>
    stops.set(candidate.index, { kind: 'hold', reason: explainStop(candidate, stop) });
  for (const [candidate, others] of findDoubles(candidates)) {
    if (rulesOf(candidate).sameBytes === 'hold') hold(candidate, { code: 'same-bytes-in-job', others });
  }
  for (const queue of findQueues(candidates).filter(isUnordered)) {
    for (const candidate of queue) {
      if (rulesOf(candidate).noOrder !== 'hold') continue;
      hold(candidate, { code: 'no-order', others: queue.filter(one => one !== candidate) });
    }
  }
  return stops;
}

/** Files of the same bytes that are to be different documents: one is likely wrong, nobody knows which. */
function findDoubles(candidates: readonly Candidate[]): ReadonlyMap<Candidate, readonly Candidate[]> {
  const byBytes = new Map<string, Candidate[]>();
  for (const one of candidates) {
    const alike = byBytes.get(one.sha256);
    if (alike === undefined) byBytes.set(one.sha256, [one]);
    else alike.push(one);
  }
  const doubles = new Map<Candidate, readonly Candidate[]>();
  for (const alike of byBytes.values()) {
    for (const one of alike) {
      const others = alike
        .slice(0, MOST_ALIKE)
        .filter(other => !isNamedAlike(one, other) && !isSameDocument(one, other));
      if (others.length > 0) doubles.set(one, others);
    }
  }
  return doubles;
}

/** The candidates by document: each queue has those of one document. */
function findQueues(candidates: readonly Candidate[]): readonly Candidate[][] {
  const documents = candidates.map(
    (candidate): QueuedCandidate => ({
      candidate,
      batchId: candidate.batchId,
      index: candidate.index,
      path: candidate.path,
      keys: keysOf(candidate),
      revision: candidate.revision,
      claimedAt: '',
      modifiedNs: 0n,
    }),
  );
  // A pattern that reads one number from the names of many files is a mistake.
  const mistaken = findMistakenNumbers(documents);
  const cleaned = documents.map(one => ({ ...one, keys: one.keys.filter(key => !mistaken.has(key)) }));
  return toQueues(cleaned).map(queue => queue.map(({ candidate }) => candidate));
}

function keysOf({ name, number, mimeType }: Candidate): readonly string[] {
  const type = mimeType.toLowerCase();
  const byName = `name ${foldName(name)}|${type}`;
  return number === undefined ? [byName] : [byName, `${NUMBER}${foldName(number)}|${type}`];
}

/** Different files, of which nothing says which comes first. */
function isUnordered(queue: readonly Candidate[]): boolean {
  const files = [...new Map(queue.map(one => [one.sha256, one])).values()];
  if (files.length < 2) return false;
  const parsed = files.map(({ revision }) => parseRevision(revision));
  const [first] = parsed;
  const isComparable = parsed.every(one => one !== undefined && one.scheme === first?.scheme);
  const texts = new Set(parsed.map(one => one?.parts.join('.')));
  return !isComparable || texts.size < files.length;
}
