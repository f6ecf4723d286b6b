// What the journal of a batch knows better than a run that was reset to an earlier moment: a revision is
// permanent, and the response that told its id came only once.
import type { DocumentOutcome } from '../../../workflows/ingest/ingest-contract';
import type { BatchPaths } from '../files/share-layout';
import { foldJournal } from './fold-journal';
import { readJournal } from './journal';

/**
 * The run's outcomes, preceded by the submissions that the journal has of the same documents. Of documents
 * that the run still carries, nothing is added.
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
