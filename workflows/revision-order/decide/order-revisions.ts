// In which order the revisions of one document are submitted, when several of them are on their way.
import { compareParsed, parseRevision } from './compare-revisions';

/** With more files than this of one number, the pattern reads something else for the number. */
const MOST_OF_A_NUMBER = 30;
/** What a key that is made from a Number begins with. */
export const NUMBER = 'number ';

/** One document that is not submitted yet, as the batches of a share know it. */
export interface QueuedDocument {
  readonly batchId: string;
  readonly index: number;
  readonly path: string;
  /** Documents that have one of these in common are revisions of one document, as far as their names tell. */
  readonly keys: readonly string[];
  /** By this the service itself finds its document (`match_criteria`); known once its upload was read. */
  readonly matches?: string | undefined;
  readonly revision?: string | undefined;
  /** When the batch was claimed, ISO 8601 UTC. */
  readonly claimedAt: string;
  /**
   * When the file was last written, nanoseconds since 1970; of one that a register lists, its row's number.
   */
  readonly modifiedNs: bigint;
}

/** Numbers that so many files have that they cannot be one document's, with how many. */
export function findMistakenNumbers(documents: readonly QueuedDocument[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of documents.flatMap(({ keys }) => keys)) {
    if (key.startsWith(NUMBER)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return new Map([...counts].filter(([, count]) => count > MOST_OF_A_NUMBER));
}

/**
 * Whom each document has to wait for; those that need not are left out. Within a queue everybody waits for
 * the first one that may be the same document, so the first of each queue can always go.
 */
export function findPredecessors<Document extends QueuedDocument>(
  documents: readonly Document[],
): readonly { readonly document: Document; readonly behind: Document }[] {
  return toQueues(documents).flatMap(queue =>
    queue.flatMap((document, at) => {
      const behind = queue.slice(0, at).find(earlier => mayBeSame(earlier, document));
      return behind === undefined ? [] : [{ document, behind }];
    }),
  );
}

/**
 * Puts each document into a queue with the others that are the same one, whatever connects them: a name here,
 * a number there, or what the service matches by, which alone decides where it is known of all. Queues of one
 * are left out. Within a queue the order is total: by revision if all of its revisions can be compared, else
 * by time (claim, then row or last written, then place in the batch).
 */
export function toQueues<Document extends QueuedDocument>(
  documents: readonly Document[],
): readonly Document[][] {
  const leaders = new Map<string, string>();
  const leaderOf = (key: string): string => {
    let leader = key;
    for (let next = leaders.get(leader); next !== undefined; next = leaders.get(leader)) leader = next;
    if (leader !== key) leaders.set(key, leader);
    return leader;
  };
  for (const document of documents) {
    const [first, ...others] = allKeysOf(document).map(leaderOf);
    for (const other of others.map(leaderOf)) {
      if (first !== undefined && other !== leaderOf(first)) leaders.set(other, leaderOf(first));
    }
  }
  const queues = groupBy(documents, document => {
    const [key] = allKeysOf(document);
    return key === undefined ? undefined : leaderOf(key);
  });
  return queues
    .flatMap(splitByMatch)
    .filter(queue => queue.length > 1)
    .map(order);
}

function allKeysOf({ keys, matches }: QueuedDocument): readonly string[] {
  return matches === undefined ? keys : [...keys, `match ${matches}`];
}

/** Where the service has told of all, it is known which of them are one document. */
function splitByMatch<Document extends QueuedDocument>(queue: readonly Document[]): readonly Document[][] {
  return queue.every(({ matches }) => matches !== undefined)
    ? groupBy(queue, ({ matches }) => matches)
    : [[...queue]];
}

export function mayBeSame(one: QueuedDocument, other: QueuedDocument): boolean {
  return one.matches === undefined || other.matches === undefined || one.matches === other.matches;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string | undefined): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

function order<Document extends QueuedDocument>(queue: readonly Document[]): Document[] {
  const parsed = new Map(queue.map(document => [document, parseRevision(document.revision)]));
  const schemes = new Set([...parsed.values()].map(revision => revision?.scheme));
  if (schemes.size !== 1 || schemes.has(undefined)) return [...queue].sort(byTime);
  return [...queue].sort((one, other) => {
    const [first, second] = [parsed.get(one), parsed.get(other)];
    if (first === undefined || second === undefined) return byTime(one, other);
    return compareParsed(first, second) || byTime(one, other);
  });
}

function byTime(one: QueuedDocument, other: QueuedDocument): number {
  return (
    compare(one.claimedAt, other.claimedAt) ||
    // Of one claim, and of two in the same moment, the files say which is older.
    compare(one.modifiedNs, other.modifiedNs) ||
    compare(one.batchId, other.batchId) ||
    one.index - other.index
  );
}

function compare<Value extends string | bigint>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
