// In which order the revisions of one document are submitted, when several of them are on their way.
import type { ValuesByField } from '../contract';
import { compareParsed, parseRevision } from './compare-revisions';

/** One document that is not submitted yet, as the batches of a share know it. */
export interface LinedUp {
  readonly batchId: string;
  readonly index: number;
  readonly path: string;
  /** Documents that have one of these in common are revisions of one document. */
  readonly keys: readonly string[];
  readonly revision?: string | undefined;
  /** When the batch was claimed, ISO 8601 UTC. */
  readonly claimedAt: string;
  /** When the file was last written, nanoseconds since 1970. */
  readonly modifiedNs: bigint;
}

/** A file name without its folder, and the Number where the name tells it, both without regard to case. */
export function keysOf(path: string, values: ValuesByField): readonly string[] {
  const number = textOf(values, 'number');
  const name = fold(path.slice(path.lastIndexOf('/') + 1));
  return number === undefined ? [`name ${name}`] : [`name ${name}`, `number ${fold(number)}`];
}

/** The value of a field by its name or label, if it is a single text. */
export function textOf(values: ValuesByField, field: string): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    if (fold(name) === field && typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return undefined;
}

/**
 * Lines up each document with the others that are the same one, whatever connects them: a name here, a number there.
 * Lines of one are left out. Within a line the order is total: by revision if all of its revisions can be compared, else
 * by time (claim, then last written, then place in the batch). So the first of each line can always go.
 */
export function lineUp<Document extends LinedUp>(documents: readonly Document[]): readonly Document[][] {
  const leaders = new Map<string, string>();
  const leaderOf = (key: string): string => {
    let leader = key;
    for (let next = leaders.get(leader); next !== undefined; next = leaders.get(leader)) leader = next;
    if (leader !== key) leaders.set(key, leader);
    return leader;
  };
  for (const { keys } of documents) {
    const [first, ...others] = keys.map(leaderOf);
    for (const other of others) if (first !== undefined && other !== first) leaders.set(other, first);
  }
  const lines = new Map<string, Document[]>();
  for (const document of documents) {
    const [key] = document.keys;
    if (key === undefined) continue;
    const leader = leaderOf(key);
    const line = lines.get(leader);
    if (line === undefined) lines.set(leader, [document]);
    else line.push(document);
  }
  return [...lines.values()].filter(line => line.length > 1).map(order);
}

function order<Document extends LinedUp>(line: readonly Document[]): Document[] {
  const parsed = new Map(line.map(document => [document, parseRevision(document.revision)]));
  const schemes = new Set([...parsed.values()].map(revision => revision?.scheme));
  if (schemes.size !== 1 || schemes.has(undefined)) return [...line].sort(byTime);
  return [...line].sort((one, other) => {
    const [first, second] = [parsed.get(one), parsed.get(other)];
    if (first === undefined || second === undefined) return byTime(one, other);
    return compareParsed(first, second) || byTime(one, other);
  });
}

function byTime(one: LinedUp, other: LinedUp): number {
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

function fold(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}
