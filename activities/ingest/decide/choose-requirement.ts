// Which upload requirement applies to a document (specification, "Rules for
// picking the applicable requirement").
import type { FieldLabel, FieldValues, ProjectRules, Qualifier, Requirement } from './project-rules';

export interface ApplicableRequirement {
  /**
   * Every field the document must be given a value for, each once. Required fields that nobody may set
   * (readonly, inactive, invisible) are not among them: only the service can fill those, or say at
   * submission that it wants them.
   */
  readonly required: readonly FieldLabel[];
  /** The requirements that apply: one, unless several tie on their number of qualifiers. */
  readonly chosen: readonly Requirement[];
}

/**
 * A requirement applies when the values match all of its qualifiers; the one with the most
 * qualifiers wins; without a match the default (no qualifiers) applies. A tie is not ours to break:
 * the union of the tied ones is required.
 */
export function chooseRequirement(rules: ProjectRules, values: FieldValues): ApplicableRequirement {
  const matching = rules.requirements.filter(requirement => isMatch(requirement, values));
  const most = Math.max(0, ...matching.map(requirement => requirement.qualifiers.length));
  const chosen = matching.filter(requirement => requirement.qualifiers.length === most);
  const settable = new Set(rules.fields.map(field => field.id));
  const required = new Map<string, FieldLabel>();
  for (const requirement of chosen) {
    for (const field of requirement.required) if (settable.has(field.id)) required.set(field.id, field);
  }
  return { required: [...required.values()], chosen };
}

/**
 * Requirements that would go before the chosen ones if the fields in `open`, which are
 * empty now, got the right values.
 */
export function listOvertaking(
  rules: ProjectRules,
  values: FieldValues,
  open: ReadonlySet<string>,
): readonly Requirement[] {
  const most = chooseRequirement(rules, values).chosen[0]?.qualifiers.length ?? -1;
  return rules.requirements.filter(
    ({ qualifiers }) =>
      qualifiers.length > most &&
      qualifiers.every(
        qualifier =>
          isMet(qualifier, values) || (open.has(qualifier.fieldId) && !hasValue(values, qualifier.fieldId)),
      ),
  );
}

/** Required fields that have no value yet. */
export function listMissing(applicable: ApplicableRequirement, values: FieldValues): readonly FieldLabel[] {
  return applicable.required.filter(field => !hasValue(values, field.id));
}

export function hasValue(values: FieldValues, fieldId: string): boolean {
  return (values.get(fieldId) ?? []).some(value => value.trim() !== '');
}

function isMatch(requirement: Requirement, values: FieldValues): boolean {
  return requirement.qualifiers.every(qualifier => isMet(qualifier, values));
}

function isMet(qualifier: Qualifier, values: FieldValues): boolean {
  return (values.get(qualifier.fieldId) ?? []).some(value => qualifier.acceptableValueIds.includes(value));
}
