// What a row said in a saved sheet, by the headers of its columns. Pure.

/** By the keys of `keysOf`. */
export type SaidRow = ReadonlyMap<string, string>;

/** Between a header and its count, where it comes more than once: no header has it. */
const COUNT = '\u0000';

/** One for each header: itself, and a second one of the same name is told from the first. */
export function keysOf(headers: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return headers.map(header => {
    const count = (counts.get(header) ?? 0) + 1;
    counts.set(header, count);
    return count === 1 ? header : `${header}${COUNT}${count}`;
  });
}

export function headerOf(key: string): string {
  return key.split(COUNT)[0] ?? key;
}

export function toSaidRow(headers: readonly string[], cells: readonly string[]): SaidRow {
  return new Map(keysOf(headers).map((key, at) => [key, cells[at] ?? '']));
}

/** A correction of a held row that was taken up, or that nobody asked for by then. */
export interface Step {
  readonly said: SaidRow;
  /** What the sheet shows afterwards: that without the word that was carried out. */
  readonly shows: SaidRow;
  /** The service refused it afterwards: what of it the run has kept is not known. */
  readonly isRefused?: true;
  /** Something else was asked by then, or nothing: nothing of it was taken up, if it was not before. */
  readonly isUnasked?: true;
}
