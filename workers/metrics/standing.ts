// How a process stands: which of its parts work, for whoever supervises it.

export interface Part {
  readonly name: string;
  /** Why it does not work; undefined: it works. */
  readonly why: string | undefined;
}

/** What can be asked of a process. */
export interface Standing {
  /** False when it cannot go on and should be started anew. */
  isAlive(): boolean;
  /** All are needed: while one does not work, the process does nothing that others wait for. */
  readonly parts: () => readonly Part[];
  readonly shares: () => readonly Part[];
}

export class ProcessStanding implements Standing {
  readonly #parts = new Map<string, string | undefined>();
  readonly #shares = new Map<string, string | undefined>();
  readonly #asked = new Map<string, () => string | undefined>();
  #hasEnded = false;

  /** @param why undefined: it works. */
  note(part: string, why?: string): void {
    this.#parts.set(part, why);
  }

  /** As `note`, but `why` is called each time somebody looks. */
  ask(part: string, why: () => string | undefined): void {
    this.#asked.set(part, why);
  }

  noteShare(share: string, why?: string): void {
    this.#shares.set(share, why);
  }

  ended(): void {
    this.#hasEnded = true;
  }

  isAlive(): boolean {
    return !this.#hasEnded;
  }

  readonly parts = (): readonly Part[] => [
    ...toParts(this.#parts),
    ...[...this.#asked].map(([name, why]) => ({ name, why: why() })),
  ];
  readonly shares = (): readonly Part[] => toParts(this.#shares);
}

/** A process goes on serving its other shares while some are away; with all of them away it is not ready. */
export function isReady(standing: Standing): boolean {
  const all = standing.shares();
  const isServing = all.length === 0 || all.some(({ why }) => why === undefined);
  return standing.isAlive() && isServing && standing.parts().every(({ why }) => why === undefined);
}

function toParts(known: ReadonlyMap<string, string | undefined>): readonly Part[] {
  return [...known].map(([name, why]) => ({ name, why }));
}
