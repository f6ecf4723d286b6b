// The fields of a project as the columns of a template: in which order, when they are
// required, what may stand in them. Pure.

/** A field as the template needs it: plain texts, no ids. */
export interface TemplateField {
  readonly label: string;
  readonly name: string;
  /**
   * As the service calls it: `lov_entry`, `lov_entries`, `reference`, `string`, `timestamp`, `numeric` ...
   */
  readonly type: string;
  /** Its values are people of the project; `values` is empty where they are not listed. */
  readonly isPeople: boolean;
  /** Whatever the type of the document is. */
  readonly required: boolean;
  /** Labels of the types of documents that need it; empty for none. */
  readonly requiredByType: readonly string[];
  /** Labels of other fields some of whose values make it required. */
  readonly requiredByFields: readonly string[];
  /**
   * What the share's configuration gives: where nobody says anything, or (`isForced`) whatever anybody says.
   */
  readonly given?: { readonly text: string; readonly isForced: boolean };
  readonly values: readonly TemplateValue[];
}

export interface TemplateValue {
  readonly label: string;
  /** Empty where it has none. */
  readonly code: string;
  /** What is not active may not be given any more, and is not offered. */
  readonly active: boolean;
}

/** The column that says which file a row is about. */
const FILE_HEADER = 'File';

export interface TemplateColumn {
  readonly header: string;
  /** Absent for the column of the files. */
  readonly field?: TemplateField;
  readonly need: 'always' | 'sometimes' | 'never';
  /** "required", "required for Drawing, Model", "optional", "optional: else A4". */
  readonly needWords: string;
  /** Active values without repetition, as they are offered. */
  readonly offered: readonly TemplateValue[];
}

/** How many types a heading names before it says only how many there are. */
const TYPES_NAMED = 4;

/**
 * The columns in the order in which people fill them: the file, the type that decides what else is required,
 * then what always is, what sometimes is, what never is; the project's order among equals.
 * @param onlyType label of the one type that the rows will have: what it needs is always required
 */
export function planColumns(fields: readonly TemplateField[], onlyType?: string): readonly TemplateColumn[] {
  const columns = fields.map(field => toColumn(field, onlyType));
  const type = columns.filter(isTypeColumn);
  const rest = columns.filter(column => !isTypeColumn(column));
  const file: TemplateColumn = {
    header: FILE_HEADER,
    need: 'always',
    needWords: 'required',
    offered: [],
  };
  const of = (need: TemplateColumn['need']) => rest.filter(column => column.need === need);
  return [file, ...type, ...of('always'), ...of('sometimes'), ...of('never')];
}

export function isTypeColumn({ field }: TemplateColumn): boolean {
  return field?.name === 'type';
}

/** What a person writes into the column, in one sentence. */
export function tellHowToFill({ field, offered }: TemplateColumn): string {
  if (field === undefined) {
    return 'The file of this row: its path below the folder. The ending may be left out where no other file has that name.';
  }
  const several = takesSeveral(field) ? ' Several are separated by a semicolon.' : '';
  if (field.isPeople) {
    const pick = offered.length > 0 ? 'Pick a person from the list, or give' : 'A person of the project:';
    return `${pick} the name or the e-mail address.${several}`;
  }
  if (offered.length > 0) return `Pick from the list, or give a code of the sheet Reference.${several}`;
  switch (field.type) {
    case 'lov_entry':
    case 'lov_entries':
      return 'The project has no active value for it now: ask its administrator.';
    case 'reference':
      return 'A location by its path.';
    case 'timestamp':
      return 'A date, year first: 2026-04-03.';
    case 'numeric':
      return 'A number.';
    default:
      return 'Text, as it is to be stored. Zeros in front are kept.';
  }
}

export function takesSeveral({ type, isPeople }: TemplateField): boolean {
  return type === 'lov_entries' || isPeople;
}

function toColumn(field: TemplateField, onlyType: string | undefined): TemplateColumn {
  const need = needOf(field, onlyType);
  const seen = new Set<string>();
  const offered = field.values.filter(({ label, active }) => {
    const isNew = active && label.trim() !== '' && !seen.has(label);
    if (isNew) seen.add(label);
    return isNew;
  });
  return { header: field.label, field, need, needWords: tellNeed(need, field, onlyType), offered };
}

/** What the share gives nobody need give. */
function needOf(field: TemplateField, onlyType: string | undefined): TemplateColumn['need'] {
  if (field.given !== undefined) return 'never';
  if (field.required || (onlyType !== undefined && field.requiredByType.includes(onlyType))) return 'always';
  const byType = onlyType === undefined && field.requiredByType.length > 0;
  return byType || field.requiredByFields.length > 0 ? 'sometimes' : 'never';
}

function tellNeed(
  need: TemplateColumn['need'],
  { requiredByType, requiredByFields, given }: TemplateField,
  onlyType: string | undefined,
): string {
  if (given?.isForced === true) return `set by the share: ${given.text}`;
  if (given !== undefined) return `optional: else ${given.text}`;
  if (need === 'always') return 'required';
  if (need === 'never') return 'optional';
  const types = onlyType === undefined ? requiredByType : [];
  const { length } = types;
  const ofTypes =
    length > TYPES_NAMED ? [`for ${length} types`] : length > 0 ? [`for ${types.join(', ')}`] : [];
  const ofFields = requiredByFields.length > 0 ? [`with some values of ${requiredByFields.join(', ')}`] : [];
  return `required ${[...ofTypes, ...ofFields].join(', and ')}`;
}
