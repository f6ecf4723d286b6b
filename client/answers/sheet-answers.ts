// What a sheet answers for documents that are held: one row a document, a value for each filled cell of a
// column that is a field of the project. Pure.
import { foldName } from '../../activities/host/fold-text';
import type { Register } from '../../activities/registers/find-register';
import { withoutEnding } from '../../activities/registers/match-files';
import type { CellRules, RegisterField } from '../../activities/registers/read-cell';
import { listFileRows, type RowValues, readRows } from '../../activities/registers/read-rows';
import { tellFault } from '../../activities/registers/register-fault';
import type { ManyAnswers, RefusedAnswer } from '../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../workflows/ingest/ingest-contract';

export interface SheetAnswers {
  readonly answers: readonly { readonly path: string; readonly answer: ManyAnswers['answers'][number] }[];
  /** Documents whose rows cannot be used, all that is wrong with each at once. */
  readonly refused: readonly RefusedAnswer[];
  /** Held, and without a row. */
  readonly unlisted: readonly HeldDocument[];
}

/**
 * A row names its document by the path as `status` shows it, or below the folder that was dropped; in any
 * case, and without the ending if need be. A bare name never stands for a file in a folder below: another
 * file of that name may be done already, and is not seen here.
 */
export function toSheetAnswers(
  register: Register,
  fields: readonly RegisterField[],
  rules: CellRules,
  held: readonly HeldDocument[],
): SheetAnswers {
  const rowsOf = matchRows(register, held);
  const valuesOf = new Map(readRows(register, fields, rules).map(row => [row.row, row]));
  const answers: SheetAnswers['answers'][number][] = [];
  const refused: RefusedAnswer[] = [];
  for (const { path } of held) {
    const rows = rowsOf.get(path) ?? [];
    const row = valuesOf.get(rows[0] ?? -1);
    if (row === undefined) continue;
    const values = toValues(row, fields);
    const why = findFault(rows, row, values);
    if (why !== undefined) refused.push({ document: path, why });
    else answers.push({ path, answer: { documents: [path], values } });
  }
  return { answers, refused, unlisted: held.filter(({ path }) => !rowsOf.has(path)) };
}

function findFault(rows: readonly number[], { row, faults }: RowValues, values: object): string | undefined {
  if (rows.length > 1) return `Rows ${rows.join(' and ')} are both about it. Keep one of them.`;
  if (faults.length > 0) return faults.map(tellFault).join(' ');
  return Object.keys(values).length === 0 ? `Row ${row} gives no value of the project.` : undefined;
}

/** An empty list says "leave it empty". */
function toValues(
  { values }: RowValues,
  fields: readonly RegisterField[],
): Record<string, string | string[]> {
  const isSeveral = new Set(fields.filter(({ takes }) => takes === 'many-of').map(({ name }) => name));
  return Object.fromEntries(
    [...values].map(([name, texts]) => {
      const [first] = texts;
      return [name, first === undefined || isSeveral.has(name) ? [...texts] : first];
    }),
  );
}

/** Numbers of the rows that are about each document. */
function matchRows(
  register: Register,
  held: readonly HeldDocument[],
): ReadonlyMap<string, readonly number[]> {
  const exact = indexBy(held, way => way);
  const loose = indexBy(held, withoutEnding);
  const rowsOf = new Map<string, number[]>();
  for (const { number, file } of listFileRows(register)) {
    const name = fold(file).replace(/^(\.?\/)+/, '');
    if (name === '') continue;
    // What could mean several is about none of them.
    const [path, ...others] = exact.get(name) ?? loose.get(name) ?? [];
    if (path !== undefined && others.length === 0) rowsOf.set(path, [...(rowsOf.get(path) ?? []), number]);
  }
  return rowsOf;
}

/** How a row may name it: from the drop folder, or from the folder that was dropped. */
function waysOf(path: string): readonly string[] {
  const folded = fold(path);
  const at = folded.indexOf('/');
  return at < 0 ? [folded] : [folded, folded.slice(at + 1)];
}

function indexBy(
  held: readonly HeldDocument[],
  toKey: (way: string) => string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const index = new Map<string, Set<string>>();
  for (const { path } of held) {
    for (const key of waysOf(path).map(toKey)) index.set(key, (index.get(key) ?? new Set()).add(path));
  }
  return index;
}

function fold(path: string): string {
  return foldName(path).replaceAll('\\', '/');
}
