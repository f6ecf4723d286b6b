// Making what the service would make a second time as well: what an attempt made whose response was lost is
// looked for, and a list may show it only a while later.
import type { Asking } from '../../workflows/contract';
import { isServiceError } from '../service/errors';
import { type ActivityScope, isPerhapsRepeated } from './activity-scope';
import { NotYetError } from './not-yet';
import { asRefusal } from './refusal-reason';

/** The contract does not say when a list shows what was made; a read that follows at once proves little. */
export const LISTED_AFTER_MS = 30_000;

/**
 * How many milliseconds ago the last run before the one that asks, of the same id, has ended; Infinity where
 * none has within `withinMs`. It may say too few, never too many.
 */
export type SinceRunBefore = (withinMs: number) => Promise<number>;

/** What activities that make something are given for it. */
export interface MakingDeps {
  /** Milliseconds after which a list shows what was done before; absent: half a minute. */
  readonly listedAfterMs?: number | undefined;
  /** Absent: no run before has made the same. */
  readonly sinceRunBefore?: SinceRunBefore | undefined;
}

interface MakingOptions extends MakingDeps {
  /** Who asks for it: whether it may have been made for the same before. */
  readonly asked?: Asking | undefined;
  /** Whether it may have been made before, where more than the attempt and who asks tells. */
  readonly isRepeated?: boolean | undefined;
}

export type MakingScope = Pick<ActivityScope, 'attempt' | 'lastDetails' | 'report' | 'comeBack'>;

/** What attempts tell the next one; a number is of that attempt, and of an older one it says nothing. */
interface Told {
  /** Nothing was made by this attempt, nor by those before it. */
  readonly madeNothingIn?: number;
  /** The look of this attempt found nothing, and is made once more. */
  readonly lookedIn?: number;
  /** To this attempt the service said that what we know by its id is not there; it is asked once more. */
  readonly missedIn?: number;
  /** An attempt of this call found nothing, sent what makes it, and heard no answer. */
  readonly isSent?: true;
}

/** One attempt at making something. */
export class Making {
  /** Whether an attempt, or a run, before may have made it, without a word to us. */
  readonly isInDoubt: boolean;
  /** The same, but for a run that this one only follows: what is found was perhaps made for this call. */
  readonly isPerhapsRepeated: boolean;
  /** An attempt before found nothing and sent what makes it: what is found now was made for this call. */
  readonly isSent: boolean;
  #hasMade = false;
  readonly #scope: MakingScope;
  readonly #listedAfterMs: number;
  readonly #sinceRunBefore: SinceRunBefore;

  constructor(
    scope: MakingScope,
    {
      asked,
      isRepeated = isPerhapsRepeated(scope, asked),
      listedAfterMs = LISTED_AFTER_MS,
      sinceRunBefore = async () => Number.POSITIVE_INFINITY,
    }: MakingOptions = {},
  ) {
    this.#scope = scope;
    this.#listedAfterMs = listedAfterMs;
    this.#sinceRunBefore = sinceRunBefore;
    const { madeNothingIn, lookedIn, isSent } = this.#told;
    this.isPerhapsRepeated = isRepeated && madeNothingIn !== scope.attempt - 1;
    this.isInDoubt = this.isPerhapsRepeated || lookedIn === scope.attempt;
    this.isSent = isSent === true;
  }

  /**
   * Runs what only looks, or only changes what is there: where it fails, the next attempt knows as much as
   * this one. One that comes back has said itself what is gone on from.
   */
  async look<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error: unknown) {
      if (!this.isPerhapsRepeated && !(error instanceof NotYetError)) this.#tellMadeNothing();
      throw error;
    }
  }

  /**
   * Called before anything is made that no look has found. In doubt it ends the attempt the first time, and
   * another looks again half a minute later; no slot is held meanwhile. `what` is looked for.
   */
  waitUntilListed(what: string): void {
    if (this.isInDoubt) this.#lookAgain(this.#listedAfterMs, what);
  }

  /**
   * The same for what carries something of ours by which it is found: a run before of the same id may have
   * made it as well, and a list need not show it less than half a minute after that run has ended.
   */
  async waitUntilAllListed(what: string): Promise<void> {
    this.waitUntilListed(what);
    if (this.isInDoubt) return;
    const sinceMs = await this.look(() => this.#sinceRunBefore(this.#listedAfterMs));
    if (sinceMs < this.#listedAfterMs) this.#lookAgain(this.#listedAfterMs - Math.max(0, sinceMs), what);
  }

  /**
   * Called where the service says that something is not there whose id it gave us: a copy of its data that is
   * late says so, too. It ends the attempt the first time, and another asks again half a minute later.
   */
  waitUntilShown(what: string): void {
    const { attempt } = this.#scope;
    if (this.#told.missedIn === attempt) return;
    const why = `What has its id is perhaps not shown yet: ${what}`;
    this.#scope.comeBack(this.#listedAfterMs, { ...this.#told, missedIn: attempt }, why);
  }

  /**
   * Runs a request that makes something. Where an attempt ends with one that certainly made nothing, and made
   * nothing before it, the next one need not wait. What is refused ends no attempt. Of one whose answer was
   * lost the next ones are told, so that they know what they find.
   */
  async make<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const made = await work();
      this.#hasMade = true;
      return made;
    } catch (error: unknown) {
      if (!isServiceError(error)) throw error;
      if (error.effect === 'unknown') this.#scope.report({ ...this.#told, isSent: true } satisfies Told);
      else if (!this.#hasMade && asRefusal(error) === undefined) this.#tellMadeNothing();
      throw error;
    }
  }

  #lookAgain(inMs: number, what: string): void {
    const { attempt } = this.#scope;
    if (this.#told.lookedIn === attempt) return;
    const why = `What may be there already is perhaps not listed yet: ${what}`;
    this.#scope.comeBack(inMs, { ...this.#told, lookedIn: attempt }, why);
  }

  get #told(): Told {
    return (this.#scope.lastDetails ?? {}) as Told;
  }

  #tellMadeNothing(): void {
    const sent = this.isSent ? { isSent: true as const } : {};
    this.#scope.report({ madeNothingIn: this.#scope.attempt, ...sent } satisfies Told);
  }
}
