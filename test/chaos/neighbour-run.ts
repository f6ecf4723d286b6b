// What each case of the part `neighbours` is given.
import { join } from 'node:path';
import type { StrangerReport, StrangerTask } from './neighbour-deeds';
import { CANARY } from './neighbour-oracle';
import type { PartOptions } from './part';

export interface NeighbourRun {
  /** Of the case. */
  readonly name: string;
  readonly options: PartOptions;
  /** Root of the built product that is tried; a bug may be in it. */
  readonly dist: string;
  /** The case's own; every user can pass through it. */
  readonly folder: string;
  /** Whether strangers have a user of their own. */
  readonly isOtherUser: boolean;
  /** How long strangers are at it. */
  readonly ms: number;
  /** A fact for the table. */
  note(fact: string): void;
  /** Something that must not be. */
  object(invariant: string, what: string): void;
}

export interface NeighbourCase {
  readonly name: string;
  readonly ms: Readonly<Record<PartOptions['form'], number>>;
  run(input: NeighbourRun): Promise<void>;
}

/** What a stranger is told who may write to a share's drop folder. */
export function taskFor(
  { folder, isOtherUser, options }: NeighbourRun,
  share: string,
  more: Pick<StrangerTask, 'names' | 'others'> & Partial<StrangerTask>,
): StrangerTask {
  const inShare = (names: readonly string[]) => names.map(name => join(share, name));
  return {
    drop: join(share, 'drop'),
    home: join(folder, 'home'),
    hidden: join(folder, 'hidden'),
    canary: CANARY,
    closed: inShare(['.drawbridge', '.drawbridge/batches', 'done', 'attention']),
    open: inShare(['drop', 'done', 'attention']),
    seed: options.seed,
    pauseMs: 4,
    isOurUser: !isOtherUser,
    mostFiles: 100_000,
    ...more,
  };
}

export function tell({ deeds, refused }: StrangerReport): string {
  const count = Object.values(deeds).reduce((sum, each) => sum + each, 0);
  return `${count} deeds of ${Object.keys(deeds).length} kinds, ${refused} refused or too late`;
}
