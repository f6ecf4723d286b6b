// The part of the page's server that tells of jobs, their documents, and the way of each. It only looks.
//
// What the page shows of one document comes from:
//
//   From           Knows                               How old                     Refreshed by
//   OpenWork,      open jobs: outcome, reason, stage,  1 s; a share that does not  who asks, and each second
//   rowsOf         by journals and receipts so far     answer is waited for 60 ms  while a page is open
//   LiveProgress   who is in line and why; what was    5 s; runs are waited for    who looks at this job
//                  answered; until when an answer is   40 ms
//                  waited for
//   HeldListing    what runs ask of people: for        3 s                         who asks, and each second
//                  "Waiting for me", not here                                      while a page is open
//   Lookout        why a batch waits for an operator   a minute; 5 s while         operations.ts, by itself
//                                                      Operations is looked at
//   FinishedIndex  sums of jobs that have ended        a minute; none after a      who asks, beside it
//                                                      job was seen to end
//   ShownLedger    documents that became revisions,    as FinishedIndex            who asks, beside it
//                  for finding
//
// Who wins: the share says the outcome, and a run adds to it: of a document that is open, that it is in line,
// with a reason that goes before the share's; of one that is held, that it was answered and is on its way, or
// until when it waits. An open job goes before a finished one of the same id. Why a batch stopped is told
// only where nothing of its job is held. What still lies set apart (apart-listing.ts) goes before the sum of
// the finished job. What is away leaves what was known last, but for LiveProgress: without Temporal it adds
// nothing.
import { hash } from 'node:crypto';
import { nameOf } from '../../../activities/share/files/relative-path';
import type { Share } from '../../../activities/share/share';
import { ingestWorkflowId, type Reason } from '../../../workflows/contract';
import { explainAnswered } from '../../../workflows/ingest/decide/describe-answer';
import type { BatchProgress, HeldDocument, WaitingDocument } from '../../../workflows/ingest/ingest-contract';
import type { JobHead, JobSummary, jobRoutes, RowDetail } from '../contract/jobs';
import type { AnswerOf } from '../contract/route';
import type { Topic } from '../contract/session';
import { KeptPages } from '../serve/kept-pages';
import { type ConsoleDeps, type ConsoleModule, ConsoleProblem, type Person } from '../serve/module';
import { texts } from '../texts/texts';
import { findAll } from './find';
import { listJobs, mergeFinished } from './list-jobs';
import { LiveOutages } from './live-outages';
import { LiveProgress } from './live-progress';
import { cellsOf, listColumns } from './own-columns';
import { runPlaces } from './run-place';
import { belowJob, hasEnded, type SeenJob } from './seen-job';
import { ShownShares } from './shown-shares';
import { countStages } from './stages';
import { findRow, rowsOf, type SaidByRuns, type SeenRow } from './to-rows';
import { toSummary, withStop } from './to-summary';
import { tellValues } from './values';
import { tellWay } from './way';

/** Shorter texts are looked for in names alone. */
const LEAST_LOOKED_UP = 3;
/** A list waits so long to count what still lies set apart; without that, it tells all that ever did. */
const PATIENCE_MS = 60;

/** What other parts of the page know of jobs. */
interface Others {
  /** What of finished jobs still lies set apart; without it, all that ever did is told. */
  readonly apart: { countByJob(patienceMs: number): Promise<CountOfJob | undefined> };
  /** What waits for an operator. */
  readonly lookout: { whyStopped(share: string, batchId: string): string | undefined };
}
/** Undefined where its share could not be read. */
export type CountOfJob = (share: string, job: string) => number | undefined;

export function createJobs(
  deps: ConsoleDeps,
  { apart, lookout }: Partial<Others> = {},
): ConsoleModule<typeof jobRoutes> & {
  /** Resolves once all that has ended on the shares by now is known. */
  settled(): Promise<void>;
} {
  const nowMs = () => deps.now().getTime();
  const shares = new ShownShares(deps);
  const live = new LiveProgress({ temporal: deps.temporal, nowMs });
  const outages = new LiveOutages({ temporal: deps.temporal, nowMs });
  const pages = new KeptPages<AnswerOf<(typeof jobRoutes)['GET /api/jobs']>>(nowMs);
  const visible = (person: Person) => (share: string) => person.may('see', share);

  const whyStopped = ({ share, parts }: SeenJob): string | undefined => {
    const open = parts.filter(({ isFinished }) => !isFinished);
    return open.flatMap(({ batchId }) => lookout?.whyStopped(share, batchId) ?? [])[0];
  };
  /** What the runs of a job say, and its rows with that. */
  const withLive = async (job: SeenJob) => {
    const project = shares.projectOf(job.share);
    const batches = job.parts.flatMap(({ batchId, isFinished, sealed }) =>
      isFinished || sealed === undefined || project === undefined
        ? []
        : [{ batchId, workflowId: ingestWorkflowId(project, batchId) }],
    );
    const onNews = () => deps.changed([`job:${job.share}/${job.id}`]);
    const said = toSaid(batches.length === 0 ? [] : await live.of(batches, onNews));
    return { said, rows: rowsOf(job, said) };
  };

  return {
    handlers: {
      'GET /api/jobs': async ({ query }, person) => {
        const open = (await shares.openJobs()).filter(({ share }) => person.may('see', share));
        const q = query.q.trim();
        const submitted = q.length < LEAST_LOOKED_UP ? [] : await shares.findSubmitted(q, visible(person));
        const lying = await apart?.countByJob(PATIENCE_MS);
        const lists = shares.finishedLists(visible(person));
        const theirs = deps
          .shares()
          .filter(({ config }) => person.may('see', config.name))
          .map(({ config, share }) => ({
            name: config.name,
            drop: share?.dropFolder ?? config.folder,
            seen: share !== undefined,
          }));
        const make = () => {
          const byDocument = new Set(
            submitted.map(({ share, job, batchId }) => `${share}/${job?.id ?? batchId}`),
          );
          const finished = mergeFinished(lists);
          const page = listJobs({ open, finished, whyStopped, byDocument, shares: theirs }, query, nowMs());
          if (lying === undefined) return page;
          return { ...page, finished: page.finished.map(job => needed(job, lying)) };
        };
        if (q !== '') return make();
        const madeOf = [...lists, lying, ...open, ...open.map(whyStopped)];
        return pages.of(JSON.stringify([query, theirs]), madeOf, make);
      },
      'GET /api/jobs/:share/:job': async ({ params }, person) => {
        const job = await shares.findJob(params, visible(person));
        const { rows, said } = await withLive(job);
        const head = await toHead(deps, job, rows, toSummary(job, rows, nowMs()));
        const config = deps.shares().find(one => one.config.name === job.share)?.config;
        if (hasEnded(job)) {
          const lying = head.needs === null ? undefined : await apart?.countByJob(PATIENCE_MS);
          return lying === undefined ? head : needed(head, lying);
        }
        if (config === undefined) return head;
        const onNews = () => deps.changed([`job:${job.share}/${job.id}`]);
        return {
          ...head,
          needs: withUntil(withStop(head, whyStopped(job)).needs, said.held),
          outages: [...outages.of(job, config, onNews)],
        };
      },
      'GET /api/jobs/:share/:job/rows': async ({ params, query }, person) => {
        const job = await shares.findJob(params, visible(person));
        const { rows } = await withLive(job);
        const wanted = query.columns.split('\n').filter(Boolean);
        const shown =
          wanted.length === 0
            ? rows.map(toShown)
            : rows.map(row => ({ ...toShown(row), cells: cellsOf(row, wanted) }));
        return { version: versionOf(rows), columns: listColumns(job), wanted, rows: shown };
      },
      'GET /api/jobs/:share/:job/rows/:key': async ({ params }, person) => {
        const job = await shares.findJob(params, visible(person));
        const { rows, said } = await withLive(job);
        const row = findRow(rows, params.key);
        if (row === undefined) throw new ConsoleProblem(404, texts.jobs.noDocument);
        return await toDetail(deps, job, row, said.held);
      },
      'GET /api/find': async ({ query }, person) => {
        const wanted = query.q.trim();
        if (wanted === '') return { found: [], more: false };
        const open = (await shares.openJobs()).filter(({ share }) => person.may('see', share));
        const submitted = await shares.findSubmitted(wanted, visible(person));
        const finished = mergeFinished(shares.finishedLists(visible(person)));
        return findAll({ open, finished, submitted }, wanted);
      },
    },
    look: async (): Promise<readonly Topic[]> => await shares.look(),
    close: async () => await shares.close(),
    settled: async () => await shares.settled(),
  };
}

interface Said extends SaidByRuns {
  readonly held: ReadonlyMap<string, HeldDocument>;
}

function toSaid(progress: readonly BatchProgress[]): Said {
  const inLine = new Map<string, WaitingDocument>();
  const answered = new Map<string, Reason>();
  const held = new Map<string, HeldDocument>();
  for (const one of progress) {
    for (const document of one.inLine ?? []) inLine.set(`${one.batchId} ${document.index}`, document);
    for (const { index, answer } of one.answered ?? [])
      answered.set(`${one.batchId} ${index}`, explainAnswered(answer));
    for (const document of one.held) held.set(`${one.batchId} ${document.index}`, document);
  }
  return { inLine, answered, held };
}

/** Adds until when an answer is waited for: the earliest time that the runs have said. */
function withUntil(needs: JobHead['needs'], held: Said['held']): JobHead['needs'] {
  if (needs === null || needs.held === 0 || held.size === 0) return needs;
  const untilMs = Math.min(...[...held.values()].map(one => one.untilMs));
  return { ...needs, until: new Date(untilMs).toISOString() };
}

/** What was taken up again needs nobody any more: it is another job by now. */
function needed<Job extends JobSummary>(job: Job, lying: CountOfJob): Job {
  const count = job.needs === null ? undefined : lying(job.share, job.job);
  if (job.needs === null || count === undefined) return job;
  return { ...job, needs: count === 0 ? null : { ...job.needs, setApart: count } };
}

function toShown({ code: _code, stage: _stage, of: _of, ...row }: SeenRow) {
  return row;
}

/** Rows that have not changed are the same array (rowsOf), so thousands of them are hashed once. */
const VERSIONS = new WeakMap<readonly SeenRow[], string>();

function versionOf(rows: readonly SeenRow[]): string {
  const version = VERSIONS.get(rows) ?? hash('sha256', JSON.stringify(rows.map(toShown))).slice(0, 16);
  VERSIONS.set(rows, version);
  return version;
}

async function toHead(
  deps: ConsoleDeps,
  job: SeenJob,
  rows: readonly SeenRow[],
  summary: JobSummary,
): Promise<JobHead> {
  const share = deps.shares().find(({ config }) => config.name === job.share)?.share;
  const isOver = hasEnded(job);
  const placeOf = runPlaces(deps.config);
  const receipts = isOver && share !== undefined ? await listReceipts(share, job) : [];
  return {
    ...summary,
    stages: { ...countStages(job.parts), hasReceipt: isOver },
    outages: [],
    notes: toNotes(job),
    folders: listFolders(job),
    receipts: receipts.map(path => ({ name: nameOf(path), path })),
    batches: job.parts.map(({ batchId, run }) => ({
      batchId,
      workflowId: run?.workflowId ?? null,
      runId: run?.runId ?? null,
      href: (run && placeOf?.(run.workflowId, run.runId)) ?? null,
    })),
    unreadable: job.unreadable,
    version: versionOf(rows),
  };
}

/** None where a batch of it could not be read: what they are called depends on the files of all. */
async function listReceipts(share: Share, { job, parts, unreadable }: SeenJob): Promise<readonly string[]> {
  if (job === undefined || unreadable > 0) return [];
  const ended = parts.flatMap(({ batchId, isFinished, endedAt, sealed, rows: files }) =>
    isFinished && endedAt !== undefined && sealed !== undefined
      ? [{ batchId, job: sealed.manifest.job, files }]
      : [],
  );
  return ended.length < parts.length ? [] : await share.findReceipts(job.record, ended);
}

function toNotes({ job, missing, waitsFor, left: ofFolder = [] }: SeenJob): JobHead['notes'] {
  const { left, leftInAll, ignored = [], ignoredInAll } = job?.closed ?? {};
  const notes: readonly {
    readonly kind: JobHead['notes'][number]['kind'];
    readonly names: readonly string[];
    readonly inAll?: number | undefined;
  }[] = [
    { kind: 'not-there', names: waitsFor ?? [] },
    { kind: 'did-not-come', names: job?.closed === undefined ? missing.map(({ file }) => file) : [] },
    { kind: 'left', names: left ?? job?.left ?? ofFolder, inAll: leftInAll },
    { kind: 'ignored', names: ignored, inAll: ignoredInAll },
  ];
  return notes
    .filter(({ names }) => names.length > 0)
    .map(({ kind, names, inAll = 0 }) => ({ kind, names: [...names], count: Math.max(inAll, names.length) }));
}

/** Where people find its files, from the share's root. */
function listFolders(job: SeenJob): string[] {
  const place = job.job?.record.place ?? job.parts[0]?.batchId;
  if (place === undefined) return [];
  const outcomes = new Set(job.parts.flatMap(({ rows }) => rows.map(({ outcome }) => outcome)));
  return [
    ...(outcomes.has('submitted') || outcomes.has('skipped') ? [`done/${place}`] : []),
    ...(outcomes.has('set-apart') ? [`attention/${place}`] : []),
  ];
}

async function toDetail(
  deps: ConsoleDeps,
  job: SeenJob,
  row: SeenRow,
  held: ReadonlyMap<string, HeldDocument>,
): Promise<RowDetail> {
  const { of } = row;
  const shown = toShown(row);
  const found = of?.part.rows[of.index];
  const file = of?.part.sealed?.manifest.files[of.index];
  if (of === undefined || found === undefined || file === undefined) {
    return {
      ...shown,
      path: null,
      values: [],
      way: tellWay({ job, row, records: [], held: undefined }),
      notes: [],
      batchId: null,
      index: null,
      sizeBytes: null,
      sha256: null,
      uploadId: null,
      revisionId: null,
      question: null,
    };
  }
  const { batchId } = of.part;
  const share = deps.shares().find(({ config }) => config.name === job.share)?.share;
  const records =
    of.part.endedAt === undefined ? of.part.records : await share?.readRecords(batchId).catch(() => []);
  const asked = held.get(`${batchId} ${of.index}`);
  return {
    ...shown,
    path: placeOfFile(job, row, found.path),
    values: tellValues(of.part, of.index),
    way: tellWay({ job, row, records: records ?? [], held: asked }),
    notes: found.notes,
    batchId,
    index: of.index,
    sizeBytes: found.sizeBytes,
    sha256: found.sha256 ?? null,
    uploadId: found.uploadId ?? null,
    revisionId: found.revisionId ?? null,
    question:
      asked === undefined || row.outcome !== 'held'
        ? null
        : {
            kind: asked.question,
            missing: [...(asked.missing ?? [])],
            since: new Date(asked.sinceMs).toISOString(),
            until: new Date(asked.untilMs).toISOString(),
          },
  };
}

/** Once it has ended, where it was put; people may have moved it since. */
function placeOfFile(job: SeenJob, { outcome }: SeenRow, path: string): string | null {
  const place = job.job?.record.place ?? job.parts[0]?.batchId ?? '';
  if (outcome === 'through' || outcome === 'already-there') return `done/${place}/${belowJob(job, path)}`;
  return outcome === 'set-apart' ? `attention/${place}/${belowJob(job, path)}` : null;
}
