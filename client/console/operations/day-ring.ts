// The last 96 quarters of an hour as the page saw them. A cache: without its file the day begins anew.
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateFile, replacePrivateFile } from '../../../activities/service/private-file';
import { COUNTED, dayNumber } from '../contract/operations';

export const QUARTER_MS = 15 * 60_000;
const QUARTERS = 96;
const SAVE_EVERY_MS = 60_000;
const FILE = 'console-day.json';
const MOST_PARTS = 300;

const quarter = z.strictObject({
  /** Quarters since 1970. */
  at: z.int().nonnegative(),
  /** The worst that was seen of each part: here, slow or away. */
  parts: z.record(z.string().max(300), z.enum(['h', 's', 'a'])),
  /** null: nobody tells it here. */
  numbers: z.record(dayNumber, z.number().nullable()),
});
export type Quarter = z.infer<typeof quarter>;
const dayShape = z.strictObject({ version: z.literal(2), quarters: z.array(quarter).max(QUARTERS) });

const WORSE = { h: 0, s: 1, a: 2 } as const;

export class DayRing {
  readonly #path: string;
  #quarters: Quarter[] = [];
  /** The last quarter of the process before this one: what that had counted in it is added. */
  #begun: Quarter | undefined;
  #savedAtMs = Number.NEGATIVE_INFINITY;
  #saving: Promise<void> = Promise.resolve();
  readonly #read: Promise<void>;

  constructor(stateDir: string) {
    this.#path = join(stateDir, FILE);
    this.#read = this.#load();
  }

  /** Notes what is seen now; what is counted in `numbers` is that of this quarter until now. */
  async note(nowMs: number, seen: Omit<Quarter, 'at'>): Promise<void> {
    await this.#read;
    const at = Math.floor(nowMs / QUARTER_MS);
    const last = this.#quarters.at(-1);
    const before = last?.at === at ? last : undefined;
    const parts = { ...before?.parts };
    for (const [part, state] of Object.entries(seen.parts).slice(0, MOST_PARTS)) {
      const known = parts[part];
      if (known === undefined || WORSE[state] > WORSE[known]) parts[part] = state;
    }
    const others = this.#quarters.filter(each => each.at < at && each.at > at - QUARTERS);
    const begun = this.#begun?.at === at ? this.#begun : undefined;
    const numbers = { ...seen.numbers };
    for (const name of COUNTED) numbers[name] = add(begun?.numbers[name], seen.numbers[name]);
    this.#quarters = [...others, { numbers, at, parts }];
    if (nowMs - this.#savedAtMs < SAVE_EVERY_MS && before !== undefined) return;
    this.#savedAtMs = nowMs;
    await this.save();
  }

  /** 96, the oldest first; the last is the one that is not over yet. */
  async read(nowMs: number): Promise<readonly (Quarter | undefined)[]> {
    await this.#read;
    const last = Math.floor(nowMs / QUARTER_MS);
    const known = new Map(this.#quarters.map(each => [each.at, each]));
    return Array.from({ length: QUARTERS }, (_, place) => known.get(last - QUARTERS + 1 + place));
  }

  /** A disk that is full costs the marks of the day, and nothing else. */
  async save(): Promise<void> {
    const text = JSON.stringify({ version: 2, quarters: this.#quarters });
    this.#saving = this.#saving.then(() => replacePrivateFile(this.#path, text)).catch(() => undefined);
    await this.#saving;
  }

  async #load(): Promise<void> {
    try {
      const text = await readPrivateFile(this.#path, "the page's marks of the day");
      if (text !== null) this.#quarters = dayShape.parse(JSON.parse(text)).quarters;
    } catch {
      this.#quarters = [];
    }
    this.#begun = this.#quarters.at(-1);
  }
}

function add(before: number | null = null, now: number | null): number | null {
  return before === null || now === null ? (now ?? before) : before + now;
}
