// The parts of `npm run bench` by name, in the order in which they are measured; parts.ts says how each is.
// The table (rows.ts) names none that is not here.

interface Entry {
  readonly name: string;
  /** Besides this machine. `alone`: nothing of the bench runs beside it, and nothing is measured after it. */
  readonly needs: 'nothing' | 'temporal' | 'cluster' | 'alone';
  /** Long, or part of another one: measured when it is named, and by `all`. */
  readonly isOnlyNamed?: boolean;
}

export const PART_LIST = [
  { name: 'transfer', needs: 'nothing' },
  { name: 'transfer-sizes', needs: 'nothing' },
  { name: 'requests', needs: 'temporal' },
  { name: 'small-jobs', needs: 'temporal' },
  { name: 'limits', needs: 'temporal' },
  { name: 'temporal-cost', needs: 'temporal' },
  { name: 'batch-cpu', needs: 'temporal', isOnlyNamed: true },
  { name: 'long-waits', needs: 'temporal' },
  { name: 'memory', needs: 'temporal' },
  { name: 'drop', needs: 'nothing' },
  { name: 'drop-million', needs: 'nothing', isOnlyNamed: true },
  { name: 'finished-million', needs: 'nothing', isOnlyNamed: true },
  { name: 'shares-memory', needs: 'temporal', isOnlyNamed: true },
  { name: 'short-work', needs: 'temporal', isOnlyNamed: true },
  { name: 'start', needs: 'temporal' },
  { name: 'loop-waiting', needs: 'temporal', isOnlyNamed: true },
  { name: 'polling', needs: 'temporal', isOnlyNamed: true },
  { name: 'workers', needs: 'temporal', isOnlyNamed: true },
  { name: 'workers-cluster', needs: 'cluster', isOnlyNamed: true },
  { name: 'page', needs: 'temporal' },
  { name: 'page-short', needs: 'temporal', isOnlyNamed: true },
  { name: 'uploads', needs: 'nothing' },
  { name: 'ledger', needs: 'nothing' },
  { name: 'beside', needs: 'temporal' },
  { name: 'scale', needs: 'nothing', isOnlyNamed: true },
  { name: 'suite', needs: 'alone', isOnlyNamed: true },
] as const satisfies readonly Entry[];

export type PartName = (typeof PART_LIST)[number]['name'];

export type PartNeeds = Entry['needs'];
