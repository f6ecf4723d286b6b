// The project's rules in the form the decisions need: requirements and fields. Plain data, no wire names.

/** A field that may be written through the service (Step 2: active, visible, not readonly). */
export interface ProjectField {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  /** Values of this field are project users (Step 3 answers an empty list for them). */
  readonly isUserReference: boolean;
}

/** Step 2, `type`; what we do not know is `other` and is only ever written as text. */
export type FieldType =
  | 'lov_entry'
  | 'lov_entries'
  | 'reference'
  | 'string'
  | 'rich_text'
  | 'numeric'
  | 'timestamp'
  | 'other';

export interface FieldLabel {
  readonly id: string;
  readonly name: string;
  readonly label: string;
}

/** An upload requirement (Step 1). */
export interface Requirement {
  readonly id: string;
  /** Empty: the default requirement. */
  readonly qualifiers: readonly Qualifier[];
  /** fields_required_by_project plus additional_required_fields. */
  readonly required: readonly FieldLabel[];
  /** Fields the naming standard reads from the file name; null without a naming standard. */
  readonly scrapedFieldIds: readonly string[] | null;
  readonly allowDuplicateRevisions: boolean;
}

export interface Qualifier {
  readonly fieldId: string;
  readonly acceptableValueIds: readonly string[];
  /** The same as people know them. */
  readonly acceptableLabels?: readonly string[];
}

export interface ProjectRules {
  readonly requirements: readonly Requirement[];
  readonly fields: readonly ProjectField[];
}

/** Field id to the value ids or texts it has. */
export type FieldValues = ReadonlyMap<string, readonly string[]>;

/** Field names the analysis of a PDF may fill. */
export const ANALYSIS_FIELD_NAMES: ReadonlySet<string> = new Set([
  'type',
  'description',
  'number',
  'revision',
  'date_authored',
]);

/**
 * Workflow user fields: settable, but to be left to the service's workflow engine
 * (specification, Project field).
 */
export const WORKFLOW_FIELD_NAMES: ReadonlySet<string> = new Set([
  'workflow_assignees',
  'workflow_current_step_assignees',
  'workflow_manager',
  'workflow_pending_assignees',
]);
