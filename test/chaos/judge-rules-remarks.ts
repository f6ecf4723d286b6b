// What a careful client has no reason for, by the stand-in's own remarks: a look too soon or too long, an
// event id that was out of date, a page past the end. Only what was done to a case gives reason for some.
import type { Operation } from '../sandbox/control';
import type { Remark } from '../sandbox/operation-log';
import type { DocumentIndex } from './judge-documents';
import type { Evidence } from './judge-evidence';
import type { Judgement, Rule } from './judge-rule';
import type { Load } from './request-budget';

export const REMARK_RULES: readonly Rule[] = [
  { invariant: '30 nothing that a careful client has no reason for', find: findRemarks },
];

/** What each kind of thing that is done to a case gives reason for; nothing else is ever excused. */
const EXCUSES: Readonly<Record<'interruptions' | 'strikes' | 'deeds', readonly Remark[]>> = {
  // Who goes on does not know when the one before has looked, nor what it wrote last without hearing of it.
  interruptions: ['polled-too-soon', 'polled-too-long', 'stale-event-id'],
  // A write took effect and nobody heard of it: what became of it is looked at, however long the analysis has
  // run. A look whose answer did not come is repeated at once.
  strikes: ['polled-too-soon', 'polled-too-long', 'stale-event-id'],
  // A person has written to the upload since it was read, or has submitted what a next page would have
  // listed.
  deeds: ['stale-event-id', 'page-past-the-end'],
};

/** Pure. What is excused of a case with this load. */
export function excusedRemarks(load: Pick<Load, keyof typeof EXCUSES>): readonly Remark[] {
  const kinds = Object.keys(EXCUSES) as (keyof typeof EXCUSES)[];
  return [...new Set(kinds.flatMap(kind => ((load[kind] ?? 0) > 0 ? EXCUSES[kind] : [])))];
}

function findRemarks({ operations }: Evidence, _: DocumentIndex, { excused = [] }: Judgement): string[] {
  const isExcused = ({ what }: Operation) => excused.some(each => each === what);
  return operations
    .filter(operation => operation.kind === 'remark' && !isExcused(operation))
    .map(
      ({ what, route, request, detail }) =>
        `${what} at ${route}, request ${request}: ${JSON.stringify(detail ?? {})}`,
    );
}
