// The shares as the page shows them: what is on its way on each, as of the last look.
import { hostZone } from '../../../activities/registers/words/local-time';
import type { Share } from '../../../activities/share/share';
import type { ProjectRef } from '../../../workflows/contract';
import type { Topic } from '../contract/session';
import { type ConsoleDeps, ConsoleProblem } from '../serve/module';
import { type Looked, OpenWork } from './open-work';
import type { SeenJob } from './seen-job';

/** An answer is no older than that, where the share can be read as fast. */
const FRESH_MS = 1_000;
/** What is known already is told rather than that a share is waited for. */
const PATIENCE_MS = 60;
/** Of a share of which nothing is known yet. */
const FIRST_PATIENCE_MS = 5_000;

interface Shown {
  readonly share: Share;
  readonly work: OpenWork;
  lookedMs: number | undefined;
  looking: Promise<Looked | undefined> | undefined;
}

export class ShownShares {
  readonly #deps: ConsoleDeps;
  readonly #shown = new Map<string, Shown>();

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
  }

  /** Those that this host sees now. */
  #list(): readonly Shown[] {
    return this.#deps.shares().flatMap(({ config, share }) => {
      if (share === undefined) return [];
      const known = this.#shown.get(config.name);
      if (known?.share === share) return [known];
      const work = new OpenWork({
        share,
        nowMs: () => this.#deps.now().getTime(),
        zone: config.timeZone ?? hostZone(),
        whoDropped: () => null,
      });
      const shown: Shown = { share, work, lookedMs: undefined, looking: undefined };
      this.#shown.set(config.name, shown);
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
      const open = shown.work.jobs.find(({ id }) => id === job);
      if (open !== undefined) return open;
    }
    const isAway = maySee(share) && shown === undefined && this.projectOf(share) !== undefined;
    if (isAway) throw new ConsoleProblem(503, `The share ${share} is away. It comes back by itself.`);
    throw new ConsoleProblem(404, 'There is no such job here.');
  }

  /** What has changed since the last look. */
  async look(): Promise<readonly Topic[]> {
    const topics = new Set<Topic>();
    for (const shown of this.#list()) {
      const looked = await this.#look(shown);
      for (const id of looked?.changed ?? []) {
        topics.add('jobs');
        topics.add(`job:${shown.share.name}/${id}`);
      }
    }
    return [...topics];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shown.values()].map(({ looking }) => looking));
  }

  async #freshen(shown: Shown): Promise<void> {
    const { lookedMs } = shown;
    if (lookedMs !== undefined && this.#deps.now().getTime() - lookedMs < FRESH_MS) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>(resolve => {
      timer = setTimeout(resolve, lookedMs === undefined ? FIRST_PATIENCE_MS : PATIENCE_MS);
    });
    await Promise.race([this.#look(shown), patience]);
    clearTimeout(timer);
  }

  /** Undefined where the share cannot be read just now: what is known stays. */
  #look(shown: Shown): Promise<Looked | undefined> {
    shown.looking ??= (async () => {
      try {
        const looked = await shown.work.look();
        shown.lookedMs = this.#deps.now().getTime();
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
