// Text for terminals: colours only where they can be seen, and foreign text that cannot play tricks.

export type Colour = 'green' | 'yellow' | 'red' | 'dim' | 'bold';
export type Paint = (colour: Colour, text: string) => string;

const CODES: Record<Colour, readonly [on: number, off: number]> = {
  green: [32, 39],
  yellow: [33, 39],
  red: [31, 39],
  dim: [2, 22],
  bold: [1, 22],
};

/** Paints on a terminal, unless NO_COLOR asks for plain text; leaves text alone elsewhere. */
export function createPaint(stream: { isTTY?: boolean }, environment = process.env): Paint {
  if (stream.isTTY !== true || (environment.NO_COLOR ?? '') !== '') return (_colour, text) => text;
  return (colour, text) => `\u001b[${CODES[colour][0]}m${text}\u001b[${CODES[colour][1]}m`;
}

/** Foreign text without control and direction characters, cut in the middle when longer than `width`. */
export function toVisible(text: string, width = Number.POSITIVE_INFINITY): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');
  const characters = [...visible];
  if (characters.length <= width) return visible;
  const head = Math.ceil((width - 1) / 2);
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (width - 1 - head)).join('')}`;
}

/**
 * Foreign text as one word of a command line that people copy: no shell finds anything to run in it.
 * Characters that do not show are replaced, for a terminal would take them for commands of its own; a word
 * changed that way names nothing, and the command that gets it says so.
 */
export function toShellWord(text: string): string {
  const visible = toVisible(text);
  if (/^[\w@%+:,./-]+$/.test(visible) && !visible.startsWith('-')) return visible;
  // Inside single quotes nothing has a meaning but the quote itself.
  return `'${visible.replaceAll("'", `'\\''`)}'`;
}

/** 1536 -> "1.5 KiB" */
export function toSizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const amount = bytes / 1024 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[step]}`;
}

/** 90_000 -> "90 s", 5_400_000 -> "90 min" */
export function toDurationText(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** Rows in columns as wide as their widest cell; the first row is the heading. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map(row => [...(row[column] ?? '')].length)),
  );
  return rows
    .map(row =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
