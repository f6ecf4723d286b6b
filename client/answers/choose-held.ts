// Which of the documents that wait an answer is for, when it is for all of them or for those of a pattern.
import type { Said } from '../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../workflows/ingest/ingest-contract';

export interface ChosenHeld {
  readonly chosen: readonly HeldDocument[];
  /** They fit by their names, and wait for something that this is no answer to. */
  readonly left: readonly HeldDocument[];
}

/**
 * Who gives many documents a value means those that lack one: it is not written over what a document has
 * that waits for something else. Each can still be named.
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
