// Which of several values a field gets: what the share forces goes before a person's answer, that before the
// register's row, that before the file's name, and that before its folder. What the service finds and
// defaults come after all of them.
import type { SaidOfDocument, ValueSource } from '../../../workflows/ingest/ingest-contract';
import { type ResolvedValues, type Resolver, resolveValues } from './plan-document';
import { findField, type ProjectRules } from './project-rules';
import type { RowWrites } from './read-entry';

export interface MergedValues extends ResolvedValues {
  /** Of each field that has a value: who gave it. */
  readonly sources: ReadonlyMap<string, ValueSource>;
  readonly leftEmpty: readonly string[];
  /** Cells of the row that nobody else's value goes before. */
  readonly faults: RowWrites['faults'];
}

/** `forced`: what the share forces. What was overruled is not looked at, and cannot be wrong. */
export function mergeValues(
  rules: ProjectRules,
  said: Pick<SaidOfDocument, 'values' | 'fromFolder' | 'answers'>,
  row: RowWrites,
  forced: ResolvedValues,
  resolve: Resolver,
): MergedValues {
  const named = resolveValues(rules, said.values, resolve);
  const answered = resolveValues(rules, said.answers ?? {}, resolve);
  const ofForced = idsOf(forced);
  const aboveRow = new Set([...ofForced, ...idsOf(answered)]);
  const faults = row.faults.filter(({ field }) => !aboveRow.has(field.id));
  const ofRow = [...row.writes.map(({ fieldId }) => fieldId), ...row.leftEmpty, ...faults.map(idOfFault)];
  const aboveNamed = new Set([...aboveRow, ...ofRow]);
  const isOpen = (above: ReadonlySet<string>) => (one: { readonly fieldId?: string }) =>
    one.fieldId === undefined || !above.has(one.fieldId);
  const leftEmpty = row.leftEmpty.filter(fieldId => !aboveRow.has(fieldId));
  const ofNames = named.writes.filter(isOpen(aboveNamed));
  const ofCells = row.writes.filter(isOpen(aboveRow));
  const ofPeople = answered.writes.filter(isOpen(ofForced));
  // A name that no field has is told once, though answers are among the values.
  const problems = [
    ...named.problems.filter(isOpen(aboveNamed)),
    ...answered.problems.filter(isOpen(ofForced)),
  ];
  return {
    writes: [
      ...ofNames,
      ...ofCells.map(({ fieldId, values }) => ({ fieldId, values })),
      ...ofPeople,
      ...forced.writes,
    ],
    problems: [...new Map(problems.map(problem => [problem.text, problem])).values()],
    leftEmpty,
    faults,
    sources: new Map<string, ValueSource>([
      ...ofNames.map(({ fieldId }) => [fieldId, findNamed(rules, said, fieldId)] as const),
      ...ofCells.map(({ fieldId, column }) => [fieldId, `row ${column}`] as const),
      ...ofPeople.map(({ fieldId }) => [fieldId, 'person'] as const),
      ...forced.writes.map(({ fieldId }) => [fieldId, 'share'] as const),
    ]),
  };
}

/** Of several names for one field the last counts. */
function findNamed(
  rules: ProjectRules,
  { values, fromFolder = [] }: Pick<SaidOfDocument, 'values' | 'fromFolder'>,
  fieldId: string,
): ValueSource {
  const name = Object.keys(values).findLast(key => findField(rules.fields, key)?.id === fieldId);
  return name !== undefined && fromFolder.includes(name) ? 'folder' : 'name';
}

function idsOf({ writes, problems }: ResolvedValues): ReadonlySet<string> {
  return new Set([
    ...writes.map(({ fieldId }) => fieldId),
    ...problems.flatMap(({ fieldId }) => fieldId ?? []),
  ]);
}

function idOfFault({ field }: RowWrites['faults'][number]): string {
  return field.id;
}
