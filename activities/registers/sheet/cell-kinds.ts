// Which cells of a row are numbers, dates or truth values, kept beside their texts: what a program made of a
// text is not sent as if it had been typed so. Pure.
import type { CellKind } from './grid';

const KINDS = { numbers: 'number', dates: 'date', booleans: 'boolean' } as const;

export type ListedKind = (typeof KINDS)[keyof typeof KINDS];

/** By position or by name, as the texts are; each absent for none, and all others are texts. */
export type KindLists<At> = { readonly [List in keyof typeof KINDS]?: readonly At[] | undefined };

export function listKinds<At>(cells: readonly (readonly [at: At, kind: CellKind])[]): KindLists<At> {
  const lists = Object.entries(KINDS).map(([list, listed]): [string, readonly At[]] => [
    list,
    cells.flatMap(([at, kind]) => (kind === listed ? [at] : [])),
  ]);
  return Object.fromEntries(lists.filter(([, found]) => found.length > 0));
}

/** Without what else a row has, and without lists that it has not. */
export function pickKinds<At>({ numbers, dates, booleans }: KindLists<At>): KindLists<At> {
  return {
    ...(numbers === undefined ? {} : { numbers }),
    ...(dates === undefined ? {} : { dates }),
    ...(booleans === undefined ? {} : { booleans }),
  };
}

export function kindAt<At>({ numbers, dates, booleans }: KindLists<At>, at: At): ListedKind | 'text' {
  if (numbers?.includes(at) === true) return 'number';
  if (dates?.includes(at) === true) return 'date';
  return booleans?.includes(at) === true ? 'boolean' : 'text';
}
