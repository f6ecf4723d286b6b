// Which column of a saved receipt is which of the register's. Ours around them are left out; a column that a
// person has added is one more. Pure.
import type { RegisterColumn } from '../name-columns';
import {
  FRONT_COLUMNS,
  findReceiptColumns,
  listBackColumns,
  REASON_HEADER,
} from '../receipt/receipt-columns';
import { keysOf } from '../receipt/said-row';
import type { Cell } from '../sheet/grid';

export interface SheetColumn {
  readonly header: string;
  /** From 0, in the sheet as it was saved. */
  readonly now: number;
  /** In the register as it was read; absent for one that was added. */
  readonly before: number | undefined;
  readonly isFile: boolean;
  /** By which it is known in other saved sheets of the job. */
  readonly key: string;
}

export interface PairedColumns {
  /** In the order of the saved sheet. */
  readonly columns: readonly SheetColumn[];
  /** Headers of the register that the saved sheet lacks. */
  readonly missing: readonly string[];
  /** Where our column of reasons stands, from 0; absent where a person has taken it out. */
  readonly reasonAt?: number;
}

/** @param theirs of the register, with a header each. A header that comes twice is paired in its order. */
export function pairColumns(
  theirs: readonly RegisterColumn[],
  headers: readonly string[],
  markColumn: number,
): PairedColumns {
  const texts = headers.map(toHeader);
  const ours = findOurs(headers, markColumn, new Set(theirs.map(({ header }) => toHeader(header))));
  const free = texts.flatMap((text, now) => (ours.has(now) || text === '' ? [] : [now]));
  const columns: Omit<SheetColumn, 'key'>[] = [];
  const missing: string[] = [];
  for (const { header, index, meaning } of theirs) {
    const at = free.findIndex(now => texts[now] === toHeader(header));
    const [now] = at < 0 ? [] : free.splice(at, 1);
    if (now === undefined) missing.push(header);
    else columns.push({ header, now, before: index, isFile: meaning.kind === 'file' });
  }
  const added = free.map((now): Omit<SheetColumn, 'key'> => {
    return { header: (headers[now] ?? '').trim(), now, before: undefined, isFile: false };
  });
  const all = [...columns, ...added].sort((one, other) => one.now - other.now);
  const keys = keysOf(all.map(({ header }) => header));
  const reasonAt = texts.findIndex((text, at) => ours.has(at) && text === toHeader(REASON_HEADER));
  return {
    columns: all.map((column, at) => ({ ...column, key: keys[at] ?? '' })),
    missing,
    ...(reasonAt < 0 ? {} : { reasonAt }),
  };
}

/**
 * Our columns in the saved sheet; also where a person deleted some, so that the rest is no whole run any
 * more.
 */
function findOurs(
  headers: readonly string[],
  markColumn: number,
  theirs: ReadonlySet<string>,
): ReadonlySet<number> {
  const front = FRONT_COLUMNS.map(({ header }) => toHeader(header));
  const back = listBackColumns('').map(({ header }) => toHeader(header));
  const isBack = (text: string) => back.includes(text) || text.startsWith('submitted (');
  const ours = new Set([...findReceiptColumns(headers), markColumn]);
  headers.map(toHeader).forEach((text, at) => {
    if (at > markColumn && isBack(text) && !theirs.has(text)) ours.add(at);
    if (at < markColumn && front.includes(text) && !theirs.has(text)) ours.add(at);
  });
  return ours;
}

function toHeader(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

export function textAt(cells: readonly Cell[], column: number | undefined): string {
  return column === undefined ? '' : trim(cells[column]?.text ?? '');
}

/** Spaces around a text and the Unicode form are no correction: programs change them by themselves. */
export function trim(text: string): string {
  return text.normalize('NFC').trim().replace(/\r\n?/g, '\n');
}
