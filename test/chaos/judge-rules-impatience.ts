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

/** How fast an answer is read is a matter of the machine as well, and looked at again (second-look.ts). */
export const HEARD_AT_ONCE = '16 what the service says is heard at once';

export const IMPATIENCE_RULES: readonly Rule[] = [
  { invariant: '16 limits are kept', find: findImpatience },
  { invariant: HEARD_AT_ONCE, find: findStorms },
  { invariant: '8 a file upload is linked once', find: findRelinked },
];

type Early = { readonly objection: Operation; readonly heard: readonly number[] };

function findImpatience(evidence: Evidence, _: DocumentIndex, judgement: Judgement): string[] {
  const late = findEarly(evidence, judgement).filter(each => !isCrossing(each));
  return late.map(({ objection }) => describe(objection));
}

/** More came in the moment of an answer than can have been on their way. */
function findStorms(evidence: Evidence, _: DocumentIndex, judgement: Judgement): string[] {
  const crossing = findEarly(evidence, judgement).filter(isCrossing);
  const groups = groupBy(crossing, ({ objection, heard }) => `${objection.what} ${heard.join(' ')}`);
  return [...groups].flatMap(([, group]) => {
    const [first] = group;
    if (first === undefined || group.length <= MOST_CROSSING) return [];
    return [
      `${group.length} requests within a moment, where ${MOST_CROSSING} can have been on their way: ${describe(first.objection)}`,
    ];
  });
}

/** What came too early for all that is known of the processes, with when they were told. */
function findEarly(evidence: Evidence, { interruptions = [] }: Judgement): Early[] {
  return evidence.serviceViolations.flatMap(objection => {
    if (!IMPATIENCE.has(objection.what ?? '')) return [];
    const told = (objection.detail?.announcedAt ?? []) as readonly number[];
    const heard = told.filter(at => !interruptions.some(each => mayHaveMissed(each, at)));
    // One that names no announcement cannot be explained.
    return told.length > 0 && heard.length === 0 ? [] : [{ objection, heard }];
  });
}

function isCrossing({ objection, heard }: Early): boolean {
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

/** What a process that stood still ends when it goes on is seen around then. */
export function isAround({ from, until }: Interruption, at: number): boolean {
  return at >= from - READ_WITHIN_MS && at <= until + ENDS_WITHIN_MS;
}

function describe({ what, route, request, detail }: Operation): string {
  return `${what} at ${route}, request ${request}: ${JSON.stringify(detail ?? {})}`;
}
