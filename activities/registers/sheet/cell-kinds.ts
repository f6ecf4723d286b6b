// Which cells of a row are numbers, dates or truth values, kept beside their texts: what a program made of a
// text is not sent as if it had been typed so. Pure.
import type { Cell, CellKind } from './grid';

/** A number that the sheet shows otherwise than its text here is in `otherwise` alone. */
const KINDS = {
  numbers: 'number',
  otherwise: 'number-otherwise',
  dates: 'date',
  booleans: 'boolean',
} as const;

export type ListedKind = (typeof KINDS)[keyof typeof KINDS];

/** By position or by name, as the texts are; each absent for none, and all others are texts. */
export type KindLists<At> = { readonly [List in keyof typeof KINDS]?: readonly At[] | undefined };

export function kindOf({ kind, isShownOtherwise }: Cell): CellKind | ListedKind {
  return isShownOtherwise === true ? KINDS.otherwise : kind;
}

/** The cell that has such a kind. */
export function toCell(text: string, kind: CellKind | ListedKind): Cell {
  return kind === KINDS.otherwise ? { text, kind: 'number', isShownOtherwise: true } : { text, kind };
}

export function listKinds<At>(
  cells: readonly (readonly [at: At, kind: CellKind | ListedKind])[],
): KindLists<At> {
  const lists = Object.entries(KINDS).map(([list, listed]): [string, readonly At[]] => [
    list,
    cells.flatMap(([at, kind]) => (kind === listed ? [at] : [])),
  ]);
  return Object.fromEntries(lists.filter(([, found]) => found.length > 0));
}

/** Without what else a row has, and without lists that it has not. */
export function pickKinds<At>({ numbers, otherwise, dates, booleans }: KindLists<At>): KindLists<At> {
  return {
    ...(numbers === undefined ? {} : { numbers }),
    ...(otherwise === undefined ? {} : { otherwise }),
    ...(dates === undefined ? {} : { dates }),
    ...(booleans === undefined ? {} : { booleans }),
  };
}

/** A row as it is kept: texts, and which of them are something else. */
export interface TextRow extends KindLists<number> {
  readonly cells: readonly string[];
  readonly errors?: readonly number[] | undefined;
  /** By column: the number itself where the sheet shows it as something else. */
  readonly plain?: Readonly<Record<number, string>> | undefined;
}

/** The cells that such a row was made of. */
export function toCells({ cells, plain = {}, errors = [], ...kinds }: TextRow): readonly Cell[] {
  return cells.map((text, column): Cell => {
    if (errors.includes(column)) return { text, kind: 'error' };
    const kind = kindAt(kinds, column);
    if (kind === 'text') return { text, kind: text === '' ? 'empty' : 'text' };
    const number = plain[column];
    return { ...toCell(text, kind), ...(number === undefined ? {} : { plain: number }) };
  });
}

export function kindAt<At>(lists: KindLists<At>, at: At): ListedKind | 'text' {
  const { numbers, otherwise, dates, booleans } = lists;
  if (numbers?.includes(at) === true) return 'number';
  if (otherwise?.includes(at) === true) return KINDS.otherwise;
  if (dates?.includes(at) === true) return 'date';
  return booleans?.includes(at) === true ? 'boolean' : 'text';
}
