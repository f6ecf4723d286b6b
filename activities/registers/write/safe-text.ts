// Texts of ours as a spreadsheet takes them: never run as a formula, never
// refused, never read as another. Pure.

/** No cell of a spreadsheet holds more characters. */
const LONGEST_CELL = 32_767;

/** What an XML file cannot hold, and no text file that is to be read again; tab and line feed they can. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const NOT_IN_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

/** Half of a character that takes two, as names that were cut have them. */
const HALF = /\p{Surrogate}/gu;

/**
 * For a cell of a workbook. A text cell is never run there, whatever it begins with; what an XML file cannot
 * hold shows as a replacement character.
 */
export function toWorkbookText(text: string): string {
  const clean = text.replace(/\r\n?/g, '\n').replace(NOT_IN_XML, '\uFFFD');
  return keepEscapes(cut(clean));
}

/** Workbooks write a character as `_x0041_`: a text that looks like that gets its underscore escaped. */
export function keepEscapes(text: string): string {
  return text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_');
}

/**
 * For a cell of a CSV file: an apostrophe keeps a spreadsheet from running what begins like a formula. A
 * program that expects another delimiter than ours cuts our cells at it, even within quotes: so every piece
 * that it would make of a text is made safe.
 */
export function toCsvText(text: string): string {
  const clean = text.replace(NOT_IN_XML, '\uFFFD');
  // Each run of white space and quotes is looked through once, from its beginning.
  const safe = clean.replace(/(?<![\s"])[\s"]*[=+\-@＝＋－＠]/g, (run, at: number) => {
    const isPiece = at === 0 || /[,;]/.test(clean.charAt(at - 1));
    return `${isPiece ? "'" : ''}${run.replace(/[\t\r\n]/g, "$&'")}`;
  });
  return cut(safe.replace(/^(?=[\t\r\n])/, "'"));
}

function cut(text: string): string {
  const short = text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL - 1)}…`;
  return short.replace(HALF, '\uFFFD');
}
