// Text of people and of the service where the Temporal UI reads Markdown: shown as it is, never as markup or
// a link.

/** A summary has at most 400 bytes at the server; so long a text stays below them in any script. */
const MOST_SUMMARY_UNITS = 120;

/**
 * Ends each text of several lines: the UI's frame is some 30 pixels too small for its text, so that an empty
 * line is cut off rather than words. It has a no-break space, for other blanks make no line.
 */
export const EMPTY_END = '\n\n\u00a0\n';

/**
 * One line of plain text, at most `mostUnits` UTF-16 units before escaping: it is cut first, so that neither
 * a character nor an escape is cut in half. Controls and marks that turn the reading direction become blanks.
 */
export function escapeMarkdown(text: string, mostUnits: number): string {
  const plain = text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ');
  const cut =
    plain.length <= mostUnits ? plain : `${plain.slice(0, mostUnits - 1).replace(/[\ud800-\udbff]$/, '')}…`;
  return (
    cut
      .replace(/[\\`*_{}[\]<>|#~&]/g, '\\$&')
      // Addresses become links by themselves.
      .replace(/:(?=\/\/)|@|(?<=www)\./gi, '\\$&')
  );
}

/** The one line that the UI shows for a run or an activity. */
export function toSummary(text: string): string {
  return escapeMarkdown(text, MOST_SUMMARY_UNITS);
}
