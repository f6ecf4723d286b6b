// Which of several values a field gets: what the share forces goes before a person's answer, that before the
// register's row, that before the file's name, and that before its folder. What the service finds and
// defaults come after all of them.
import type { ValuesByField } from '../../../workflows/contract';
import type { SaidOfDocument, ValueSource } from '../../../workflows/ingest/ingest-contract';
import { findField } from '../../registers/column-words';
import { explainUnknownField } from './explain-value';
import { type ResolvedValues, type Resolver, resolveValues, toTexts } from './plan-document';
import type { ProjectRules } from './project-rules';
import type { RowWrites } from './read-entry';

export interface MergedValues extends ResolvedValues {
  /** Of each field that has a value: who gave it. */
  readonly sources: ReadonlyMap<string, ValueSource>;
  readonly leftEmpty: readonly string[];
  /** Faults in cells of the row whose field nobody of higher rank gave a value for. */
  readonly faults: RowWrites['faults'];
}

/**
 * `forced`: what the share forces. A value that another one goes before is not looked at, and cannot be
 * wrong.
 */
export function mergeValues(
  rules: ProjectRules,
  said: Pick<SaidOfDocument, 'values' | 'fromFolder' | 'answers'>,
  row: RowWrites,
  forced: ResolvedValues,
  resolve: Resolver,
): MergedValues {
  const named = resolveValues(rules, said.values, resolve);
  const { given, leftByPeople, unsaid, unknown } = partAnswers(rules, said.answers ?? {});
  const answered = resolveValues(rules, given, resolve);
  const ofForced = idsOf(forced);
  const ofAnswers = [...idsOf(answered), ...leftByPeople];
  const aboveRow = new Set([...ofForced, ...ofAnswers, ...unsaid]);
  const faults = row.faults.filter(({ field }) => !aboveRow.has(field.id));
  const ofRow = [...row.writes.map(({ fieldId }) => fieldId), ...row.leftEmpty, ...faults.map(idOfFault)];
  const countsOfRow = ofRow.filter(fieldId => !aboveRow.has(fieldId));
  const aboveNamed = new Set([...ofForced, ...ofAnswers, ...countsOfRow]);
  const isOpen = (above: ReadonlySet<string>) => (one: { readonly fieldId?: string }) =>
    one.fieldId === undefined || !above.has(one.fieldId);
  const leftEmpty = [
    ...row.leftEmpty.filter(fieldId => !aboveRow.has(fieldId)),
    ...leftByPeople.filter(fieldId => !ofForced.has(fieldId)),
  ];
  const ofNames = named.writes.filter(isOpen(aboveNamed));
  const ofCells = row.writes.filter(isOpen(aboveRow));
  const ofPeople = answered.writes.filter(isOpen(ofForced));
  // A name that no field has is reported once, although answers are among `values` as well.
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

interface PartedAnswers {
  readonly given: ValuesByField;
  /** Ids of fields that a person leaves empty, with an empty list. */
  readonly leftByPeople: readonly string[];
  /** Ids of fields whose cell a person has emptied: it says nothing, and what comes after it counts. */
  readonly unsaid: readonly string[];
  /** Names of no field, for which no value was given. */
  readonly unknown: readonly string[];
}

/** Of several names for one field the last counts. */
function partAnswers(rules: ProjectRules, answers: ValuesByField): PartedAnswers {
  const last = new Map<string, readonly [string, ValuesByField[string]]>();
  for (const one of Object.entries(answers)) last.set(findField(rules.fields, one[0])?.id ?? one[0], one);
  const isBlank = ([, value]: readonly [string, ValuesByField[string]]) => toTexts(value).length === 0;
  const blank = [...last].filter(([, one]) => isBlank(one));
  const isField = (key: string) => rules.fields.some(({ id }) => id === key);
  const ofFields = blank.filter(([key]) => isField(key));
  const isUnsaid = ([, [, value]]: (typeof blank)[number]) => typeof value === 'string';
  return {
    given: Object.fromEntries([...last.values()].filter(one => !isBlank(one))),
    leftByPeople: ofFields.filter(one => !isUnsaid(one)).map(([key]) => key),
    unsaid: ofFields.filter(isUnsaid).map(([key]) => key),
    unknown: blank.filter(([key]) => !isField(key)).map(([key]) => key),
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
