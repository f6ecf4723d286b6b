// Which batches of a project wait, for whom, and who is to look again. Pure.
import type { TurnQuestion } from './turns';

/** What is waited for: one document of a batch, or without an index all of it. */
interface Front {
  readonly batchId: string;
  readonly index?: number;
}

interface Wait {
  readonly passAfterMs: number;
  /** By the index of the document that waits. */
  readonly behind: Map<number, Front>;
}

export type WaitsSnapshot = readonly {
  readonly batchId: string;
  readonly passAfterMs: number;
  readonly behind: readonly (Front & { readonly waiting: number })[];
}[];

export class WaitingBatches {
  readonly #waits = new Map<string, Wait>();
  readonly #woken = new Set<string>();

  constructor(snapshot: WaitsSnapshot = []) {
    for (const { batchId, passAfterMs, behind } of snapshot) {
      const entries = behind.map(({ waiting, ...front }) => [waiting, front] as const);
      this.#waits.set(batchId, { passAfterMs, behind: new Map(entries) });
    }
  }

  snapshot(): WaitsSnapshot {
    return [...this.#waits].map(([batchId, { passAfterMs, behind }]) => ({
      batchId,
      passAfterMs,
      behind: [...behind].map(([waiting, front]) => ({ waiting, ...front })),
    }));
  }

  get isEmpty(): boolean {
    return this.#waits.size === 0;
  }

  /** The asked documents wait for these from now on, and for nobody else. */
  note(
    { batchId, indexes, passAfterMs }: TurnQuestion,
    entries: readonly (readonly [waiting: number, front: Front])[],
  ): void {
    const behind = this.#waits.get(batchId)?.behind ?? new Map<number, Front>();
    for (const index of indexes) behind.delete(index);
    for (const [index, front] of entries) behind.set(index, front);
    if (behind.size === 0) this.#waits.delete(batchId);
    else this.#waits.set(batchId, { passAfterMs, behind });
  }

  forget(batchId: string): void {
    this.#waits.delete(batchId);
  }

  /** Batches that others wait for. */
  inFront(): readonly string[] {
    const ids = new Set<string>();
    for (const [own, { behind }] of this.#waits)
      for (const { batchId } of behind.values()) if (batchId !== own) ids.add(batchId);
    return [...ids];
  }

  /** The documents of a batch that others wait for, by their places in it. */
  awaitedOf(batchId: string): ReadonlySet<number> {
    const fronts = [...this.#waits.values()].flatMap(({ behind }) => [...behind.values()]);
    return new Set(fronts.flatMap(one => (one.batchId === batchId ? (one.index ?? []) : [])));
  }

  /** The shortest of the times after which those that wait pass what nobody runs. */
  get passAfterMs(): number | undefined {
    const times = [...this.#waits.values()].map(({ passAfterMs }) => passAfterMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Whether somebody who waits for the batch passes it once it has stood still for so long. */
  isLongEnough(batchId: string, standsMs: number): boolean {
    return [...this.#waits.values()].some(
      ({ passAfterMs, behind }) =>
        standsMs >= passAfterMs && [...behind.values()].some(front => front.batchId === batchId),
    );
  }

  wakeBehind(batchId: string, isMeant: (index: number | undefined) => boolean): void {
    for (const [waiter, { behind }] of this.#waits) {
      for (const front of behind.values())
        if (front.batchId === batchId && isMeant(front.index)) this.#woken.add(waiter);
    }
  }

  /** Batches that are to look again, and were not told yet. */
  get woken(): readonly string[] {
    return [...this.#woken];
  }

  wake(batchIds: readonly string[]): void {
    for (const batchId of batchIds) this.#woken.add(batchId);
  }

  get hasWoken(): boolean {
    return this.#woken.size > 0;
  }

  /** Batches that are to look again; each is named once. */
  takeWoken(): readonly string[] {
    const woken = [...this.#woken];
    this.#woken.clear();
    return woken;
  }
}
