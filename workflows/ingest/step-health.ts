// One step of the service (linking, submitting) as a batch meets it: which documents pass it, and whether it
// has an outage. While nothing passes, the service is to blame, and one activity tries for all; a document is
// blamed only when others pass, again and again: each of its failures that counts, a strike, comes after
// another passing.
import { condition } from '@temporalio/workflow';

/** An attempt limit for what may be the document's own trouble: some five minutes. */
export const SUSPECT_ATTEMPTS = 8;
/**
 * After so many, which take some hours, we look whether another batch of the project has passed meanwhile.
 */
export const PATIENT_ATTEMPTS = 60;

interface Failures {
  /** How many had passed when it failed here, the first time and the last. */
  readonly first: number;
  readonly last: number;
  /** When it failed here last, Unix ms. */
  readonly lastMs: number;
  /** Of the last failure: whether others had passed since the one before; undefined where any pass counts. */
  readonly isStrike: boolean | undefined;
  readonly strikes: number;
}

/** So often a document is waited for that the service named beside others that it took. */
const MOST_WAITS_BESIDE = 2;
/** So often it is waited for anew, others passing in between. */
const MOST_STRIKES_NAMED = 5;

/** How the service failed for a document by its own word. */
interface Named {
  /** When it was named first, and last; Unix ms. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Whether others were named while it was. */
  readonly isShared: boolean;
  /** How often it was waited for since others passed last. */
  readonly waits: number;
  /** How often others passed after it had been waited for. */
  readonly strikes: number;
}

export class StepHealth {
  #passed = 0;
  /** When the latest passed, Unix ms. */
  #passedMs = Number.NEGATIVE_INFINITY;
  #isProbed = false;
  #waits = 0;
  /** What the share told last of others of the project; undefined before it was asked. */
  #elsewhere: string | undefined;
  /** Those that the service fails by name, of whichever strand. */
  readonly together = new Together();
  /** By document. */
  readonly #failed = new Map<number, Failures>();
  readonly #named = new Map<number, Named>();

  /** How often the end of an outage was waited for; who waited for that need not pause as well. */
  get waits(): number {
    return this.#waits;
  }

  /** @param atMs when the service answered for them, Unix ms. */
  pass(count: number, atMs: number): void {
    this.#passed += count;
    if (count > 0) this.#passedMs = Math.max(this.#passedMs, atMs);
  }

  /** Whether the share was asked: what it tells then says what passed since. */
  get isElsewhereKnown(): boolean {
    return this.#elsewhere !== undefined;
  }

  /**
   * What the share tells of others of the project: when it has changed, another document was noted as passed
   * since it was asked last. It may have passed long before: what did so before an outage says nothing of it.
   * @param atMs when it passed, Unix ms; without that it is no evidence for a strike.
   */
  noteElsewhere(passed: string, atMs: number | undefined): void {
    if (this.#elsewhere !== undefined && this.#elsewhere !== passed)
      this.pass(1, atMs ?? Number.NEGATIVE_INFINITY);
    this.#elsewhere = passed;
  }

  /**
   * These failed in one request. Returns whether others have passed since each of them failed here before.
   * @param atMs when it failed, Unix ms.
   * @param isEach each of them was alone, or named; else nobody knows whose failure it is.
   * @param isDated passes count by the time at which they happened; in runs from before that, by the order in
   * which they were heard of.
   */
  fail(
    indexes: readonly number[],
    { atMs, isEach, isDated }: { readonly atMs: number; readonly isEach: boolean; readonly isDated: boolean },
  ): boolean {
    const strikes = indexes.map(index => {
      const before = this.#failed.get(index);
      const isAfterOthers =
        before !== undefined && (isDated ? before.lastMs < this.#passedMs : before.last < this.#passed);
      this.#failed.set(index, {
        first: before?.first ?? this.#passed,
        last: this.#passed,
        lastMs: atMs,
        isStrike: isDated ? isAfterOthers : undefined,
        strikes: (before?.strikes ?? 0) + (isAfterOthers && isEach ? 1 : 0),
      });
      return isAfterOthers;
    });
    return strikes.every(Boolean);
  }

  /**
   * Others have passed between its last two failures here; in runs from before passes had a time, since the
   * first one.
   */
  isSuspect(index: number): boolean {
    const failure = this.#failed.get(index);
    return failure !== undefined && (failure.isStrike ?? failure.first < this.#passed);
  }

  /** How often it was its own failure, and others had passed since the one before. */
  strikes(index: number): number {
    return this.#failed.get(index)?.strikes ?? 0;
  }

  /**
   * The service failed for this one by its own word; those that the same response took have passed already.
   * @param atMs when it answered, Unix ms.
   */
  name(index: number, atMs: number): void {
    const before = this.#named.get(index) ?? NOT_NAMED;
    this.#named.set(index, { ...before, firstMs: Math.min(before.firstMs, atMs), lastMs: atMs });
  }

  isNamed(index: number): boolean {
    return this.#named.has(index);
  }

  /** It was answered for otherwise. Returns whether it was waited for. */
  unname(index: number): boolean {
    const { waits = 0, strikes = 0 } = this.#named.get(index) ?? {};
    this.#named.delete(index);
    return waits + strikes > 0;
  }

  /**
   * Whether one that was named again and again is to be waited for. An outage is named for several, and takes
   * nobody; what is named while others are taken, or alone, may be an outage of some minutes.
   * @param isAlone no other document of the batch that has not ended was named.
   */
  isToWaitFor(index: number, isAlone: boolean): boolean {
    const named = this.#named.get(index);
    if (named === undefined || named.strikes >= MOST_STRIKES_NAMED) return false;
    const { firstMs, waits } = named;
    const isShared = named.isShared || !isAlone;
    this.#named.set(index, { ...named, isShared });
    // By the response that named it first, or since.
    const areOthersTaken = this.#passedMs >= firstMs;
    return areOthersTaken ? isShared && waits < MOST_WAITS_BESIDE : isShared || waits < MOST_WAITS_BESIDE;
  }

  /** One that was named is waited for. */
  countWait(index: number): void {
    const named = this.#named.get(index);
    if (named !== undefined) this.#named.set(index, { ...named, waits: named.waits + 1 });
  }

  /** Whether one that was named has not been waited for long. */
  isWaitedForShortly(index: number): boolean {
    return (this.#named.get(index)?.waits ?? 0) <= MOST_WAITS_BESIDE;
  }

  /**
   * Whether one that was named was waited for, and others have passed since it was named last: then it gets
   * its tries back, for an outage may have ended.
   */
  beginAnew(index: number): boolean {
    const named = this.#named.get(index);
    if (named === undefined || named.waits === 0 || this.#passedMs <= named.lastMs) return false;
    this.#named.set(index, { ...named, waits: 0, strikes: named.strikes + 1 });
    return true;
  }

  /** Waits while one document is tried for all. Returns whether there was anything to wait for. */
  async untilNoProbe(): Promise<boolean> {
    if (!this.#isProbed) return false;
    await condition(() => !this.#isProbed);
    return true;
  }

  /**
   * Waits for the end of an outage: the first to come tries for all with `probe`, the others wait for that.
   * @param isOfNamed the service names each of those that it tries: nobody else waits for them, since who
   * passes meanwhile shows whether it is to blame. In runs from before those were tried `together`.
   */
  async waitOutOutage(probe: () => Promise<void>, isOfNamed = false): Promise<void> {
    this.#waits++;
    // Nothing is awaited between the look and the mark: of those that come in the same moment, one is the
    // first.
    if (this.#isProbed) {
      await this.untilNoProbe();
      return;
    }
    this.#isProbed = !isOfNamed;
    try {
      await probe();
    } finally {
      if (!isOfNamed) this.#isProbed = false;
    }
  }
}

/** Documents of several strands, one after the other of which a single activity tries for all. */
class Together {
  readonly #waiting = new Set<number>();
  #tried: ReadonlySet<number> = new Set();
  #changes = 0;
  #carrying: Promise<void> | undefined;

  /** Counts how often those that are tried are to be others. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * They wait with those that are waited for already, if any. Returns what carries all of them on.
   * @param carry begins that for the first to come; whoever comes before its `end` is part of it.
   */
  join(
    indexes: readonly number[],
    carry: () => Promise<void>,
  ): { carrying: Promise<void>; isFirst: boolean } {
    for (const index of indexes) this.#waiting.add(index);
    const isFirst = this.#carrying === undefined;
    this.#carrying ??= carry();
    return { carrying: this.#carrying, isFirst };
  }

  /** Those that wait by now, which are tried from here on. */
  take(): ReadonlySet<number> {
    this.#tried = new Set(this.#waiting);
    return this.#tried;
  }

  /** Whether each of them is tried, or is not waited for any more. */
  hasTaken(indexes: readonly number[]): boolean {
    return indexes.every(index => this.#tried.has(index) || !this.#waiting.has(index));
  }

  /** What tries is to take up those as well that have come since. */
  change(): void {
    this.#changes++;
  }

  /** The wait is over, and whoever comes begins another. Returns all that have waited. */
  end(): ReadonlySet<number> {
    const waited = new Set(this.#waiting);
    this.#waiting.clear();
    this.#tried = new Set();
    this.#carrying = undefined;
    return waited;
  }
}

const NOT_NAMED: Named = {
  firstMs: Number.POSITIVE_INFINITY,
  lastMs: Number.NEGATIVE_INFINITY,
  isShared: false,
  waits: 0,
  strikes: 0,
};
