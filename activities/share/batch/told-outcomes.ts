// What the journal of a batch knows better than a run that was carried on from an earlier moment: a revision
// is permanent, and its id was told once.
import type { DocumentOutcome } from '../../../workflows/ingest/ingest-contract';
import type { BatchPaths } from '../files/share-layout';
import { foldJournal } from './fold-journal';
import { readJournal } from './journal';

/**
 * The outcomes, after what the journal has of the same documents. Of those that the run
 * still carries, nothing is added.
 */
export async function withToldOutcomes(
  paths: BatchPaths,
  outcomes: readonly DocumentOutcome[],
  onBad: (name: string, why: string) => void,
): Promise<readonly DocumentOutcome[]> {
  const ended = new Set(outcomes.map(({ index }) => index));
  const known = foldJournal(await readJournal(paths, onBad, 'outcome'));
  const told = known.flatMap(({ index, outcome }) =>
    outcome?.kind === 'submitted' && ended.has(index) ? [outcome] : [],
  );
  return [...told, ...outcomes];
}
