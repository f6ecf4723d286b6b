// How many requests a case may make at most: reckoned from the contract and from what was done to the case,
// by formula and not by what the product was seen to need. A client that repeats itself without end, or asks
// for each document by itself what can be asked for a hundred, is beyond it.
import type { OrderedFault } from '../sandbox/control';
import type { Evidence } from './judge-evidence';

/** What there was to do, and what came between. */
export interface Load {
  /** Files, each as often as it was dropped. */
  readonly documents: number;
  readonly batches: number;
  /** Pieces that files are sent in, beyond the first one of each. */
  readonly furtherSegments?: number;
  /** Workers that were started. */
  readonly workers: number;
  /** How often what was under way was cut: by a kill, a dependency that was away, tokens that ended. */
  readonly interruptions?: number;
  /** Requests and documents that a fault has struck. */
  readonly strikes?: number;
  /** What people did in between: answered, submitted, began a workflow, dropped something again. */
  readonly deeds?: number;
  /** A factor over all of it. Default ROOM. */
  readonly room?: number;
}

/** Opened, its bytes sent, reported, looked at until it is available (specification, Step 5). */
const A_DOCUMENT = 4;
/**
 * Made, linked, named, filled and submitted, a request each for up to a hundred documents; and an analysis of
 * 10 to 30 s, looked at every 5 s (specification, Limits).
 */
const A_BATCH = 11;
/** A token, the requirements, the fields, and the values of those fields that have a list. */
const A_WORKER = 8;
/** A host has so many requests on their way at one time: as many files are sent again when they are lost. */
const MOST_IN_HAND = 16;
/** So many batches are open at one time, and each of them is looked at before anything of it is repeated. */
const MOST_OPEN = 8;
const LOOKS_AT_AN_OPEN_BATCH = 2;
/** A look at what became of it, the repetition, and two more for those it was sent together with. */
const A_STRIKE = 4;
/** A fault that never ends earns no more than this many: somebody has to be told then. */
const MOST_OF_ONE_FAULT = 25;
/** A look, a submission and what they are told from it. */
const A_DEED = 5;
/** What is seen is about half of it: a machine that is busy looks more often, and a batch goes in parts. */
const ROOM = 2;
/**
 * Of a few documents whose analysis is waited for once, with nothing struck but by kills: 33 to 48 requests
 * were seen, where without any room 51 are the most without a kill and 83 with one.
 */
export const NO_ROOM = 1;

export function mostRequests(load: Load): number {
  const { documents, batches, furtherSegments = 0, workers } = load;
  const { interruptions = 0, strikes = 0, deeds = 0, room = ROOM } = load;
  const again =
    A_DOCUMENT * Math.min(documents, MOST_IN_HAND) + LOOKS_AT_AN_OPEN_BATCH * Math.min(batches, MOST_OPEN);
  return (
    room *
    (A_DOCUMENT * documents +
      furtherSegments +
      A_BATCH * batches +
      A_WORKER * workers +
      again * interruptions +
      A_STRIKE * strikes +
      A_DEED * deeds)
  );
}

/** With the documents and batches of the evidence; more batches than documents there never are. */
export function mostRequestsOf(
  { dropped, share }: Pick<Evidence, 'dropped' | 'share'>,
  rest: Omit<Load, 'documents' | 'batches'>,
): number {
  const documents = dropped.reduce((sum, { drops = 1 }) => sum + drops, 0);
  return mostRequests({ documents, batches: Math.min(share.batches.length, documents), ...rest });
}

/** What is only late costs no repetition. */
export function countStrikes(faults: readonly OrderedFault[]): number {
  return faults.reduce(
    (sum, { action, fired }) => (action.kind === 'delay' ? sum : sum + Math.min(fired, MOST_OF_ONE_FAULT)),
    0,
  );
}
