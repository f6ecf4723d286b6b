// Requests that came although the service had said to wait, and files linked to what was COMPLETED.
// Nobody may do either; a process can only not know. Where every process lives, the answer is known
// within a moment, by all of a host: they share what they know, and a new process reads what the last
// one wrote. Only an answer that was on its way to a process that was killed or stood still in that
// very moment was read by nobody.
import type { Operation } from '../sandbox/control';
import { type DocumentIndex, groupBy } from './judge-documents';
import type { Evidence } from './judge-evidence';
import type { Interruption, Judgement, Rule } from './judge-rule';

/**
 * From the service's answer until the process has read it and written down what it
 * says, on a machine that is busy.
 */
const READ_WITHIN_MS = 1_000;
/** What is on its way already when such an answer comes: as many as a host sends at one time. */
const MOST_CROSSING = 16;
/**
 * One that stood still ends what it had in hand within this: the longest that it
 * waits for an answer, and some.
 */
const ENDS_WITHIN_MS = 10_000;

const IMPATIENCE = new Set(['request-while-limited', 'retry-after-undercut']);
const RELINKED = 'completed-upload-relinked';

/** Objections that are judged here rather than taken as they are. */
export const JUDGED_BY_TIME: ReadonlySet<string> = new Set([...IMPATIENCE, RELINKED]);

export const IMPATIENCE_RULES: readonly Rule[] = [
  { invariant: '16 limits are kept', find: findImpatience },
  { invariant: '8 a file upload is linked once', find: findRelinked },
];

function findImpatience(evidence: Evidence, _: DocumentIndex, judgement: Judgement): string[] {
  const { interruptions = [] } = judgement;
  const early = evidence.serviceViolations.flatMap(objection => {
    if (!IMPATIENCE.has(objection.what ?? '')) return [];
    const told = (objection.detail?.announcedAt ?? []) as readonly number[];
    const heard = told.filter(at => !interruptions.some(each => mayHaveMissed(each, at)));
    // One that names no announcement cannot be explained.
    return told.length > 0 && heard.length === 0 ? [] : [{ objection, heard }];
  });
  const crossing = early.filter(each => isCrossing(each));
  const late = early.filter(each => !isCrossing(each));
  const storms = [
    ...groupBy(crossing, ({ objection, heard }) => `${objection.what} ${heard.join(' ')}`),
  ].filter(([, group]) => group.length > MOST_CROSSING);
  return [
    ...late.map(({ objection }) => describe(objection)),
    ...storms.map(([, group]) => {
      const [first] = group;
      const where = first === undefined ? '' : describe(first.objection);
      return `${group.length} requests within a moment, where ${MOST_CROSSING} can have been on their way: ${where}`;
    }),
  ];
}

function isCrossing({ objection, heard }: { objection: Operation; heard: readonly number[] }): boolean {
  return heard.length > 0 && heard.every(at => objection.at - at < READ_WITHIN_MS);
}

/**
 * The answer was given while the process was not there to read it, or so shortly before that it may not have.
 */
function mayHaveMissed({ from, until }: Interruption, announcedAt: number): boolean {
  return announcedAt >= from - READ_WITHIN_MS && announcedAt <= until;
}

/**
 * A process that stood still is believed dead, its documents are carried by another; when it goes on it
 * ends what it had in hand, and one of the two meets the other's link. That can happen to an upload once
 * each time, and only around then.
 */
function findRelinked(evidence: Evidence, _: DocumentIndex, { interruptions = [] }: Judgement): string[] {
  const frozen = interruptions.filter(({ kind }) => kind === 'frozen');
  const completedAt = new Map(
    evidence.operations.flatMap(({ what, at, detail }) =>
      what === 'upload-completed' ? [[String(detail?.uploadId), at] as const] : [],
    ),
  );
  const used = new Set<string>();
  return evidence.serviceViolations.flatMap(objection => {
    if (objection.what !== RELINKED) return [];
    const uploadId = String(objection.detail?.uploadId);
    const explained = frozen.find(
      each =>
        !used.has(`${uploadId} ${each.from}`) &&
        [objection.at, completedAt.get(uploadId)].some(at => at !== undefined && isAround(each, at)),
    );
    if (explained === undefined) return [describe(objection)];
    used.add(`${uploadId} ${explained.from}`);
    return [];
  });
}

function isAround({ from, until }: Interruption, at: number): boolean {
  return at >= from - READ_WITHIN_MS && at <= until + ENDS_WITHIN_MS;
}

function describe({ what, route, request, detail }: Operation): string {
  return `${what} at ${route}, request ${request}: ${JSON.stringify(detail ?? {})}`;
}
