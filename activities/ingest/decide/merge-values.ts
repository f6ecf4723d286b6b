// Which of several values a field gets: what the share forces goes before a person's answer, that before the
// register's row, that before the file's name, and that before its folder. What the service finds and
// defaults come after all of them.
import type { ValuesByField } from '../../../workflows/contract';
import type { SaidOfDocument, ValueSource } from '../../../workflows/ingest/ingest-contract';
import { explainUnknownField } from './explain-value';
import { type ResolvedValues, type Resolver, resolveValues, toTexts } from './plan-document';
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
  const { emptied, unknown } = findEmptied(rules, said.answers ?? {});
  const aboveRow = new Set([...ofForced, ...idsOf(answered), ...emptied.keys()]);
  const faults = row.faults.filter(({ field }) => !aboveRow.has(field.id));
  const ofRow = [...row.writes.map(({ fieldId }) => fieldId), ...row.leftEmpty, ...faults.map(idOfFault)];
  const countsOfRow = ofRow.filter(fieldId => !aboveRow.has(fieldId));
  const leftByPeople = [...emptied].flatMap(([fieldId, how]) => (how === 'left-empty' ? [fieldId] : []));
  const aboveNamed = new Set([...ofForced, ...idsOf(answered), ...leftByPeople, ...countsOfRow]);
  const isOpen = (above: ReadonlySet<string>) => (one: { readonly fieldId?: string }) =>
    one.fieldId === undefined || !above.has(one.fieldId);
  const leftEmpty = [
    ...row.leftEmpty.filter(fieldId => !aboveRow.has(fieldId)),
    ...leftByPeople.filter(fieldId => !ofForced.has(fieldId)),
  ];
  const ofNames = named.writes.filter(isOpen(aboveNamed));
  const ofCells = row.writes.filter(isOpen(aboveRow));
  const ofPeople = answered.writes.filter(isOpen(ofForced));
  // A name that no field has is told once, though answers are among the values.
  const problems = [
    ...named.problems.filter(isOpen(aboveNamed)),
    ...answered.problems.filter(isOpen(ofForced)),
    ...unknown.map(name => explainUnknownField(name, rules.fields)),
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

/**
 * Fields for which a person gave no value: with an empty list they stay empty, with an empty text the cell of
 * the row says nothing, and what comes after it counts. Of several names for one field the last counts.
 */
function findEmptied(
  rules: ProjectRules,
  answers: ValuesByField,
): {
  readonly emptied: ReadonlyMap<string, 'left-empty' | 'says-nothing'>;
  readonly unknown: readonly string[];
} {
  const emptied = new Map<string, 'left-empty' | 'says-nothing'>();
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(answers)) {
    const id = findField(rules.fields, name)?.id;
    const isBlank = toTexts(value).length === 0;
    if (id === undefined && isBlank) unknown.push(name);
    if (id === undefined) continue;
    if (isBlank) emptied.set(id, typeof value === 'string' ? 'says-nothing' : 'left-empty');
    else emptied.delete(id);
  }
  return { emptied, unknown };
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
