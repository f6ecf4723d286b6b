// One document can make a request fail for all that go with it, without a refusal: its name or title trips
// what stands before the service, or the service itself. That looks like an outage. They are told apart by
// halves, and by another document that gets through after the one that does not.
import { isUnexplained } from '../service/errors';
import { inGrowingParts } from './growing-parts';

export interface Sifting<Item, Result> {
  /** One request for these. */
  readonly send: (items: readonly Item[]) => Promise<Result>;
  /**
   * One of them that this result says was done. It is known to be good: where another one fails, it is sent
   * again to see whether it still gets through.
   */
  readonly doneOf: (items: readonly Item[], result: Result) => Item | undefined;
  readonly refuse: (item: Item) => Result;
  /** Of the activity, from 1. */
  readonly attempt: number;
}

/** So many attempts of an activity are repeated whole: most of what fails without a reason passes. */
export const PATIENT_ATTEMPTS = 2;

/** So often another one gets through between failures of one that is refused. */
const PASSES_BETWEEN = 2;

/**
 * Sends all in one request. From the third attempt on a failure is sifted: each document that fails by
 * itself, before and twice after each of two passings of another one, is refused. When no other gets through
 * the failure is thrown, for then it is nobody's: three requests an attempt, in an outage.
 */
export async function sendTogether<Item, Result>(
  items: readonly Item[],
  how: Sifting<Item, Result>,
): Promise<readonly Result[]> {
  const sieve = new Sieve(items, how);
  await sieve.sift(items);
  return sieve.results;
}

/** What earlier attempts have done. */
export interface DoneBefore<Item> {
  /** Which of some are still to be sent. Asked at each attempt, once what went before has got through. */
  open(items: readonly Item[]): Promise<readonly Item[]>;
  /** One that is done, and can be sent again to see whether the step takes others. */
  one(): Promise<Item | undefined>;
}

/**
 * The same, but from the second attempt on one of them goes first: in an outage of whatever kind an attempt
 * sends that one alone. It may be the last that is left, and to blame: then what was done before tells.
 */
export async function sendOneFirst<Item, Result>(
  items: readonly Item[],
  how: Sifting<Item, Result>,
  done: DoneBefore<Item>,
): Promise<readonly Result[]> {
  const sieve = new Sieve(items, how);
  for (const part of inGrowingParts(items, how.attempt)) await sieve.sift(await done.open(part), done);
  return sieve.results;
}

/** The same for requests of one document each. */
export async function sendSingly<Item, Result>(
  items: readonly Item[],
  how: Sifting<Item, Result> & { readonly knownGood: Item | undefined },
): Promise<readonly Result[]> {
  const sieve = new Sieve(items, how, how.knownGood);
  for (const item of items) await sieve.one(item);
  return sieve.results;
}

interface Failed {
  readonly error: unknown;
}

class Sieve<Item, Result> {
  readonly results: Result[] = [];
  readonly #how: Sifting<Item, Result>;
  readonly #open: Set<Item>;
  #knownGood: Item | undefined;

  constructor(items: readonly Item[], how: Sifting<Item, Result>, knownGood?: Item) {
    this.#how = how;
    this.#open = new Set(items);
    this.#knownGood = knownGood;
  }

  async sift(items: readonly Item[], done?: Pick<DoneBefore<Item>, 'one'>): Promise<void> {
    const [first] = items;
    if (first === undefined) return;
    const failure = await this.try(items);
    if (failure === undefined) return;
    if (items.length > 1) {
      if (this.#knownGood === undefined) await this.#findKnownGood(items, failure.error);
      await this.halves(items);
      return;
    }
    this.#knownGood ??= await done?.one();
    if (this.#knownGood === undefined) throw failure.error;
    await this.one(first, failure);
  }

  /** Returns how it failed, if it may be for one of them. */
  async try(items: readonly Item[]): Promise<Failed | undefined> {
    const { send, doneOf, attempt } = this.#how;
    try {
      const result = await send(items);
      this.results.push(result);
      for (const item of items) this.#open.delete(item);
      this.#knownGood ??= doneOf(items, result);
      return undefined;
    } catch (error: unknown) {
      if (!isUnexplained(error) || attempt <= PATIENT_ATTEMPTS) throw error;
      return { error };
    }
  }

  /**
   * Another two at each attempt, one after the other: the one may be what fails.
   * @throws when neither gets through.
   */
  async #findKnownGood(among: readonly Item[], error: unknown): Promise<void> {
    for (let turn = 0; turn < Math.min(2, among.length); turn++) {
      const item = among[(this.#how.attempt + turn) % among.length];
      if (item === undefined || !this.#open.has(item)) continue;
      await this.try([item]);
      if (this.#knownGood !== undefined) return;
    }
    throw error;
  }

  async halves(items: readonly Item[]): Promise<void> {
    const open = items.filter(item => this.#open.has(item));
    const [only] = open;
    if (only === undefined) return;
    if (open.length === 1) return await this.one(only);
    const middle = Math.ceil(open.length / 2);
    for (const half of [open.slice(0, middle), open.slice(middle)]) {
      const [single] = half;
      if (half.length === 1 && single !== undefined) await this.one(single);
      else if ((await this.try(half)) !== undefined) await this.halves(half);
    }
  }

  /**
   * Refused is what fails before another one got through, and twice in a row after it, each time that one
   * does. Twice: where two servers take turns and one of them is broken, every second request fails, whoever
   * sends it.
   * @param failed how it has failed just now, if it has.
   */
  async one(item: Item, failed?: Failed): Promise<void> {
    if (!this.#open.has(item)) return;
    let failure = failed ?? (await this.try([item]));
    for (let pass = 0; failure !== undefined && pass < PASSES_BETWEEN; pass++) {
      await this.#seeAnotherPass(item, failure.error);
      failure = await this.try([item]);
      if (failure !== undefined) failure = await this.try([item]);
    }
    if (failure === undefined) return;
    this.#open.delete(item);
    this.results.push(this.#how.refuse(item));
  }

  /** @throws `error`, or how another one failed, when none gets through. */
  async #seeAnotherPass(item: Item, error: unknown): Promise<void> {
    if (this.#knownGood !== undefined) return await this.#sendKnownGood(this.#knownGood, error);
    const others = [...this.#open].filter(each => each !== item);
    await this.#findKnownGood(others, error);
  }

  async #sendKnownGood(knownGood: Item, error: unknown): Promise<void> {
    const { send, doneOf } = this.#how;
    if (doneOf([knownGood], await send([knownGood])) === undefined) throw error;
  }
}
