// Whose turn came when: judged from the order of claims alone, in batches, so
// that a slow machine is not unfair.

export interface Turn {
  readonly path: string;
  /** How many batches had been claimed when it was dropped, and when it was claimed. */
  readonly droppedAt: number;
  readonly claimedAt: number;
}

export interface TurnEvidence {
  readonly turns: readonly Turn[];
  readonly busy: readonly string[];
  readonly quiet: readonly string[];
  readonly filesABatch: number;
}

/** Two batches are in hand at a time, cut before it was seen; one more may be cut while it settles. */
const ALREADY_CUT = 4;

export function judgeTurns({ turns, busy, quiet, filesABatch }: TurnEvidence): {
  readonly violations: (readonly [invariant: string, what: string])[];
  readonly mostBefore: number;
} {
  const violations: (readonly [string, string])[] = [];
  let mostBefore = 0;
  // A turn of each top folder, of the loose files, and what had its turn already.
  const mostBatches = new Set([...busy, ...quiet].map(topOf)).size + ALREADY_CUT;
  for (const path of quiet) {
    const turn = turns.find(each => each.path === path);
    if (turn === undefined) {
      violations.push(['a quiet dropper has his turn', `${path} was not claimed`]);
      continue;
    }
    const waited = turn.claimedAt - turn.droppedAt;
    if (waited > mostBatches)
      violations.push([
        'a quiet dropper has his turn',
        `${path} waited for ${waited} batches, not ${mostBatches}`,
      ]);
    const before = turns.filter(
      other =>
        !quiet.includes(other.path) && other.droppedAt > turn.droppedAt && other.claimedAt < turn.claimedAt,
    ).length;
    mostBefore = Math.max(mostBefore, before);
    if (before > mostBatches * filesABatch)
      violations.push(['the older goes before the younger', `${before} younger ones went before ${path}`]);
  }
  return { violations, mostBefore };
}

function topOf(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')));
}
