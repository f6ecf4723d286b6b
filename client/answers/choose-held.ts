// Which of the documents that wait an answer is for, when it is for all of them or for those of a pattern.
import type { Said } from '../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../workflows/ingest/ingest-contract';

export interface ChosenHeld {
  readonly chosen: readonly HeldDocument[];
  /** Documents that are meant by their names, and wait for something that this does not answer. */
  readonly left: readonly HeldDocument[];
}

/**
 * A value for many documents is meant for those that lack one: it does not replace what another document has
 * that waits for something else. That document can still be answered by its name.
 */
export function chooseHeld(
  held: readonly HeldDocument[],
  isMeant: (path: string) => boolean,
  said: Said,
): ChosenHeld {
  const meant = held.filter(({ path }) => isMeant(path));
  return {
    chosen: meant.filter(one => isAnswerTo(one, said)),
    left: meant.filter(one => !isAnswerTo(one, said)),
  };
}

function isAnswerTo({ question }: HeldDocument, { decision }: Said): boolean {
  if (decision === undefined) return question === 'missing-values';
  return decision !== 'terminate' || question === 'workflow-conflict';
}
