// `drawbridge resume`: lists what stopped short, and continues it from where it stood.
import { InvalidArgumentError } from 'commander';

import { systemClock } from '../../activities/host/clock';
import type { OurTemporal } from '../../activities/share/batch/hold';
import { isCertainlyWithoutRevision } from '../../activities/share/receipt/corrected/set-apart-safety';
import type { NamedShare, TemporalMarks } from '../../activities/share/share';
import type { Config } from '../../workers/config/config';
import { registerSearchAttributes } from '../../workers/temporal/search-attributes';
import { whoAnswers } from '../answers/who-answers';
import { BatchContinuer } from '../resume/continue-batch';
import { describeNamedRun, type NamedRun, wakeNamed } from '../resume/named-run';
import {
  describeUnanswered,
  describeWokenRuns,
  listWantedRuns,
  type WokenRun,
  wakeOtherRuns,
} from '../resume/other-runs';
import { putBack } from '../resume/put-back';
import { resumeBatches } from '../resume/resume-batches';
import { isNamed, isWanted, isWantedDocument, type StoppedFilter } from '../resume/stopped-batch';
import { findStopped } from '../resume/stopped-batches';
import { type Account, countAccount, type DocumentRow, describeAccount } from '../resume/stopped-table';
import { chooseShare } from '../session/choose-project';
import { EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { withSeenShares } from '../session/seen-shares';
import { type TemporalSession, withTemporal } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { BatchStarter } from '../session/start-batch';
import { createPaint } from '../session/terminal-text';

/** A pipe has no width; this is that of a wide terminal. */
const DEFAULT_WIDTH = 160;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

interface ResumeOptions {
  readonly share?: string;
  readonly project?: string;
  readonly reason?: string;
  readonly since?: number;
  readonly document?: string;
  readonly setApart?: true;
  readonly takeOver?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

export const addResumeCommand: AddCommand = (declared, globals, command) => {
  declared
    .option('--share <name>', 'only batches of this share')
    .option('--project <id>', 'only batches of this project')
    .option('--reason <text>', 'only for this reason: its code, a state such as terminated, or words of it')
    .option('--since <when>', 'only what stopped since: a date, or "2h", "3d"', sinceTime)
    .option(
      '--set-apart',
      'also put documents that were set apart back into the drop folder; those that may have a revision only when named',
    )
    .option('--document <path>', 'only this one of those set apart: its path as dropped, or its file name')
    .option(
      '--take-over',
      'also take batches, and without other filters the watch of shares, from another Temporal: only when that one is gone for good',
    )
    .option('--dry-run', 'show what would be done')
    .option('--json', 'as JSON')
    .action(async (batch: string | undefined, options: ResumeOptions) => {
      const config = loadCommandConfig(globals(), 'leave');
      await withTemporal(config, async session => {
        const filter = toFilter(batch, options);
        const account = await resume(config, session, filter, options);
        const { wanted, unanswered } = await listWantedRuns(session.client, filter);
        const woken = await wakeOtherRuns(session.client, wanted, options.dryRun === true);
        const found = account.batches.length + account.documents.length;
        const others = { woken, unanswered };
        const isJson = options.json === true;
        // One that was renamed may have left batches behind.
        if (found + woken.length === 0 && options.share !== undefined)
          chooseShare(sharesOf(config), options.share);
        if (batch !== undefined && found + woken.length === 0) {
          const run = await wakeNamed(session.client, sharesOf(config), {
            name: batch,
            filter,
            dryRun: options.dryRun === true,
            leftOut: account.leftOut,
          });
          print(isJson ? toJson(account, others, run) : describeNamedRun(run));
          return;
        }
        print(isJson ? toJson(account, others) : describe(account, others, command));
        process.exitCode = woken.some(({ result }) => result === 'failed')
          ? EXIT_CODES.failed
          : toExitCode(account);
      });
    });
};

/** Unix ms of a date, or of a time ago such as `90s`, `30m`, `2h`, `3d`. */
export function sinceTime(text: string): number {
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago !== null) return systemClock.wallMs() - Number(ago[1]) * UNIT_MS[ago[2] as keyof typeof UNIT_MS];
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('a date (2026-01-31 or 2026-01-31T09:30Z), "2h" or "3d"');
  return ms;
}

async function resume(
  config: Config,
  session: TemporalSession,
  filter: StoppedFilter,
  options: ResumeOptions,
): Promise<Account> {
  const dryRun = options.dryRun === true;
  const takeUp = options.setApart === true;
  return await withSeenShares(config, session, async ({ seen, unseen, ours }) => {
    const found = await findStopped(session.client, seen, ours);
    // A dry run starts nothing, and changes nothing at Temporal either.
    const hasSearchAttributes =
      !dryRun &&
      (await registerSearchAttributes(session.connection, session.target.namespace)).kind === 'registered';
    const starter = new BatchStarter(session.client, { hasSearchAttributes });
    const mayTake = options.takeOver === true;
    const continuer = new BatchContinuer(session.client, starter, mayTake ? ours : undefined);
    const watchTaken = mayTake && isEverything(filter) ? await takeWatches(seen, ours, dryRun) : [];
    const wanted = found.batches.filter(each => isWanted(filter, each));
    const batches = await resumeBatches(continuer, wanted, dryRun);
    const apart = found.setApart.filter(each => isWantedDocument(filter, each));
    const mayGo = apart.filter(each => isNamed(filter, each) || isCertainlyWithoutRevision(each));
    const results =
      takeUp && !dryRun ? await putBack(mayGo, whoAnswers() ?? 'the command resume') : undefined;
    const documents = apart.map((document): DocumentRow => {
      const lookFirst = !mayGo.includes(document);
      return { document, lookFirst, result: results?.get(document) };
    });
    const { unreadable, limitedTo } = found;
    const isFiltered = !isEverything(filter);
    const leftOut = found.batches.find(each => each.batchId === filter.batchId && !isWanted(filter, each));
    const work = { batches, documents, watchTaken, leftOut };
    return { ...work, unreadable, limitedTo, unseen, dryRun, takeUp, isFiltered };
  });
}

/** Takes over the watch of shares that watchers of another Temporal have; returns their names. */
async function takeWatches(
  shares: readonly (NamedShare & TemporalMarks)[],
  ours: OurTemporal,
  dryRun: boolean,
): Promise<string[]> {
  const taken: string[] = [];
  for (const share of shares) {
    if ((await share.temporals.watchedBy(ours))?.isOurs !== false) continue;
    if (!dryRun) await share.temporals.watchFor(ours, true);
    taken.push(share.name);
  }
  return taken;
}

function isEverything(filter: StoppedFilter): boolean {
  return Object.values(filter).every(value => value === undefined);
}

function toFilter(batch: string | undefined, options: ResumeOptions): StoppedFilter {
  return {
    batchId: batch?.split('/').at(-1),
    share: options.share,
    projectId: options.project,
    reason: options.reason,
    document: options.document,
    sinceMs: options.since,
  };
}

/** The runs that are no batches. */
interface Others {
  readonly woken: readonly WokenRun[];
  readonly unanswered: number;
}

function describe(account: Account, { woken, unanswered }: Others, command: string): string {
  const batches = describeAccount(account, {
    paint: createPaint(process.stdout),
    width: process.stdout.columns ?? DEFAULT_WIDTH,
    command,
    nowMs: systemClock.wallMs(),
  });
  const texts = [batches, describeWokenRuns(woken), describeUnanswered(unanswered)];
  return texts.filter(text => text !== '').join('\n\n');
}

function toExitCode(account: Account): number {
  const { failed, waiting, setApart } = countAccount(account);
  if (failed > 0) return EXIT_CODES.failed;
  const isLeft = waiting + setApart + account.unreadable.length > 0;
  return isLeft ? EXIT_CODES.attention : EXIT_CODES.done;
}

/** The facts without the objects behind them. @param run of what was named and did not stop. */
function toJson(account: Account, { woken, unanswered }: Others, run?: NamedRun): string {
  const { dryRun, unreadable, limitedTo, unseen } = account;
  return JSON.stringify(
    {
      dryRun,
      batches: account.batches.map(({ batch: { share: _share, ...facts }, plan, result }) => ({
        ...facts,
        plan: plan.kind,
        ...(plan.kind === 'reset' ? { resetToEvent: Number(plan.task.eventId) } : {}),
        ...(result === undefined ? {} : { result }),
      })),
      watchTaken: account.watchTaken,
      setApart: account.documents.map(({ document: { share, ...facts }, lookFirst, result }) => ({
        ...facts,
        share: share.name,
        lookFirst,
        ...(result === undefined ? {} : { result }),
      })),
      unreadable,
      limitedTo,
      unseen,
      counts: countAccount(account),
      others: woken.map(({ run: { workflowId, progress }, result }) => ({
        workflowId,
        reason: progress?.blocked?.reason,
        result,
      })),
      othersUnanswered: unanswered,
      ...(run === undefined ? {} : { run }),
    },
    undefined,
    2,
  );
}
