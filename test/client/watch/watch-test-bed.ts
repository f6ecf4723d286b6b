// A running watcher on a real share, and a starter that remembers what it was asked to start.
import type { Share } from '../../../activities/share/share';
import type { WatchEvent } from '../../../client/watch/watch-events';
import type { StartsBatches } from '../../../client/watch/watch-starts';
import { type WatchOptions, watchShare } from '../../../client/watch/watcher';
import { FakeLogger } from '../../activities/share/share-test-bed';

type Found = Awaited<ReturnType<StartsBatches['find']>>;

export class FakeStarter implements StartsBatches {
  readonly started: string[] = [];
  calls = 0;
  isAway = false;

  async start(batch: { readonly batchId: string }): Promise<'started' | Exclude<Found, 'forgotten'>> {
    this.calls += 1;
    if (this.isAway) throw Object.assign(new Error('connection refused'), { code: 14 });
    if (this.outcome === 'stopped' || this.outcome === 'already-finished') return this.outcome;
    if (this.started.includes(batch.batchId)) return 'already-running';
    this.started.push(batch.batchId);
    return 'started';
  }

  /** What has become of the runs; all of them go on. */
  outcome: Found = 'already-running';

  async find(): Promise<Found> {
    return this.outcome;
  }

  async shareOfRun(): Promise<undefined> {
    return undefined;
  }

  /** Runs that were told to look again. */
  readonly woken: string[] = [];

  async wake({ batchId }: { readonly batchId: string }): Promise<boolean> {
    this.woken.push(batchId);
    return this.outcome === 'already-running';
  }
}

export type SeenEvent = WatchEvent & { readonly share: string };

export class RunningWatcher {
  readonly events: SeenEvent[] = [];
  readonly starter: FakeStarter;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  readonly #waiting = new Set<() => void>();

  constructor(share: Share, starter = new FakeStarter(), options: Partial<WatchOptions> = {}) {
    this.starter = starter;
    this.#done = watchShare({
      share,
      starter,
      logger: new FakeLogger(),
      signal: this.#stop.signal,
      onEvent: event => {
        this.events.push(event);
        for (const check of this.#waiting) check();
      },
      ...options,
    });
  }

  of<Name extends WatchEvent['event']>(name: Name): Extract<SeenEvent, { event: Name }>[] {
    return this.events.filter((event): event is Extract<SeenEvent, { event: Name }> => event.event === name);
  }

  /** Resolves as soon as the events are such; fails with what was seen when that takes too long. */
  async until(isSo: () => boolean, timeoutMs = 15_000): Promise<void> {
    if (isSo()) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        end();
        reject(new Error(`Not seen in time. Events: ${JSON.stringify(this.events.slice(-30))}`));
      }, timeoutMs);
      const check = () => {
        if (!isSo()) return;
        end();
        resolve();
      };
      // Some of what is waited for makes no event of its own.
      const look = setInterval(check, 20);
      const end = () => {
        clearTimeout(timer);
        clearInterval(look);
        this.#waiting.delete(check);
      };
      this.#waiting.add(check);
    });
  }

  async claimed(count: number): Promise<string[]> {
    await this.until(() => this.of('file-claimed').length >= count);
    return this.of('file-claimed').map(event => event.path);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }
}

/** Short times, so that a test takes as long as what it tests. */
export const QUICK = { settleMs: 150, quietMs: 100, scanEveryMs: 300 } as const;
