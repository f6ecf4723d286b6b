// How high a row must be for the sentences in it. Programs find it out by themselves, but not for a row that
// was saved with a height of its own, and not all of them. Pure.

/** Points of a line of text at size 11. */
const LINE = 15;
/** Higher rows than this push the others off the screen. */
const MOST_LINES = 8;

/** Points; undefined when one line is enough. `width` as for columns, in characters. */
export function heightFor(texts: readonly { text: string; width: number }[]): number | undefined {
  const lines = Math.max(1, ...texts.map(({ text, width }) => countLines(text, width)));
  return lines === 1 ? undefined : Math.min(lines, MOST_LINES) * LINE;
}

function countLines(text: string, width: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
}
