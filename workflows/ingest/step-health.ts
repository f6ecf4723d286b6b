// One step of the service (linking, submitting) as a batch meets it: which documents pass it, and whether it
// has an outage. While nothing passes, the service is to blame, and one activity tries for all; a document is
// blamed only when others pass.
import { condition } from '@temporalio/workflow';

/** An attempt limit for what may be the document's own trouble: some five minutes. */
export const SUSPECT_ATTEMPTS = 8;
/**
 * After so many, which take some hours, we look whether another batch of the project has passed meanwhile.
 */
export const PATIENT_ATTEMPTS = 60;

export class StepHealth {
  #passed = 0;
  #isProbed = false;
  #waits = 0;
  /** What the share told last of others of the project; undefined before it was asked. */
  #elsewhere: string | undefined;
  /** By document: how many had passed when it failed here, the first time and the last. */
  readonly #failed = new Map<number, { readonly first: number; readonly last: number }>();

  /** How often the end of an outage was waited for; who waited for that need not pause as well. */
  get waits(): number {
    return this.#waits;
  }

  pass(count: number): void {
    this.#passed += count;
  }

  /**
   * What the share tells of others of the project: when it has changed, another document passed since it was
   * asked last.
   */
  noteElsewhere(passed: string): void {
    if (this.#elsewhere !== undefined && this.#elsewhere !== passed) this.#passed++;
    this.#elsewhere = passed;
  }

  /**
   * These failed in one request. Returns whether others have passed since each of them failed here before.
   */
  fail(indexes: readonly number[]): boolean {
    const before = indexes.map(index => this.#failed.get(index));
    for (const [position, index] of indexes.entries()) {
      this.#failed.set(index, { first: before[position]?.first ?? this.#passed, last: this.#passed });
    }
    return before.every(failure => failure !== undefined && failure.last < this.#passed);
  }

  /** Others have passed since it failed here for the first time. */
  isSuspect(index: number): boolean {
    const failure = this.#failed.get(index);
    return failure !== undefined && failure.first < this.#passed;
  }

  /** Waits while one document is tried for all. Returns whether there was anything to wait for. */
  async untilNoProbe(): Promise<boolean> {
    if (!this.#isProbed) return false;
    await condition(() => !this.#isProbed);
    return true;
  }

  /**
   * Waits for the end of an outage: the first to come tries for all with `probe`, the others wait for that.
   */
  async waitOutOutage(probe: () => Promise<void>): Promise<void> {
    this.#waits++;
    // Nothing is awaited between the look and the mark: of those that come in the same moment, one is the
    // first.
    if (this.#isProbed) {
      await this.untilNoProbe();
      return;
    }
    this.#isProbed = true;
    try {
      await probe();
    } finally {
      this.#isProbed = false;
    }
  }
}
