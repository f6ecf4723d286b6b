// Whether a sheet is a register, and what it says if it is one.
import { fillMerged } from './fill-merged';
import { findHeader, type HeaderRow, isHeaderAgain } from './find-header';
import {
  type ColumnWords,
  indexWords,
  nameColumns,
  type RegisterColumn,
  type WordIndex,
} from './name-columns';
import { joinWords, quote, type RegisterFault } from './register-fault';
import type { Cell, Grid, SheetFile } from './sheet/grid';

export interface RegisterRow {
  /** As the spreadsheet program counts. */
  readonly number: number;
  /** By the index of their column; a row may end early. */
  readonly cells: readonly Cell[];
}

export interface Register {
  /** The sheet's name; empty for a CSV. */
  readonly sheet: string;
  /** As the spreadsheet program counts. */
  readonly headerRow: number;
  readonly columns: readonly RegisterColumn[];
  /** In their order, without blank ones and headers that come again. */
  readonly rows: readonly RegisterRow[];
  /** Of the header: with any of them the register is not to be worked on. */
  readonly faults: readonly RegisterFault[];
  /** Worth telling in the receipt; nothing is held up by them. */
  readonly notices: readonly RegisterFault[];
}

export type RegisterFinding =
  /** `readOthers`: the sheets that could be a register as well. */
  | { readonly kind: 'register'; readonly register: Register; readOthers(): readonly Register[] }
  /** Called a register, but none that can be read. */
  | { readonly kind: 'unusable'; readonly faults: readonly RegisterFault[] }
  /** Any other sheet; `looks` is a sentence where somebody may have meant a register. */
  | { readonly kind: 'document'; readonly looks: string | null };

interface Headed {
  readonly grid: Grid;
  readonly header: HeaderRow;
}

/**
 * `isNamed`: its name fits `register.pattern`. Such a sheet needs a column for the file to be read; any other
 * one needs a column that stands for a field as well. Hidden sheets count only where no other one fits.
 */
export function findRegister(file: SheetFile, isNamed: boolean, words: ColumnWords): RegisterFinding {
  const index = indexWords(words);
  const seen = file.grids.flatMap((grid): readonly Headed[] => {
    const header = findHeader(grid, index);
    return header === undefined ? [] : [{ grid, header }];
  });
  const fitting = seen.filter(({ header }) => header.fileColumn >= 0 && (isNamed || header.fields > 0));
  const shown = fitting.filter(({ grid }) => !grid.hidden);
  const open = shown.length > 0 ? shown : fitting;
  // A sheet that has a column for the file and no field may be the instructions of a template.
  const telling = open.filter(({ header }) => header.fields > 0);
  const [chosen, ...others] = telling.length > 0 ? telling : open;
  if (chosen !== undefined) {
    const read = ({ grid, header }: Headed) => readRegister(fillMerged(grid), header, index);
    const register = read(chosen);
    const notices = [...register.notices, ...tellOthers(chosen.grid, others)];
    return { kind: 'register', register: { ...register, notices }, readOthers: () => others.map(read) };
  }
  if (isNamed) return { kind: 'unusable', faults: [tellNoFile(file, seen)] };
  return { kind: 'document', looks: tellLooks(seen) };
}

function readRegister(grid: Grid, header: HeaderRow, words: WordIndex): Register {
  const rows = listRows(grid, header, words);
  const used = new Set(
    rows.flatMap(({ cells }) => cells.flatMap(({ kind }, column) => (kind === 'empty' ? [] : [column]))),
  );
  const { columns, faults, notices } = nameColumns(header.headers, column => used.has(column), words);
  const empty: RegisterFault = { row: null, column: null, text: 'The register has a header but no rows.' };
  return {
    sheet: grid.name,
    headerRow: header.row + 1,
    columns,
    rows,
    faults: rows.length === 0 ? [...faults, empty] : faults,
    notices,
  };
}

function listRows(grid: Grid, header: HeaderRow, words: WordIndex): readonly RegisterRow[] {
  return grid.rows.flatMap((cells, row) => {
    if (row <= header.row || cells.every(({ kind }) => kind === 'empty')) return [];
    const texts = cells.map(({ text }) => text);
    return isHeaderAgain(texts, header, words) ? [] : [{ number: row + 1, cells }];
  });
}

function tellOthers(chosen: Grid, others: readonly { readonly grid: Grid }[]): readonly RegisterFault[] {
  if (others.length === 0) return [];
  const names = joinWords(others.map(({ grid }) => quote(grid.name)));
  const text = `Only the sheet ${quote(chosen.name)} is read; ${names} could be a register as well.`;
  return [{ row: null, column: null, text }];
}

function tellNoFile(file: SheetFile, seen: readonly { readonly header: HeaderRow }[]): RegisterFault {
  const isEmpty = file.grids.every(({ rows }) => rows.length === 0);
  if (isEmpty) return { row: null, column: null, text: 'The register is empty: no cell in it has a value.' };
  const row = seen[0]?.header.row;
  return {
    row: row === undefined ? null : row + 1,
    column: null,
    text: 'The register has no column that says which file a row is about. Add one with the header "File".',
  };
}

function tellLooks(seen: readonly { readonly header: HeaderRow }[]): string | null {
  if (seen.some(({ header }) => header.fileColumn >= 0)) {
    return 'It lists files, but no column of it is a field of the project, so it was taken for a document. If it is a register, put "register" into its name.';
  }
  if (seen.some(({ header }) => header.fields > 1)) {
    return 'It has columns of a register, but none for the file, so it was taken for a document. If it is a register, add a column with the header "File".';
  }
  return null;
}
