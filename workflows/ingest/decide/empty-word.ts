// The word that stands for "leave it empty" in a share's registers.
import type { BatchPolicy } from '../ingest-contract';

/** The word that leaves a field empty, in sheets and wherever a value is written. */
export function emptyWordOf({ register }: Pick<BatchPolicy, 'register'>): string {
  return register?.emptyWord ?? '-';
}
