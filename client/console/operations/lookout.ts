// Looks at everything that the work depends on, seldom and once for all who ask.
import type { Client } from '@temporalio/client';
import { createTemporalIdentity } from '../../../workers/temporal/temporal-identity';
import { SERVICE_TASK_QUEUE, taskQueuesOfShare } from '../../../workflows/contract';
import { lookAtRuns, type SeenRuns } from '../../resume/look-at-runs';
import type { StoppedBatch } from '../../resume/stopped-batch';
import { findStopped } from '../../resume/stopped-batches';
import { temporalTargetOf } from '../../session/session';
import { type ShareNumbers, SharesInNumbers } from '../../status/share-numbers';
import { areServed } from '../../status/unserved';
import type { ConsoleDeps, ConsoleShare } from '../serve/module';

/** Whoever asks within this time is told the same. */
const FRESH_MS = 4_000;
const NO_RUNS: SeenRuns = { away: [], unserved: [], running: [], others: [] };
const NOTHING_STOPPED = { stopped: [], stoppedLimitedTo: undefined };

export interface SeenStopped extends StoppedBatch {
  /** undefined where nobody knows. */
  readonly documents: number | undefined;
}

export interface Seen {
  readonly atMs: number;
  /** Unix ms of the first look that found it away; undefined while Temporal answers. */
  readonly temporalAwayMs: number | undefined;
  /** As they were seen last. */
  readonly runs: SeenRuns;
  readonly stopped: readonly SeenStopped[];
  /** As in `Findings`. */
  readonly stoppedLimitedTo: number | undefined;
  readonly shares: readonly (Pick<ConsoleShare, 'why'> & {
    readonly name: string;
    /** Unix ms of the first look that found it away. */
    readonly awayMs: number | undefined;
    readonly numbers: ShareNumbers | undefined;
    /** Whether a worker asks for its work; undefined when nobody can tell. */
    readonly isServed: boolean | undefined;
  })[];
  readonly isServiceServed: boolean | undefined;
}

/** Whether a batch that stopped goes on without anybody's help. */
export function goesOnByItself({ state }: Pick<StoppedBatch, 'state'>): boolean {
  return state === 'elsewhere' || state === 'unanswered';
}

export class Lookout {
  readonly #deps: ConsoleDeps;
  readonly #numbers: SharesInNumbers;
  readonly #documents = new Map<string, number>();
  readonly #awayMs = new Map<string, number>();
  #last: Seen | undefined;
  #isForgotten = false;
  #looking: Promise<Seen> | undefined;

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
    this.#numbers = new SharesInNumbers(() => deps.shares().flatMap(({ share }) => share ?? []));
  }

  get numbers(): SharesInNumbers {
    return this.#numbers;
  }

  get last(): Seen | undefined {
    return this.#last;
  }

  /** The last look, but with the shares that are away now: that is known without a look. */
  get lastWithShares(): Seen | undefined {
    const last = this.#last;
    if (last === undefined) return undefined;
    const seen = new Map(last.shares.map(share => [share.name, share]));
    const shares = this.#presence(this.#deps.now().getTime()).map(one => ({
      numbers: seen.get(one.name)?.numbers,
      isServed: seen.get(one.name)?.isServed,
      ...one,
    }));
    return { ...last, shares };
  }

  /** Why a batch waits for an operator, as it was seen last; undefined where it does not. */
  whyStopped(share: string, batchId: string): string | undefined {
    const found = this.#last?.stopped.find(each => each.shareName === share && each.batchId === batchId);
    // What is held waits for an answer, and not for an operator.
    if (found === undefined || found.state === 'held' || goesOnByItself(found)) return undefined;
    return found.reason.text.split('\n', 1)[0];
  }

  /** Never rejects for what is away: that is what it tells. */
  async look(): Promise<Seen> {
    // A look that is under way may be from before what was done: it is waited for, and another one follows.
    if (this.#isForgotten) await this.#looking;
    const nowMs = this.#deps.now().getTime();
    const last = this.#isForgotten ? undefined : this.#last;
    // While a look is under way, the last one may be from before something was done.
    if (this.#looking === undefined) {
      if (last !== undefined && nowMs - last.atMs < FRESH_MS) return last;
      this.#isForgotten = false;
      this.#looking = this.#look(nowMs).finally(() => {
        this.#looking = undefined;
      });
    }
    return await this.#looking;
  }

  /** Something was done: the next look is a new one. */
  forget(): void {
    this.#isForgotten = true;
  }

  async findStopped(client: Client): Promise<Pick<Seen, 'stopped' | 'stoppedLimitedTo'>> {
    const { config, shares } = this.#deps;
    const ours = await createTemporalIdentity({
      connection: client,
      namespace: client.options.namespace,
      address: temporalTargetOf(config).address,
      stateDir: config.stateDir,
    })();
    const seen = shares().flatMap(({ share }) => share ?? []);
    const { batches, limitedTo } = await findStopped(client, seen, ours);
    const present = new Set(batches.map(({ batchId }) => batchId));
    for (const each of this.#documents.keys()) if (!present.has(each)) this.#documents.delete(each);
    const stopped = await Promise.all(
      batches.map(async batch => ({ ...batch, documents: await this.#documentsOf(batch) })),
    );
    return { stopped, stoppedLimitedTo: limitedTo };
  }

  async #look(atMs: number): Promise<Seen> {
    const before = this.#last;
    const asked = await this.#askTemporal().catch(() => undefined);
    const numbers = await this.#numbers.read();
    const shares = this.#presence(atMs).map(one => ({
      ...one,
      numbers: numbers.get(one.name),
      isServed: asked?.served.get(one.name),
    }));
    this.#last = {
      atMs,
      temporalAwayMs: this.#since('temporal', asked === undefined, atMs),
      runs: asked?.runs ?? before?.runs ?? NO_RUNS,
      stopped: asked?.stopped ?? before?.stopped ?? [],
      stoppedLimitedTo: (asked ?? before)?.stoppedLimitedTo,
      shares,
      isServiceServed: asked?.isServiceServed,
    };
    return this.#last;
  }

  async #askTemporal() {
    const client = await this.#deps.temporal();
    const runs = await lookAtRuns(client);
    const found = await this.findStopped(client).catch(error => {
      // A share that goes away meanwhile is told as such; what stopped on it is told when it is back.
      if (this.#last === undefined) return NOTHING_STOPPED;
      this.#deps.logger.debug({ event: 'console-stopped-unknown', error }, 'What stopped short is not known');
      return this.#last;
    });
    const { stopped, stoppedLimitedTo } = found;
    const served = new Map<string, boolean>();
    for (const { config } of this.#deps.shares())
      served.set(config.name, await areServed(client, taskQueuesOfShare(config.name)));
    return {
      runs,
      stopped,
      stoppedLimitedTo,
      served,
      isServiceServed: await areServed(client, [SERVICE_TASK_QUEUE]),
    };
  }

  /** Which shares are away, and since when, as it is known without a look. */
  #presence(atMs: number) {
    return this.#deps.shares().map(({ config: { name }, why }) => ({
      name,
      why,
      awayMs: this.#since(`share/${name}`, why !== undefined, atMs),
    }));
  }

  /** Since when it is away, by our looks, in Unix ms; undefined while it is not. */
  #since(key: string, isAway: boolean, nowMs: number): number | undefined {
    if (!isAway) this.#awayMs.delete(key);
    else if (!this.#awayMs.has(key)) this.#awayMs.set(key, nowMs);
    return this.#awayMs.get(key);
  }

  async #documentsOf({ batchId, share }: StoppedBatch): Promise<number | undefined> {
    const known = this.#documents.get(batchId);
    if (known !== undefined || share === undefined) return known;
    const sealed = await share.readSeal(batchId).catch(() => undefined);
    if (sealed !== undefined) this.#documents.set(batchId, sealed.manifest.files.length);
    return sealed?.manifest.files.length;
  }
}
