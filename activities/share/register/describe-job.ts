// What the manifest says of the files of a job that came with a register: for each its row, or why none
// counts. Pure.
import { hash } from 'node:crypto';
import type { RegisterRow } from '../../registers/find-register';
import { compareNatural } from '../../registers/natural-order';
import { joinSome, quote } from '../../registers/register-fault';
import { kindOf } from '../../registers/sheet/cell-kinds';
import type { Cell } from '../../registers/sheet/grid';
import { MOST_CELL_CHARS, MOST_COLUMNS, tellTooLong } from '../../registers/sheet/row-limits';
import { type ManifestFile, type ManifestRegister, MOST_NOT_THERE } from '../batch/manifest';
import type { DocumentWords } from '../drop/document-words';
import { type JobRegister, nameRegister } from './find-job-register';

type Found = Extract<JobRegister, { kind: 'register' }>;
type Entry = NonNullable<ManifestFile['entry']>;

/** What the manifest keeps of the register; `path` is that from the drop folder. */
export function describeRegister(found: Found, path: string): ManifestRegister {
  const { register, bytes, matches } = found;
  const headers = register.columns.slice(0, MOST_COLUMNS).map(({ header }) => cut(header));
  const missing = matches.missing.slice(0, MOST_NOT_THERE);
  const more = matches.missing.length - missing.length;
  return {
    path,
    sizeBytes: bytes.length,
    sha256: hash('sha256', bytes),
    headers,
    notThere: describeMissing(missing, path),
    notices: [
      // Those of single columns are told where the fields of the project are known.
      ...register.notices.filter(({ column }) => column === null).map(({ text }) => text),
      ...(matches.unnamed.length === 0
        ? []
        : [`The register names no file in ${rows(matches.unnamed)}, so that these say nothing.`]),
      ...(more > 0 ? [`${more} further rows list files that did not come.`] : []),
    ],
  };
}

/** Rows whose files did not come. `path` of the register is that from the drop folder. */
export function describeMissing(
  missing: Found['matches']['missing'],
  path: string,
): ManifestRegister['notThere'] {
  return missing.map(({ row, file, nearest }) => ({
    row,
    file: cut(file),
    text: `Row ${row} of ${nameRegister(path)} lists ${quote(file)}, which did not come with it.${tellNearest(nearest)}`,
  }));
}

/** By the path of a file in the job. `register`: position of the register in the manifest. */
export function describeEntries(found: Found, register: number): ReadonlyMap<string, Entry> {
  const { matches } = found;
  const byNumber = new Map(found.register.rows.map(row => [row.number, row]));
  const entries = new Map<string, Entry>();
  for (const path of matches.unlisted) entries.set(path, { register });
  for (const { path, row } of matches.pairs) {
    const found = byNumber.get(row);
    if (found !== undefined) entries.set(path, { register, ...describeRow(found) });
  }
  for (const { path, rows: numbers } of matches.twice) {
    const text = `${capital(rows(numbers))} are ${numbers.length === 2 ? 'both' : 'all'} about this file. Keep one of them.`;
    entries.set(path, { register, faults: [text] });
  }
  const told = new Set<readonly string[]>();
  for (const { row, paths } of matches.ambiguous) {
    // Rows that are written alike share one list, which may be long.
    if (told.has(paths)) continue;
    told.add(paths);
    const text = `Row ${row} could mean ${joinSome(paths.map(quote))}. Write the whole name of its file, or give one of them another name.`;
    for (const path of paths) if (!entries.has(path)) entries.set(path, { register, faults: [text] });
  }
  return entries;
}

/** What orders revisions, by the path of a file in the job: name, number and revision as its row has them. */
export function describeOrder(
  { matches, register }: Found,
  words: DocumentWords,
): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const headers = register.columns.map(({ header }) => header);
  const rowOf = new Map(register.rows.map(row => [row.number, row]));
  return new Map(
    matches.pairs.map(({ path, row }) => {
      const order = Object.entries(words.orderOf(headers, rowOf.get(row)?.cells ?? []));
      return [path, Object.fromEntries(order.map(([name, text]) => [name, cut(text)]))];
    }),
  );
}

/** Files in the order of their rows, then all others as people count. */
export function orderByRows(
  paths: readonly string[],
  entries: ReadonlyMap<string, Entry>,
): readonly string[] {
  const rowOf = (path: string) => entries.get(path)?.row?.number ?? Number.POSITIVE_INFINITY;
  const compareRows = (one: string, other: string) =>
    rowOf(one) === rowOf(other) ? 0 : rowOf(one) - rowOf(other);
  return [...paths].sort((one, other) => compareRows(one, other) || compareNatural(one, other));
}

function describeRow({ number, cells }: RegisterRow): Omit<Entry, 'register'> {
  const shown = cells.slice(0, MOST_COLUMNS);
  const row = {
    number,
    cells: shown.map(({ text }) => text),
    ...columnsOf(shown, 'number', 'numbers'),
    ...columnsOf(shown, 'number-otherwise', 'otherwise'),
    ...columnsOf(shown, 'error', 'errors'),
    ...columnsOf(shown, 'date', 'dates'),
    ...columnsOf(shown, 'boolean', 'booleans'),
    ...plainOf(shown),
  };
  const faults = tellTooLong(
    number,
    shown.map(({ text }, column) => ({ column, text })),
    row,
  );
  return faults.length === 0 ? { row } : { faults: [...faults] };
}

function columnsOf<Key extends string>(
  cells: readonly Cell[],
  kind: ReturnType<typeof kindOf>,
  key: Key,
): Partial<Record<Key, number[]>> {
  const found = cells.flatMap((cell, column) => (kindOf(cell) === kind ? [column] : []));
  return found.length === 0 ? {} : ({ [key]: found } as Record<Key, number[]>);
}

function plainOf(cells: readonly Cell[]): { readonly plain?: Readonly<Record<string, string>> } {
  const found = cells.flatMap(({ plain }, column) => (plain === undefined ? [] : [[column, plain]]));
  return found.length === 0 ? {} : { plain: Object.fromEntries(found) };
}

function tellNearest(nearest: readonly string[]): string {
  return nearest.length === 0 ? '' : ` Nearest: ${nearest.map(quote).join(', ')}.`;
}

/** `row 4`, `rows 4 and 9`. */
function rows(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? 'row' : 'rows'} ${joinSome(numbers.map(String))}`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function cut(text: string): string {
  return text.slice(0, MOST_CELL_CHARS);
}
