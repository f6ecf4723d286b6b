// The list of jobs: which fit the question, in their order, a page at a time. Pure.

import type { z } from 'zod';
import { foldText } from '../../../activities/host/fold-text';
import { comparePaths } from '../../../activities/share/files/relative-path';
import type { JobSummary, jobsPage, jobsQuery } from '../contract/jobs';
import { dayOf } from './day';
import type { SeenJob } from './seen-job';
import { rowsOf, type SeenRow } from './to-rows';
import { toSummary, withStop } from './to-summary';

const MOST_ON_PAGE = 100;

type Query = z.output<typeof jobsQuery>;
type Page = z.output<typeof jobsPage>;

/** A finished job as the index has it. */
export interface FinishedJob extends JobSummary {
  readonly endedAt: string;
  /** Name and person, made ready to be searched. */
  readonly folded: string;
  /** Numbers and files of all of `apart` in one such text, by which a search skips most jobs. */
  readonly foldedApart: string;
  /** Documents that did not go through: no ledger has them. */
  readonly apart: readonly ApartDocument[];
}

export type ApartDocument = Pick<SeenRow, 'key' | 'file' | 'number' | 'revision' | 'since'>;

export interface AllJobs {
  readonly open: readonly SeenJob[];
  /** The newest first. */
  readonly finished: readonly FinishedJob[];
  readonly shares: Page['shares'];
  /** Why one waits for an operator; undefined where it does not. */
  readonly whyStopped?: (job: SeenJob) => string | undefined;
  /** Finished jobs, as `share/id`, with a document that the ledgers find by the text that is searched for. */
  readonly byDocument?: ReadonlySet<string>;
}

export function listJobs(
  { open: seen, finished, shares, whyStopped, byDocument }: AllJobs,
  query: Query,
  nowMs: number,
): Page {
  const wanted = foldText(query.q);
  const day = query.day === undefined ? undefined : dayOf(query.day, query.zone);
  const fits = (job: JobSummary, at: string) =>
    (query.share === undefined || job.share === query.share) &&
    (query.by === undefined || job.by === query.by) &&
    (day === undefined || (at >= day.from && at < day.to));
  const all = seen.map(job => {
    const rows = rowsOf(job);
    return { rows, summary: withStop(toSummary(job, rows, nowMs), whyStopped?.(job)) };
  });
  const open = all
    .filter(({ summary }) => fits(summary, summary.droppedAt))
    .filter(({ summary }) => isInState(summary, query.state))
    .filter(({ summary, rows }) => wanted === '' || isFound(summary, rows, wanted))
    .map(({ summary }) => summary)
    .sort(compareOpen);
  const isPlain = wanted === '' && day === undefined && query.by === undefined && query.share === undefined;
  const fitting =
    isPlain && query.state !== 'waits' && query.state !== 'on-the-way'
      ? finished
      : query.state === 'all' || query.state === 'finished'
        ? finished.filter(
            job =>
              fits(job, job.endedAt) &&
              (wanted === '' ||
                job.folded.includes(wanted) ||
                hasApart(job, wanted) ||
                byDocument?.has(`${job.share}/${job.job}`) === true),
          )
        : [];
  const from = query.cursor === undefined ? 0 : beginAfter(fitting, query.cursor);
  const page = fitting.slice(from, from + MOST_ON_PAGE);
  const last = page.at(-1);
  const moving = all.map(({ summary }) => summary).filter(({ tally }) => isMoving(tally));
  return {
    open: query.cursor === undefined ? open : [],
    finished: page.map(({ folded: _folded, foldedApart: _texts, apart: _apart, ...job }) => job),
    next: last === undefined || from + page.length >= fitting.length ? null : cursorOf(last),
    counts: {
      open: all.length,
      waits: all.filter(({ summary }) => summary.tally.held > 0).length,
      onTheWay: moving.length,
      finished: finished.length,
      held: all.reduce((sum, { summary }) => sum + summary.tally.held, 0),
      fit: fitting.length,
    },
    until: lastEnd(moving),
    people: [...new Set([...all.flatMap(({ summary }) => summary.by ?? []), ...peopleOf(finished)])].sort(
      comparePaths,
    ),
    shares,
  };
}

function isMoving(tally: JobSummary['tally']): boolean {
  return tally['on-the-way'] + tally['in-line'] > 0;
}

function lastEnd(moving: readonly JobSummary[]): string | null {
  const ends = moving.map(aboutOf).sort(comparePaths);
  return ends[0] === '' ? null : (ends.at(-1) ?? null);
}

/** The same list has the same people. */
const PEOPLE = new WeakMap<readonly FinishedJob[], readonly string[]>();

function peopleOf(finished: readonly FinishedJob[]): readonly string[] {
  const people = PEOPLE.get(finished) ?? [...new Set(finished.flatMap(({ by }) => by ?? []))];
  PEOPLE.set(finished, people);
  return people;
}

function isInState({ tally }: JobSummary, state: Query['state']): boolean {
  if (state === 'finished') return false;
  if (state === 'all') return true;
  return state === 'waits' ? tally.held > 0 : isMoving(tally);
}

function isFound({ name, by }: JobSummary, rows: readonly SeenRow[], wanted: string): boolean {
  if (foldText(`${name}\n${by ?? ''}`).includes(wanted)) return true;
  return rows.some(({ number, file, title }) =>
    [number, file, title].some(text => text !== null && foldText(text).includes(wanted)),
  );
}

/** A document that did not go through, and that no ledger finds. */
function hasApart({ foldedApart, apart }: FinishedJob, wanted: string): boolean {
  if (!foldedApart.includes(wanted)) return false;
  return apart.some(
    ({ number, file }) => foldText(number ?? '').includes(wanted) || foldText(file).includes(wanted),
  );
}

/** Those that wait for a person, then by when they are expected to end. */
function compareOpen(one: JobSummary, other: JobSummary): number {
  return (
    rank(one) - rank(other) ||
    comparePaths(aboutOf(one), aboutOf(other)) ||
    comparePaths(one.droppedAt, other.droppedAt) ||
    comparePaths(`${one.share}/${one.job}`, `${other.share}/${other.job}`)
  );
}

function rank({ tally, end, needs }: JobSummary): number {
  return tally.held > 0 || isStopped(needs) ? 0 : end.kind === 'about' || end.kind === 'over' ? 1 : 2;
}

/** It needs a person, and no document of it says so. */
function isStopped(needs: JobSummary['needs']): boolean {
  return needs !== null && needs.held + needs.setApart === 0;
}

function aboutOf({ end }: JobSummary): string {
  return end.kind === 'about' ? end.at : '';
}

/** Of several shares, each in this order. */
export function mergeFinished(lists: readonly (readonly FinishedJob[])[]): readonly FinishedJob[] {
  const [first = []] = lists;
  return lists.length < 2 ? first : lists.flat().sort(compareFinished);
}

export function compareFinished(one: FinishedJob, other: FinishedJob): number {
  return comparePaths(other.endedAt, one.endedAt) || comparePaths(keyOf(one), keyOf(other));
}

function keyOf({ share, job }: Pick<JobSummary, 'share' | 'job'>): string {
  return `${share}/${job}`;
}

function cursorOf({ endedAt, share, job }: FinishedJob): string {
  return `${endedAt} ${job} ${share}`;
}

/** Where the page after the cursor begins, also when the job that it names is gone. */
function beginAfter(jobs: readonly FinishedJob[], cursor: string): number {
  const [endedAt = '', job = '', ...share] = cursor.split(' ');
  const last = { endedAt, job, share: share.join(' ') } as FinishedJob;
  const at = jobs.findIndex(one => compareFinished(one, last) > 0);
  return at < 0 ? jobs.length : at;
}
