// By which upload requirement a document was about to be submitted, as its journal has it.
import type { AppliedRequirement } from '../../../workflows/ingest/ingest-contract';
import type { DatedRecord } from './fold-journal';

export interface NotedRequirement extends AppliedRequirement {
  readonly atMs: number;
}

/** Undefined where none was noted: by earlier versions, and for what was never about to be submitted. */
export function findRequirement(
  records: readonly DatedRecord[],
  index: number,
): NotedRequirement | undefined {
  let latest: NotedRequirement | undefined;
  for (const { atMs, record } of records) {
    if (record.kind !== 'required' || atMs < (latest?.atMs ?? 0)) continue;
    const found = record.documents.find(document => document.index === index);
    if (found !== undefined) latest = { atMs, when: found.when, asks: found.asks };
  }
  return latest;
}

/** For example "Type is "Drawing": asks for Number, Revision". */
export function tellNoted({ when, asks }: AppliedRequirement): string {
  return asks.length === 0 ? when : `${when}: asks for ${asks.join(', ')}`;
}
