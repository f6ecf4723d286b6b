// The shares as the page has them: opened to be looked at, and tried again while they are away.
import { setTimeout as delay } from 'node:timers/promises';
import { openShare } from '../../../activities/share/open-share';
import type { Share, ShareDeps } from '../../../activities/share/share';
import type { ShareConfig } from '../../../activities/share/share-config';
import { texts } from '../texts/texts';
import type { ConsoleShare } from './module';

const LOOK_EVERY_MS = 2_000;
/** At a first start other parts make the folders of shares: one not seen yet is looked for often. */
const FIRST_LOOKS_MS = 200;
const FIRST_LOOKS = 50;
const ANSWERS_WITHIN_MS = 3_000;

export interface ConsoleSharesInput {
  readonly shares: readonly ShareConfig[];
  readonly deps: () => Promise<ShareDeps>;
  /** Called when shares have come or gone. */
  readonly onChanged: () => void;
  /** The usual when absent. */
  readonly lookEveryMs?: number;
}

interface Place {
  readonly config: ShareConfig;
  open: Share | undefined;
  why: string | undefined;
  looking: Promise<void> | undefined;
}

export class ConsoleShares {
  readonly #input: ConsoleSharesInput;
  readonly #places: readonly Place[];
  readonly #ended = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #told: readonly (string | undefined)[] = [];

  constructor(input: ConsoleSharesInput) {
    this.#input = input;
    this.#places = input.shares.map(config => ({
      config,
      open: undefined,
      why: texts.asked.shareIsLookedFor,
      looking: undefined,
    }));
  }

  readonly list = (): readonly ConsoleShare[] =>
    this.#places.map(({ config, open, why }) => ({
      config,
      share: why === undefined ? open : undefined,
      why,
    }));

  readonly names = (): readonly string[] => this.#places.map(({ config }) => config.name);

  /** Looks once, and from then on again and again. */
  async start(): Promise<void> {
    await this.#lookAtAll();
    this.#looking = this.#keepLooking();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#looking;
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#ended;
    for (let looks = 0; ; looks += 1) {
      const isFirst = looks < FIRST_LOOKS && this.#places.some(({ open }) => open === undefined);
      const everyMs = this.#input.lookEveryMs ?? (isFirst ? FIRST_LOOKS_MS : LOOK_EVERY_MS);
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#lookAtAll();
    }
  }

  async #lookAtAll(): Promise<void> {
    await Promise.all(this.#places.map(place => this.#lookAt(place)));
    // Compared with what was told last: so a share counts, too, that came back after its look was given up.
    const now = this.#places.map(({ why }) => why);
    const isOther = now.some((why, index) => why !== this.#told[index]);
    this.#told = now;
    if (isOther) this.#input.onChanged();
  }

  /** A look at a mount that hangs stays under way, and none follows before it has come back. */
  async #lookAt(place: Place): Promise<void> {
    place.looking ??= this.#reach(place)
      .then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      .then(why => {
        place.why = why;
        place.looking = undefined;
      });
    const late = new AbortController();
    const isLate = await Promise.race([
      place.looking.then(() => false),
      delay(ANSWERS_WITHIN_MS, true, { signal: late.signal, ref: false }).catch(() => false),
    ]);
    late.abort();
    if (isLate) place.why = texts.asked.shareHangs;
  }

  /** A share that has gone is opened anew, and not looked up again: that would make folders. */
  async #reach(place: Place): Promise<void> {
    if (place.open !== undefined && (await place.open.isInPlace())) return;
    place.open = await openShare(place.config, await this.#input.deps());
  }
}
