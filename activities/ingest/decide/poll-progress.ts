// How far the polling of a batch's uploads has come, as one attempt hands it to the next.

export interface PollProgress<Document, Requirement> {
  /** Our own looking so far, with the pauses between the looks. */
  readonly lookedMs: number;
  readonly hasLooked: boolean;
  /** The pause before the next look is over. */
  readonly isDue: boolean;
  /** Documents as they were read last: their analysis has ended, and nothing more is asked of them. */
  readonly ended: readonly Document[];
  /** The requirements that `ended` names by their positions. */
  readonly requirements: readonly Requirement[];
  /** Names that were given after the first look. */
  readonly named?: readonly { readonly index: number; readonly name: string }[];
}

/**
 * @param details what the attempt before left, if it got so far; a worker of an earlier build left only
 * `lookedMs`.
 * @param lookedMs the looking of the activities before this one.
 */
export function takeUpPolling<Document, Requirement>(
  details: unknown,
  lookedMs: number,
): PollProgress<Document, Requirement> {
  const left = (details ?? {}) as Partial<PollProgress<Document, Requirement>>;
  const before = Math.max(lookedMs, left.lookedMs ?? 0);
  const { ended, hasLooked = before > 0, isDue = false, requirements = [], named } = left;
  return {
    lookedMs: before,
    hasLooked,
    isDue,
    ended: ended ?? [],
    requirements,
    ...(named === undefined ? {} : { named }),
  };
}
