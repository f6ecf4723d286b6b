// A small project's rules for the tests of the decisions; every id is readable, none is a name or a label.
import type {
  FieldLabel,
  FieldType,
  ProjectField,
  ProjectRules,
  Requirement,
} from '../../../../activities/ingest/decide/project-rules';

export function field(name: string, type: FieldType, more: Partial<ProjectField> = {}): ProjectField {
  const label = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
  return { id: `id-${name}`, name, label, type, isUserReference: false, ...more };
}

export const NAME = field('name', 'string');
export const TYPE = field('type', 'lov_entry');
export const STATUS = field('status', 'lov_entry');
export const REVISION = field('revision', 'string');
export const DISCIPLINE = field('discipline', 'lov_entry');
export const NUMBER = field('number', 'string');
export const TAGS = field('tags', 'lov_entries');
export const DESCRIPTION = field('description', 'string');
export const FIELDS = [NAME, TYPE, STATUS, REVISION, DISCIPLINE, NUMBER, TAGS, DESCRIPTION];

/** Fields that every project requires (specification, Upload requirement). */
const BASELINE: readonly FieldLabel[] = [NAME, TYPE, STATUS, REVISION];

export function requirement(
  id: string,
  qualifiers: Readonly<Record<string, readonly string[]>> = {},
  additional: readonly FieldLabel[] = [],
  more: Partial<Requirement> = {},
): Requirement {
  return {
    id,
    qualifiers: Object.entries(qualifiers).map(([fieldId, acceptableValueIds]) => ({
      fieldId,
      acceptableValueIds,
    })),
    required: [...BASELINE, ...additional],
    scrapedFieldIds: null,
    allowDuplicateRevisions: false,
    ...more,
  };
}

export function rulesOf(
  requirements: readonly Requirement[],
  fields: readonly ProjectField[] = FIELDS,
): ProjectRules {
  return { requirements, fields };
}

export function valuesOf(values: Readonly<Record<string, readonly string[]>>) {
  return new Map(Object.entries(values));
}
