// What is wrong in a register, in the document controller's words: one sentence, and where it is.

export interface RegisterFault {
  /** As the spreadsheet program shows it; null when it is not about one row. */
  readonly row: number | null;
  /** Letters of the column; null when it is not about one column. */
  readonly column: string | null;
  /** Sentences: what is wrong, and what to do. */
  readonly text: string;
}

/** A fault as one line: `Row 12, column F: "IFC" is ...`. */
export function tellFault({ row, column, text }: RegisterFault): string {
  const places = [row === null ? [] : `row ${row}`, column === null ? [] : `column ${column}`].flat();
  if (places.length === 0) return text;
  const place = places.join(', ');
  return `${place.charAt(0).toUpperCase()}${place.slice(1)}: ${text}`;
}

/** A told fault without the number of its row, as many rows may have it; undefined where it names no row. */
export function tellOfManyRows(told: string): string | undefined {
  const ofMany = told.replaceAll(/\bRow \d+, column/g, 'Column');
  return ofMany === told ? undefined : ofMany;
}

/** `B`, `B and D`, `B, D and F`. */
export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

const MOST_JOINED = 20;

/** As `joinWords`, with a long list cut. */
export function joinSome(words: readonly string[]): string {
  const rest = words.length - MOST_JOINED;
  return joinWords(rest > 0 ? [...words.slice(0, MOST_JOINED), `${rest} more`] : words);
}

const MOST_QUOTED = 80;

/** A text of the sheet within a sentence: on one line, and not too long. */
export function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return `"${line.length > MOST_QUOTED ? `${line.slice(0, MOST_QUOTED - 1)}…` : line}"`;
}
