// `drawbridge status`: what is away, the batches, and what waits for a person; as tables or as JSON.
import { systemClock } from '../../activities/host/clock';
import { tellCount } from '../../activities/registers/words/outcome-words';
import type { Config } from '../../workers/config/config';
import { explainAnswered } from '../../workflows/ingest/decide/describe-answer';
import type { BatchProgress } from '../../workflows/ingest/ingest-contract';
import { lookAtRuns, type SeenRuns } from '../resume/look-at-runs';
import { describeOtherRuns, type OtherRun } from '../resume/other-runs';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print, rowCount } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { grpcCodeOf } from '../session/grpc-code';
import { withSeenShares } from '../session/seen-shares';
import { type TemporalSession, temporalTargetOf, withTemporal } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { createPaint, toDurationText, toShellWord, toTable, toVisible } from '../session/terminal-text';
import { type BatchStatus, listBatches } from '../status/batch-status';
import type { AwayDependency } from '../status/incident-list';
import { describeAway, describeBlocked, describeUnserved } from '../status/incident-text';
import {
  describeIntakes,
  inspectIntake,
  type ShareIntake,
  unseenIntake,
  withEndedRuns,
} from '../status/share-intake';
import type { UnservedWork } from '../status/unserved';
import { tellSummary } from './tell-summary';

const DEFAULT_ROWS = 20;
const MOST_JOB_WIDTH = 40;

export interface StatusReport {
  readonly away: readonly AwayDependency[];
  /** Queues that no worker asks for work, although batches have some there. */
  readonly unserved: readonly UnservedWork[];
  /** What keeps files of each share from being taken in, as far as this host sees it. */
  readonly shares: readonly ShareIntake[];
  readonly batches: readonly BatchStatus[];
  /** Whatever else runs: change orders, observations, people, webhooks, timesheets. */
  readonly others: readonly OtherRun[];
  /** Absent where all were looked at. */
  readonly limitedTo?: SeenRuns['limitedTo'];
  /** Batches that wait for a person, or hold documents for one; also those that are not among `batches`. */
  readonly waiting: readonly BatchStatus[];
}

export const addStatusCommand: AddCommand = (declared, globals, command) => {
  declared
    .option('--json', 'as JSON')
    .option('--limit <rows>', 'how many batches at most', rowCount, DEFAULT_ROWS)
    .action(async (options: { json?: true; limit: number }) => {
      const config = loadCommandConfig(globals(), 'leave');
      const isJson = options.json === true;
      try {
        await withTemporal(config, async session => {
          const report = await inspect(config, session, options.limit);
          const now = new Date(systemClock.wallMs());
          print(
            isJson
              ? JSON.stringify(report, undefined, 2)
              : describeStatus(report, command, now, options.limit),
          );
        });
      } catch (error: unknown) {
        const away = toTemporalAway(error, temporalTargetOf(config).address);
        if (away === undefined) throw error;
        if (isJson) print(JSON.stringify(WITHOUT_TEMPORAL, undefined, 2));
        throw away;
      }
    });
};

/**
 * What is away first, then the table, and below it each thing that waits for a person
 * with the command that answers it.
 */
export function describeStatus(
  report: StatusReport,
  command: string,
  now: Date,
  most: number = DEFAULT_ROWS,
): string {
  const paint = createPaint(process.stdout);
  const { batches, others } = report;
  const shares = new Set(report.shares.map(({ share }) => share));
  const blocked = others.map(({ workflowId, progress }) => ({ batchId: workflowId, progress }));
  const intake = describeIntakes(report.shares, command, paint);
  const asked = describeBlocked(blocked, { command, now, paint, noun: 'runs' });
  return [
    ...(report.away.length === 0 ? [] : [describeAway(report.away, now, paint)]),
    ...(report.unserved.length === 0 ? [] : [describeUnserved(report.unserved, { command, paint, shares })]),
    ...(intake === '' ? [] : [intake]),
    ...(batches.length === 0 && (others.length > 0 || isAnyElsewhere(report.shares))
      ? []
      : [describeBatches(batches, command, now, report.waiting)]),
    ...describeLimit(report),
    ...(others.length === 0 ? [] : [describeOtherRuns(others, command, now, most)]),
    ...(asked.length === 0 ? [] : [`Other runs that wait for a person:\n${asked.join('\n')}`]),
  ].join('\n\n');
}

/** The part about other runs says its own. */
function describeLimit({ limitedTo }: StatusReport): string[] {
  if (limitedTo?.batches === undefined) return [];
  const count = tellCount(limitedTo.batches);
  return [`No more than the newest ${count} running batches were looked at: older ones may wait as well.`];
}

/** Whether another Temporal watches a share or has batches of it: the part about shares says so. */
function isAnyElsewhere(shares: readonly ShareIntake[]): boolean {
  return shares.some(({ watchedBy, heldElsewhere }) => watchedBy !== undefined || heldElsewhere.length > 0);
}

/** The table of `batches`, and below it what of `waiting` waits for a person. */
export function describeBatches(
  batches: readonly BatchStatus[],
  command: string,
  now: Date,
  waiting: readonly BatchStatus[] = batches,
): string {
  if (batches.length === 0) return 'No batches yet. Drop files into a share, or see `drawbridge submit`.';
  // As long as nobody drops folders there is nothing to say of jobs.
  const hasJobs = batches.some(({ job }) => job !== undefined);
  const ofJob = (text: string) => (hasJobs ? [text] : []);
  const rows = batches.map(batch => [
    ...ofJob(toVisible(batch.job ?? '', MOST_JOB_WIDTH)),
    toVisible(batch.batchId),
    toVisible(batch.share ?? ''),
    toStatusText(batch),
    toDocumentsText(batch),
    toDurationText((batch.closedAt ?? now).getTime() - batch.startedAt.getTime()),
  ]);
  const paint = createPaint(process.stdout);
  const asked = [
    ...describeBlocked(waiting, { command, now, paint }),
    ...waiting.flatMap(batch => describeHeld(batch, command, now)),
  ];
  const table = toTable([[...ofJob('JOB'), 'BATCH', 'SHARE', 'STATUS', 'DOCUMENTS', 'TIME'], ...rows]);
  const answered = batches.flatMap(describeAnswered);
  const inLine = batches.flatMap(describeInLine);
  return [
    table,
    ...(asked.length === 0 ? [] : [`Waiting for a person:\n${asked.join('\n')}`]),
    ...(answered.length === 0 ? [] : [`Held before, and answered:\n${answered.join('\n')}`]),
    ...(inLine.length === 0 ? [] : [`Waiting for an earlier revision:\n${inLine.join('\n')}`]),
  ].join('\n\n');
}

/** Shown so that nobody answers them a second time, or takes an answer for lost. */
function describeAnswered({ batchId, progress }: BatchStatus): string[] {
  return (progress?.answered ?? []).map(
    ({ path, answer }) =>
      `  ${toVisible(batchId)}  ${toVisible(path)}: ${toVisible(explainAnswered(answer).text)}`,
  );
}

/** Documents in line go on by themselves; they are shown so that nobody searches for them. */
function describeInLine({ batchId, progress }: BatchStatus): string[] {
  return (progress?.inLine ?? []).map(
    ({ path, reason }) => `  ${toVisible(batchId)}  ${toVisible(path)}: ${toVisible(reason.text)}`,
  );
}

async function inspect(config: Config, session: TemporalSession, limit: number): Promise<StatusReport> {
  const { client } = session;
  const { away, unserved, running: told, others, limitedTo } = await lookAtRuns(client);
  const batches = await listBatches(client, limit, told);
  return {
    away,
    unserved,
    shares: withEndedRuns(await inspectShares(config, session), batches),
    others,
    limitedTo,
    batches,
    waiting: told.filter(
      ({ progress }) => progress?.blocked !== undefined || (progress?.held ?? []).length > 0,
    ),
  };
}

/** Of a share that this host does not see, nothing is known but why. */
async function inspectShares(config: Config, session: TemporalSession): Promise<readonly ShareIntake[]> {
  const shares = sharesOf(config);
  if (shares.length === 0) return [];
  try {
    return await withSeenShares(config, session, async ({ seen, unseen, ours }) => {
      const whyUnseen = new Map(unseen.map(({ name, why }) => [name, why]));
      return await Promise.all(
        shares.map(async ({ name, maxOpenBatches }) => {
          const share = seen.find(each => each.name === name);
          return share === undefined
            ? unseenIntake(name, maxOpenBatches, whyUnseen.get(name) ?? '')
            : await inspectIntake(share, ours);
        }),
      );
    });
  } catch (error) {
    // The rest of the report does not depend on it.
    const why = error instanceof Error ? error.message : String(error);
    return shares.map(({ name, maxOpenBatches }) => unseenIntake(name, maxOpenBatches, why));
  }
}

const TEMPORAL_AWAY: AwayDependency = {
  dependency: 'temporal',
  why: 'it does not answer',
  sinceMs: null,
  batches: 0,
  others: 0,
  documents: 0,
  nextAttemptMs: null,
};

const WITHOUT_TEMPORAL: StatusReport = {
  away: [TEMPORAL_AWAY],
  unserved: [],
  shares: [],
  batches: [],
  others: [],
  waiting: [],
};

/** gRPC DEADLINE_EXCEEDED and UNAVAILABLE: the server, or the database behind it, does not answer. */
const AWAY: ReadonlySet<unknown> = new Set([4, 14]);

/** What to say when it is Temporal itself that cannot be asked; undefined for any other error. */
function toTemporalAway(error: unknown, address: string): CliError | undefined {
  const isUnreached = error instanceof CliError && error.exitCode === EXIT_CODES.noTemporal;
  if (!isUnreached && !AWAY.has(grpcCodeOf(error))) return undefined;
  const hint = isUnreached ? error.message : `Temporal at ${address} does not answer.`;
  return new CliError(
    `${hint}\nSince when is not known: only Temporal could tell. Nothing is lost meanwhile: batches stay on their shares, and everything goes on by itself once it is back.`,
    EXIT_CODES.noTemporal,
    error,
  );
}

function toStatusText({ status, progress, isAway }: BatchStatus): string {
  if (status !== 'RUNNING') return status.toLowerCase().replaceAll('_', ' ');
  if (progress === undefined) return 'running, no worker answers';
  if (progress.blocked !== undefined) return 'waiting for a person';
  if (isAway === true) return 'waiting';
  return progress.held.length > 0 ? 'running, some held' : 'running';
}

function toDocumentsText({ progress, summary }: BatchStatus): string {
  if (progress !== undefined) return toStageText(progress);
  if (summary === undefined) return '';
  const { submitted, setApart, skipped = 0, movedTo } = summary;
  const told = tellSummary(summary);
  return movedTo === undefined ? `${submitted + setApart + skipped}: ${told}` : told;
}

function toStageText(progress: BatchProgress): string {
  const parts = Object.entries(progress.stages).map(([stage, count]) => `${count} ${stage}`);
  return parts.length === 0 ? 'not opened yet' : `${progress.documents}: ${parts.join(', ')}`;
}

function describeHeld({ batchId, progress }: BatchStatus, command: string, now: Date): string[] {
  const paint = createPaint(process.stdout);
  return (progress?.held ?? []).flatMap(document => [
    `  ${paint('yellow', toVisible(batchId))}  ${toVisible(document.path)}: ${toVisible(document.reason.text)} ${toVisible(document.reason.fix)}`,
    `    set apart in ${toDurationText(document.untilMs - now.getTime())}; answer: ${command} answer ${toShellWord(batchId)} ${document.index} ${
      document.question === 'missing-values'
        ? (document.missing ?? ['Field']).map(label => `--set ${toShellWord(`${label}=...`)}`).join(' ')
        : `--decision ${document.question === 'workflow-conflict' ? 'terminate|' : ''}retry|set-apart`
    }`,
  ]);
}
