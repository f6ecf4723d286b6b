// What comes from a spreadsheet by the clipboard, and where it goes. Pure.
import type { CellText, RowId } from './edits';

/** Rows of cells. Tabs and line ends separate them, but not within quotes as spreadsheets write them. */
export function readTable(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  const endCell = () => {
    rows.at(-1)?.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (isQuoted && sign === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (isQuoted && sign === '"') isQuoted = false;
    else if (isQuoted) cell += sign;
    else if (sign === '"' && cell === '' && closes(text, at)) isQuoted = true;
    else if (sign === '\t') endCell();
    else if (sign === '\n') {
      endCell();
      rows.push([]);
    } else if (sign !== '\r') cell += sign;
  }
  endCell();
  // A spreadsheet puts a line end behind its last row, too: no further row begins there.
  const last = rows.at(-1);
  return last?.length === 1 && last[0] === '' && rows.length > 1 ? rows.slice(0, -1) : rows;
}

/** A quote that nothing closes is a sign like any other: 1/2" pipe. */
function closes(text: string, from: number): boolean {
  return /^"(?:[^"]|"")*"(?:[\t\r\n]|$)/.test(text.slice(from, from + 40_000));
}

export interface PastePlan {
  readonly cells: readonly CellText[];
  /** Rows that were given, and those that there is room for. */
  readonly given: number;
  readonly rows: number;
  /** Given and left over: there is no row for them, or one that takes nothing. */
  readonly left: number;
}

export interface PasteTargets {
  /** Rows that it lies beside, in their order: the chosen ones, or all from the active one on. */
  readonly ids: readonly RowId[];
  /** Columns from the active one on. */
  readonly fields: readonly string[];
  readonly isChosen: boolean;
}

/** @param open rows that take values: any other keeps its place, so that those below it keep theirs */
export function planPaste(
  table: readonly (readonly string[])[],
  { ids, fields, isChosen }: PasteTargets,
  open: ReadonlySet<RowId>,
): PastePlan {
  const [first = []] = table;
  const room = ids.filter(id => open.has(id)).length;
  // One value goes into all that were chosen, as in a spreadsheet.
  const isForAll = table.length === 1 && first.length === 1 && isChosen;
  const rows = isForAll ? ids.map(() => first) : table;
  const cells = ids.slice(0, rows.length).flatMap((id, at) =>
    fields.flatMap((field, column) => {
      const text = rows[at]?.[column]?.trim() ?? '';
      return text === '' || !open.has(id) ? [] : [{ id, field, text }];
    }),
  );
  const isLeft = (row: readonly string[], at: number) => {
    const id = ids[at];
    return id === undefined || (!open.has(id) && row.some(text => text.trim() !== ''));
  };
  const left = isForAll && room > 0 ? 0 : table.filter(isLeft).length;
  const taking = isForAll ? room : table.length - left;
  return { cells, given: table.length, rows: taking, left };
}

/** Text for the clipboard of a spreadsheet; `readTable` reads the same cells from it. */
export function writeTable(rows: readonly (readonly string[])[]): string {
  const quoted = (text: string) => (/["\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map(row => row.map(quoted).join('\t')).join('\r\n');
}
