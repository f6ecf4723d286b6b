// Cells of a saved CSV that nobody touched and that a spreadsheet program wrote otherwise: what stood there
// counts. Pure.
import { quote } from '../register-fault';
import { columnLetter } from '../sheet/column-letter';
import { type Cell, EMPTY_CELL } from '../sheet/grid';
import { isRewritten } from './rewritten-number';
import { textAt, trim } from './sheet-columns';

/** A cell that counts as what stood there, though it stands otherwise now. */
export interface Rewritten {
  readonly now: string;
  readonly was: string;
  /** In the sheet as it was saved, from 0. */
  readonly column: number;
}

type StoodCell = Pick<Cell, 'text' | 'kind'>;

/**
 * The cells as they count.
 * @param stoodIn what has stood in a column, the likeliest first
 */
export function asItStood(
  cells: readonly Cell[],
  columns: readonly { readonly now: number; readonly key: string }[],
  stoodIn: (key: string) => readonly StoodCell[],
): { readonly cells: readonly Cell[]; readonly rewritten: readonly Rewritten[] } {
  const rewritten: Rewritten[] = [];
  const counting = [...cells];
  for (const { now: column, key } of columns) {
    const cell = cells[column] ?? EMPTY_CELL;
    const now = textAt(cells, column);
    // One that is written as a text is meant.
    if (now === '' || cell.written !== undefined) continue;
    const stood = stoodIn(key);
    if (stood.some(({ text }) => trim(text) === now)) continue;
    const was = stood.find(({ text, kind }) => isRewritten({ text: trim(text), kind }, now));
    if (was === undefined) continue;
    counting[column] = { text: was.text, kind: 'text' };
    rewritten.push({ now, was: trim(was.text), column });
  }
  return rewritten.length === 0 ? { cells, rewritten } : { cells: counting, rewritten };
}

/** One sentence for all of them: a program rewrites whole columns. */
export function tellRewritten(row: number, { now, was, column }: Rewritten, others: number): string {
  const rest = others === 0 ? '' : `; so it is with ${others} further ${others === 1 ? 'cell' : 'cells'}`;
  const [them, cell] = others === 0 ? ['it is', 'the cell'] : ['one is', 'its cell'];
  return `Row ${row}, column ${columnLetter(column)}: ${quote(now)} counts as the ${quote(was)} that stood there, for a spreadsheet program writes numbers of a CSV so by itself${rest}. If ${them} really to change, type '="${now}" into ${cell}, with the apostrophe in front.`;
}
