// Operations: what is away, what stopped short, numbers and health.
import { type Metrics, quantileOf } from '../../../activities/host/metrics';
import { answerMetrics } from '../../../workers/metrics/serve-metrics';
import { ProcessStanding } from '../../../workers/metrics/standing';
import { ANSWER_SECONDS } from '../../../workers/metrics/work-metrics';
import { ownVersion } from '../../session/own-version';
import { addShareMetrics } from '../../status/share-numbers';
import { COUNTED, type DayNumber, type operationsRoutes } from '../contract/operations';
import type { Topic } from '../contract/session';
import { type ConsoleDeps, type ConsoleModule, ConsoleProblem, type Person } from '../serve/module';
import { texts } from '../texts/texts';
import { DayRing, QUARTER_MS } from './day-ring';
import { Lookout, type Seen } from './lookout';
import { resumersOf, resumeWork } from './resume-work';
import { tellEach } from './tell-each';
import { type Answered, longLimitOf, tellOperations, toPartMarks } from './tell-operations';
import { type Counts, type KnownNumbers, NOTHING_COUNTED, WorkersInNumbers } from './worker-numbers';

/** How often everything is looked at while nobody shows this view. */
const LOOK_EVERY_MS = 60_000;
const SHOWN_FOR_MS = 30_000;
const LOOK_SHOWN_EVERY_MS = 5_000;

export function createOperations(
  deps: ConsoleDeps,
  lookout: Lookout = new Lookout(deps),
): ConsoleModule<typeof operationsRoutes> {
  const nowMs = () => deps.now().getTime();
  const ring = new DayRing(deps.config.stateDir);
  const workers = new WorkersInNumbers(deps.work, deps.config.console.workers, deps.logger);
  const quarter = new QuarterCounts();
  let known: KnownNumbers | undefined;
  let knownOf: Seen | undefined;
  const { metrics } = deps;
  // Where a watcher runs in this process as well, it tells the numbers of the shares.
  if (deps.work === undefined) addShareMetrics(metrics, lookout.numbers);
  addHeldMetrics(metrics, lookout, nowMs);
  const answered: Answered = dependency => known?.answeredMs[dependency];
  const look = async (): Promise<Seen> => {
    const seen = await lookout.look();
    if (seen === knownOf) return seen;
    knownOf = seen;
    known = await workers.read(nowMs());
    const numbers = { ...quarter.read(seen.atMs, known?.counts), ...standingOfSeen(seen, known) };
    await ring.note(seen.atMs, { parts: toPartMarks(seen, answered), numbers });
    return seen;
  };
  const tell = async (seen: Seen, person: Person) =>
    tellOperations({
      seen,
      day: await ring.read(nowMs()),
      known,
      answered,
      nowMs: nowMs(),
      version: ownVersion(),
      temporalHref: deps.config.console.temporalUi ?? null,
      maySee: share => person.may('see', share),
      mayResume: resumersOf(deps, person),
    });
  let [told, toldStopped] = ['', '[]'];
  /** The list of jobs shows which have stopped: where these have changed, it is told as well. */
  const newsIn = ({ temporalAwayMs, runs, stopped, shares, isServiceServed }: Seen): readonly Topic[] => {
    const [before, stoppedBefore] = [told, toldStopped];
    toldStopped = JSON.stringify(stopped.map(({ batchId, state }) => [batchId, state]));
    const { away, unserved, running, others } = runs;
    const blocked = others.filter(({ progress }) => progress?.blocked !== undefined).length;
    const must = [unserved, isServiceServed, blocked];
    told = JSON.stringify([temporalAwayMs, away, must, toldStopped, shares, running.length]);
    if (told === before) return [];
    return toldStopped === stoppedBefore ? ['operations'] : ['operations', 'jobs'];
  };
  const lookByItself = async () => deps.changed(newsIn(await look()));
  /** Whether the band that says in every view what is away may have changed since the last look. */
  const isBandInDoubt = (): boolean => {
    const { last } = lookout;
    if (last === undefined || last.temporalAwayMs !== undefined) return true;
    const whyOf = new Map(last.shares.map(({ name, why }) => [name, why]));
    return deps.shares().some(({ config: { name }, why }) => whyOf.get(name) !== why);
  };
  const timer = setInterval(() => void lookByItself().catch(() => undefined), LOOK_EVERY_MS);
  timer.unref();
  const standing = standingOf(deps);
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return {
    handlers: {
      'GET /api/operations': async (_asked, person) => {
        shownAtMs = nowMs();
        return await tell(await look(), person);
      },
      'GET /api/operations/sign': async (_asked, person) => {
        const { away, mustAct } = await tell(lookout.lastWithShares ?? (await look()), person);
        return {
          isAway: away.length > 0,
          mustAct,
          away: away.map(({ kind, share, since }) => ({ kind, share, since })),
        };
      },
      'POST /api/resume': async ({ body }, person) => await resumeWork({ deps, lookout }, body, person),
    },
    extend: (server, door) => {
      for (const path of ['/healthz', '/readyz'])
        server.get(path, { config: { anyHost: true } }, async (_request, reply) => {
          // Anybody who reaches the page may ask: no names of shares are told, and nothing of why.
          const { status = 503 } = (await answerMetrics(path, { metrics, standing })) ?? {};
          return await reply
            .code(status)
            .type('text/plain')
            .send(status === 200 ? 'ok\n' : 'not ready\n');
        });
      server.get('/metrics', async (request, reply) => {
        const shares = deps.shares().map(({ config }) => config.name);
        // Numbers of all shares: for those who may see them all.
        for (const share of shares) door.person(request, 'see', share);
        if (shares.length === 0) throw new ConsoleProblem(404, texts.asked.noShareConfigured);
        const answer = await answerMetrics('/metrics', { metrics, standing });
        return await reply.type(answer?.type ?? 'text/plain').send(answer?.body);
      });
    },
    look: async (): Promise<readonly Topic[]> => {
      const isShown = nowMs() - shownAtMs <= SHOWN_FOR_MS * 2;
      if (nowMs() - lookedAtMs < LOOK_SHOWN_EVERY_MS || !(isShown || isBandInDoubt())) return [];
      lookedAtMs = nowMs();
      return newsIn(await look());
    },
    close: async () => {
      clearInterval(timer);
      await ring.save();
    },
  };
}

/** A page is ready when it sees one of its shares. Temporal may be away: the page itself says so. */
export function standingOf(deps: Pick<ConsoleDeps, 'shares'>): ProcessStanding {
  const standing = new ProcessStanding();
  standing.note('page');
  return Object.assign(standing, {
    shares: () => deps.shares().map(({ config, why }) => ({ name: config.name, why })),
  });
}

function addHeldMetrics(metrics: Metrics, lookout: Lookout, nowMs: () => number): void {
  const held = () => {
    const byShare = new Map<string, number[]>();
    for (const { share = '', progress } of lookout.last?.runs.running ?? [])
      for (const { sinceMs } of progress?.held ?? [])
        byShare.set(share, [...(byShare.get(share) ?? []), sinceMs]);
    return [...byShare];
  };
  metrics.gauge('drawbridge_held_documents', 'Documents that wait for a person.', () =>
    held().map(([share, since]) => ({ labels: { share }, value: since.length })),
  );
  metrics.gauge('drawbridge_held_oldest_seconds', 'For how long the oldest of them waits.', () =>
    held().map(([share, since]) => ({
      labels: { share },
      value: Math.round((nowMs() - Math.min(...since)) / 1_000),
    })),
  );
}

type FromCounts = Record<(typeof COUNTED)[number] | 'answerMs', number | null>;

/** What stands at this moment; null: it cannot be seen. */
function standingOfSeen(
  { shares, runs, temporalAwayMs }: Seen,
  known: KnownNumbers | undefined,
): Record<Exclude<DayNumber, keyof FromCounts>, number | null> {
  const files = shares.flatMap(({ numbers }) => numbers ?? []).map(each => each.files);
  const isSeen = temporalAwayMs === undefined;
  const held = runs.running.reduce((sum, { progress }) => sum + (progress?.held.length ?? 0), 0);
  return {
    drop: files.length === 0 ? null : files.reduce((sum, each) => sum + each, 0),
    held: isSeen ? held : null,
    batches: isSeen ? runs.running.length : null,
    left: longLimitOf(known)?.remaining ?? null,
  };
}

/**
 * What workers have counted since the last look before this quarter, so that nothing is lost between two; in
 * the first quarter, since the start.
 */
class QuarterCounts {
  #at = -1;
  #begun: Counts = NOTHING_COUNTED;
  #last: Counts = NOTHING_COUNTED;

  read(nowMs: number, now: Counts | undefined): FromCounts {
    if (now === undefined) return { ...tellEach(COUNTED, () => null), answerMs: null };
    const at = Math.floor(nowMs / QUARTER_MS);
    if (at !== this.#at) {
      this.#begun = this.#last;
      this.#at = at;
    }
    this.#last = now;
    const counts = now.times.map((count, place) => count - (this.#begun.times[place] ?? 0));
    const seconds = quantileOf(ANSWER_SECONDS, counts, 0.95);
    const begun = this.#begun;
    return {
      ...tellEach(COUNTED, name => now[name] - begun[name]),
      answerMs: seconds === undefined ? null : seconds * 1_000,
    };
  }
}
