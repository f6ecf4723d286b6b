// When a document needs a value of a field, as far as that can be told beforehand: always, by its type, or by
// the values of other fields. For the template that people fill. Pure.
import { chooseRequirement } from './choose-requirement';
import type { FieldLabel, FieldValues, ProjectRules } from './project-rules';

export interface FieldNeeds {
  /** Whatever its type. */
  readonly always: boolean;
  /** Ids of types whose documents need it, where not all do. */
  readonly types: readonly string[];
  /** Other fields, some of whose values make it needed. */
  readonly byFields: readonly FieldLabel[];
}

/**
 * The needs of each field, by its id.
 * @param typeIds of all types that a document may have now
 */
export function listNeeds(
  rules: ProjectRules,
  typeField: FieldLabel | undefined,
  typeIds: readonly string[],
): ReadonlyMap<string, FieldNeeds> {
  const ofNone = requiredWith(rules, new Map());
  const ofTypes =
    typeField === undefined
      ? []
      : typeIds.map(id => ({ id, required: requiredWith(rules, new Map([[typeField.id, [id]]])) }));
  return new Map(
    rules.fields.map(({ id }) => {
      const types = ofTypes.filter(({ required }) => required.has(id)).map(type => type.id);
      const always = ofTypes.length === 0 ? ofNone.has(id) : types.length === ofTypes.length;
      const byFields = always ? [] : listAskingFields(rules, id, typeField);
      return [id, { always, types: always ? [] : types, byFields }];
    }),
  );
}

function requiredWith(rules: ProjectRules, values: FieldValues): ReadonlySet<string> {
  return new Set(chooseRequirement(rules, values).required.map(({ id }) => id));
}

/** Fields other than the type that decide whether a requirement applies which wants this one. */
function listAskingFields(
  { requirements, fields }: ProjectRules,
  id: string,
  typeField: FieldLabel | undefined,
): readonly FieldLabel[] {
  const asking = new Set(
    requirements
      .filter(({ required }) => required.some(field => field.id === id))
      .flatMap(({ qualifiers }) => qualifiers.map(({ fieldId }) => fieldId)),
  );
  return fields.filter(field => asking.has(field.id) && field.id !== typeField?.id && field.id !== id);
}
