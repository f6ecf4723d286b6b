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

/**
 * Who goes on does not know when the one before has looked, nor what it wrote last without hearing of it.
 * That can happen to an upload once after each kill, however late it is gone on with. Where nothing but kills
 * was done, it is excused so, and else for the whole case: where rights came and went as well, an upload was
 * seen to be looked at twice too long, more than a minute after the last kill.
 */
const AFTER_A_CUT: readonly Remark[] = ['polled-too-soon', 'polled-too-long', 'stale-event-id'];

/** What each kind of thing that is done to a case gives reason for; nothing else is ever excused. */
const EXCUSES: Readonly<Record<'interruptions' | 'strikes' | 'deeds', readonly Remark[]>> = {
  interruptions: AFTER_A_CUT,
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

function findRemarks(
  { operations }: Evidence,
  _: DocumentIndex,
  { excused = [], interruptions = [] }: Judgement,
): string[] {
  // By upload, remark and cut, which request this cut explains: one look can be remarked on twice.
  const explained = new Map<string, number>();
  const isAfterACut = ({ what, at, request, detail }: Operation): boolean => {
    if (!AFTER_A_CUT.some(each => each === what)) return false;
    const keys = interruptions.flatMap(({ from }) =>
      from <= at ? [`${String(detail?.uploadId)} ${what} ${from}`] : [],
    );
    const key = keys.find(each => (explained.get(each) ?? request) === request);
    if (key !== undefined) explained.set(key, request);
    return key !== undefined;
  };
  return operations
    .filter(({ kind }) => kind === 'remark')
    .filter(remark => !excused.some(each => each === remark.what) && !isAfterACut(remark))
    .map(
      ({ what, route, request, detail }) =>
        `${what} at ${route}, request ${request}: ${JSON.stringify(detail ?? {})}`,
    );
}
