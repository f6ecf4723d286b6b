// Which upload requirement applies and why, in words: a test run says so beforehand, and a batch notes by
// which one it submits. Pure.
import type { AppliedRequirement } from '../../../workflows/ingest/ingest-contract';
import { type ApplicableRequirement, chooseRequirement } from './choose-requirement';
import type { FieldLabel, FieldValues, ProjectRules, Qualifier, Requirement } from './project-rules';

const MOST_VALUES = 5;
/** Bounds of what is kept, for it travels once for each batch and requirement. */
const MOST_CHARS = 500;
const MOST_ASKED = 50;

/** The requirement that applies by all values of the upload, whoever gave them. */
export function tellRequirement(rules: ProjectRules, values: FieldValues): AppliedRequirement {
  const applicable = chooseRequirement(rules, values);
  return {
    when: tellApplicable(rules, applicable).slice(0, MOST_CHARS),
    asks: applicable.required.slice(0, MOST_ASKED).map(({ label }) => label.slice(0, MOST_CHARS)),
  };
}

/** All of them, where several tie. */
export function tellApplicable(rules: ProjectRules, { chosen }: ApplicableRequirement): string {
  if (chosen.length === 0) return 'no requirement of the project applies';
  return chosen.map(requirement => tellWhen(rules, requirement)).join('; ');
}

export function tellWhen({ fields }: ProjectRules, { qualifiers }: Requirement): string {
  if (qualifiers.length === 0) return 'the default of the project';
  return qualifiers.map(qualifier => tellQualifier(fields, qualifier)).join(' and ');
}

function tellQualifier(
  fields: readonly FieldLabel[],
  { fieldId, acceptableValueIds, acceptableLabels = acceptableValueIds }: Qualifier,
): string {
  const label = fields.find(({ id }) => id === fieldId)?.label ?? 'a field that nobody may set';
  const shown = acceptableLabels.slice(0, MOST_VALUES).map(each => `"${each}"`);
  const more = acceptableLabels.length - shown.length;
  return `${label} is ${shown.join(' or ')}${more > 0 ? ` or one of ${more} more` : ''}`;
}
