// The shares as the page shows them: what is on its way on each, as of the last look.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { LedgerDocument } from '../../../activities/ledger/index-keys';
import { hostZone } from '../../../activities/registers/words/local-time';
import type { Share } from '../../../activities/share/share';
import { createLedgerIndex } from '../../../workers/share-adapters';
import type { ProjectRef } from '../../../workflows/contract';
import type { Topic } from '../contract/session';
import { type ConsoleDeps, ConsoleProblem } from '../serve/module';
import { within } from '../serve/within';
import { texts } from '../texts/texts';
import { FinishedIndex } from './finished-index';
import { readFinishedJob } from './finished-job';
import type { FinishedJob } from './list-jobs';
import { type Looked, OpenWork } from './open-work';
import { isOnceWaiting, type SeenJob } from './seen-job';
import { ShownLedger } from './shown-ledger';

/** What is told is no older than that, where the share can be read as fast. */
const FRESH_MS = 1_000;
/** A share is waited for no longer than that; then what is known of it already is told. */
const PATIENCE_MS = 60;
/** The same for a share of which nothing is known yet. */
const FIRST_PATIENCE_MS = 5_000;
const ENDED_PATIENCE_MS = 300;
const LOOK_PATIENCE_MS = 2_000;

/** A finished job of which something could not be read is read again after this. */
const UNREADABLE_AGAIN_MS = 5_000;

/** Documents of finished jobs that are kept in memory. */
const MOST_READ = 10_000;

interface Shown {
  readonly share: Share;
  readonly work: OpenWork;
  readonly finished: FinishedIndex;
  readonly ledger: ShownLedger;
  /** Finished jobs that were looked at last. */
  readonly read: Map<string, { readonly job: SeenJob; readonly readMs: number }>;
  readonly zone: string;
  /** While the share is away, nothing of it is read: an empty folder may lie where it was mounted. */
  isAway: boolean;
  lookedMs: number | undefined;
  looking: Promise<Looked | undefined> | undefined;
}

export class ShownShares {
  readonly #deps: ConsoleDeps;
  readonly #shown = new Map<string, Shown>();
  readonly #topics = new Set<Topic>();

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
  }

  /** Those that this host sees now, and those that it has seen: what was known last stays. */
  #list(): readonly Shown[] {
    return this.#deps.shares().flatMap(({ config, share }) => {
      const known = this.#shown.get(config.name);
      if (known !== undefined && (share === undefined || known.share === share)) {
        known.isAway = share === undefined;
        return [known];
      }
      if (share === undefined) return [];
      const { config: appConfig, logger } = this.#deps;
      const zone = config.timeZone ?? hostZone();
      const nowMs = () => this.#deps.now().getTime();
      const work = new OpenWork({ share, nowMs, zone });
      const { finished: before, ledger } = known ?? {};
      const finished = this.#indexOf(share, zone);
      finished.refresh(true);
      const shown: Shown = {
        share,
        work,
        finished,
        ledger: new ShownLedger(
          share,
          createLedgerIndex(appConfig, logger, config.name),
          nowMs,
          finished.settled(),
        ),
        read: new Map(),
        zone,
        isAway: false,
        lookedMs: undefined,
        looking: undefined,
      };
      // The share was away and was opened anew: the indexes of the one before are closed.
      void Promise.all([before?.close(), ledger?.close()]);
      this.#shown.set(config.name, shown);
      shown.ledger.refresh(true);
      return [shown];
    });
  }

  projectOf(share: string): ProjectRef | undefined {
    return this.#deps.shares().find(({ config }) => config.name === share)?.config.project;
  }

  async openJobs(): Promise<readonly SeenJob[]> {
    const shown = this.#list();
    await Promise.all(shown.map(one => this.#freshen(one)));
    return shown.flatMap(({ work }) => work.jobs);
  }

  /** @throws ConsoleProblem 404 where there is none, or none that may be seen. */
  async findJob(
    { share, job }: { readonly share: string; readonly job: string },
    maySee: (share: string) => boolean,
  ): Promise<SeenJob> {
    const shown = maySee(share) ? this.#list().find(one => one.share.name === share) : undefined;
    if (shown !== undefined) {
      await this.#freshen(shown);
      const { jobs } = shown.work;
      const open = jobs.find(({ id }) => id === job) ?? jobs.findLast(one => isOnceWaiting(one, job));
      const found = open ?? (await this.#readFinished(shown, job));
      if (found !== undefined) return found;
    }
    const isKnown = maySee(share) && this.projectOf(share) !== undefined;
    if (isKnown && shown?.isAway !== false) throw new ConsoleProblem(503, texts.jobs.shareIsAway(share));
    throw new ConsoleProblem(404, texts.jobs.noJob);
  }

  /** Of each share, the newest first, as far as they are known by now: the same lists until more is known. */
  finishedLists(maySee: (share: string) => boolean): readonly (readonly FinishedJob[])[] {
    return this.#list()
      .filter(({ share }) => maySee(share.name))
      .map(({ finished, isAway }) => {
        if (!isAway) finished.refresh(false);
        return finished.jobs;
      });
  }

  /** Documents that have become revisions, by any text of theirs. */
  async findSubmitted(
    wanted: string,
    maySee: (share: string) => boolean,
  ): Promise<readonly LedgerDocument[]> {
    const shown = this.#list().filter(({ share }) => maySee(share.name));
    const found = shown.map(async ({ ledger, isAway }) => {
      if (!isAway) ledger.refresh(false);
      return await ledger.find(wanted);
    });
    return (await Promise.all(found)).flat();
  }

  /** Resolves once all that has ended by now is known. */
  async settled(): Promise<void> {
    for (const { finished, ledger } of this.#list()) {
      await finished.settled();
      await ledger.settled();
    }
  }

  /** What has changed since this was asked last, whoever saw it first. A share that hangs holds up none. */
  async look(): Promise<readonly Topic[]> {
    await Promise.all(this.#list().map(shown => within(LOOK_PATIENCE_MS, this.#look(shown))));
    const topics = [...this.#topics];
    this.#topics.clear();
    return topics;
  }

  /** A share that hangs with its mount holds up the end no longer than the look does. */
  async close(): Promise<void> {
    const ended = [...this.#shown.values()].map(async ({ looking, finished, ledger }) => {
      const ending = Promise.all([looking, finished.close(), ledger.close()]);
      await within(LOOK_PATIENCE_MS, ending);
    });
    await Promise.all(ended);
  }

  async #readFinished(shown: Shown, id: string): Promise<SeenJob | undefined> {
    const { share, zone, read } = shown;
    const nowMs = this.#deps.now().getTime();
    const before = read.get(id);
    // What could not be read of it may be whole by now.
    const isOld =
      before === undefined || (before.job.unreadable > 0 && nowMs - before.readMs > UNREADABLE_AGAIN_MS);
    const job = isOld && !shown.isAway ? await readFinishedJob(id, { share, zone }) : before?.job;
    if (job === undefined) return undefined;
    read.delete(id);
    read.set(id, { job, readMs: isOld ? nowMs : before.readMs });
    let documents = 0;
    for (const [
      one,
      {
        job: { parts },
      },
    ] of [...read].reverse()) {
      documents += parts.reduce((sum, { rows }) => sum + rows.length, 0);
      if (documents > MOST_READ && one !== id) read.delete(one);
    }
    return job;
  }

  #indexOf(share: Share, zone: string): FinishedIndex {
    const { config, now, changed, logger } = this.#deps;
    const which = hash('sha256', `${share.name}\n${share.config.folder}`).slice(0, 16);
    return new FinishedIndex({
      share,
      zone,
      file: join(config.stateDir, 'console', `finished-${which}.json`),
      nowMs: () => now().getTime(),
      onNews: () => changed(['jobs']),
      onTrouble: (id, why) =>
        logger.warn(
          { event: 'console-finished-unread', share: share.name, id, why },
          'What has ended cannot be read: the page does not list it',
        ),
    });
  }

  async #freshen(shown: Shown): Promise<void> {
    const { lookedMs } = shown;
    if (lookedMs !== undefined && this.#deps.now().getTime() - lookedMs < FRESH_MS) return;
    await within(lookedMs === undefined ? FIRST_PATIENCE_MS : PATIENCE_MS, this.#look(shown));
  }

  /** Undefined where the share cannot be read just now: what is known stays. */
  #look(shown: Shown): Promise<Looked | undefined> {
    if (shown.isAway) return Promise.resolve(undefined);
    shown.looking ??= (async () => {
      try {
        const looked = await shown.work.look();
        shown.lookedMs = this.#deps.now().getTime();
        for (const id of looked.changed) this.#topics.add('jobs').add(`job:${shown.share.name}/${id}`);
        shown.finished.refresh(looked.gone.length > 0);
        shown.ledger.refresh(looked.gone.length > 0);
        // Waited for, so that a job that has just ended is told as finished, and not as gone.
        if (looked.gone.length > 0) await within(ENDED_PATIENCE_MS, shown.finished.settled());
        return looked;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#deps.logger.debug(
          { event: 'console-look', share: shown.share.name, why },
          'A share was not read',
        );
        return undefined;
      } finally {
        shown.looking = undefined;
      }
    })();
    return shown.looking;
  }
}
