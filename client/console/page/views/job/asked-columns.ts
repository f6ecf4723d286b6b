// Which of the columns that a person has chosen, for all jobs, are asked for with the rows of one. Pure.

/** Length of all their names together, in letters: the server takes no more. */
const MOST = 2_000;

/**
 * All of them where they fit into the question, else those that this job has; of more still, those that were
 * chosen last.
 * @param own those that the registers of this job have; undefined until they are known
 */
export function askedColumns(
  chosen: readonly string[],
  own: readonly string[] | undefined,
): readonly string[] {
  if (own === undefined || chosen.join('\n').length <= MOST) return lastThatFit(chosen);
  return lastThatFit(chosen.filter(header => own.includes(header)));
}

function lastThatFit(headers: readonly string[]): readonly string[] {
  let length = -1;
  const from = headers.findLastIndex(header => {
    length += header.length + 1;
    return length > MOST;
  });
  return headers.slice(from + 1);
}
