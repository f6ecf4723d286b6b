/** The fields of the default projects with their values, inactive ones included. */
import type { FieldType, FieldValue, ProjectField } from '../entities';
import { contentId } from '../identifiers';

interface FieldPlan {
  name: string;
  label: string;
  type: FieldType;
  variant: string;
  active?: false;
  visible?: false;
  readonly?: true;
  custom?: true;
  /** [code, label] or, when inactive, [code, label, false]. */
  values?: readonly (readonly [string, string, boolean?])[];
  /** Locations have numeric ids. */
  firstValueId?: number;
}

/** Names of the fields that belong to the workflow engine (specification, Project field). */
export const WORKFLOW_FIELDS: ReadonlySet<string> = new Set([
  'workflow_assignees',
  'workflow_current_step_assignees',
  'workflow_manager',
  'workflow_pending_assignees',
]);

/** Variants whose values are project users; Step 3 answers an empty list for them. */
export const USER_VARIANTS: ReadonlySet<string> = new Set([
  'procore_user',
  'procore_tool_user',
  'procore_users',
]);

const PLANS: readonly FieldPlan[] = [
  { name: 'name', label: 'Name', type: 'string', variant: 'text' },
  {
    name: 'type',
    label: 'Type',
    type: 'lov_entry',
    variant: 'single_select',
    values: [
      ['DWG', 'Drawing'],
      ['DOC', 'Document'],
      ['SPC', 'Specification'],
      ['RPT', 'Report'],
      ['PHO', 'Photo'],
      ['MOD', 'Model', false],
    ],
  },
  {
    name: 'status',
    label: 'Status',
    type: 'lov_entry',
    variant: 'single_select',
    values: [
      ['S0', 'Work in Progress'],
      ['S1', 'Shared'],
      ['A1', 'Published'],
      ['SUP', 'Superseded'],
      ['ARC', 'Archived', false],
    ],
  },
  { name: 'revision', label: 'Revision', type: 'string', variant: 'text' },
  { name: 'description', label: 'Description', type: 'string', variant: 'text' },
  { name: 'number', label: 'Number', type: 'string', variant: 'text' },
  { name: 'date_authored', label: 'Date Authored', type: 'timestamp', variant: 'date' },
  {
    name: 'location',
    label: 'Location',
    type: 'reference',
    variant: 'procore_location',
    firstValueId: 120_667,
    values: [
      ['A-1', 'Building A > Level 1'],
      ['A-2', 'Building A > Level 2'],
      ['B-1', 'Building B > Level 1'],
      ['C-1', 'Building C > Level 1', false],
    ],
  },
  {
    name: 'originator',
    label: 'Originator',
    type: 'lov_entry',
    variant: 'single_select',
    values: [
      ['ALD', 'Alder Engineering'],
      ['BIR', 'Birch Architects'],
      ['CED', 'Cedar & Sons'],
      ['ELM', 'Elm Surveyors', false],
    ],
  },
  {
    name: 'discipline',
    label: 'Discipline',
    type: 'lov_entry',
    variant: 'single_select',
    values: [
      ['AR', 'Architectural'],
      ['ST', 'Structural'],
      ['ME', 'Mechanical'],
      ['EL', 'Electrical'],
      ['PL', 'Plumbing', false],
    ],
  },
  { name: 'authored_by', label: 'Authored By', type: 'reference', variant: 'procore_users' },
  {
    name: 'uploaded_by',
    label: 'Uploaded By',
    type: 'reference',
    variant: 'procore_user',
    readonly: true,
  },
  { name: 'workflow_manager', label: 'Workflow Manager', type: 'reference', variant: 'procore_tool_user' },
  { name: 'legacy_code', label: 'Legacy Code', type: 'string', variant: 'text', active: false },
  { name: 'internal_note', label: 'Internal Note', type: 'string', variant: 'text', visible: false },
  { name: 'remarks', label: 'Remarks', type: 'rich_text', variant: 'rich_text' },
  { name: 'sheet_count', label: 'Sheet Count', type: 'numeric', variant: 'number', custom: true },
  { name: 'received_on', label: 'Received On', type: 'timestamp', variant: 'date', custom: true },
  {
    name: 'packages',
    label: 'Packages',
    type: 'lov_entries',
    variant: 'multi_select',
    custom: true,
    values: [
      ['PK1', 'Foundations'],
      ['PK2', 'Steelwork'],
      ['PK3', 'Façade'],
      ['PK9', 'Withdrawn', false],
    ],
  },
  {
    name: 'supplier',
    label: 'Supplier',
    type: 'lov_entry',
    variant: 'single_select',
    custom: true,
    values: suppliers(),
  },
];

/** A fresh set of fields; ids depend on the project's key. */
export function projectFields(projectKey: string): ProjectField[] {
  return PLANS.map(plan => ({
    id: contentId(`${projectKey}/field/${plan.name}`),
    name: plan.name,
    label: plan.label,
    type: plan.type,
    variant: plan.variant,
    description: `${plan.label} of the document`,
    active: plan.active ?? true,
    visible: plan.visible ?? true,
    readonly: plan.readonly ?? false,
    ...(plan.custom ? { customDefinitionId: contentId(`${projectKey}/definition/${plan.name}`) } : {}),
    values: valuesOf(plan, projectKey),
  }));
}

/** The id of a default value, by its code. */
export function valueId(projectKey: string, fieldName: string, code: string): string {
  return contentId(`${projectKey}/value/${fieldName}/${code}`);
}

function valuesOf(plan: FieldPlan, projectKey: string): FieldValue[] {
  return (plan.values ?? []).map(([code, label, active], index) => ({
    id:
      plan.firstValueId === undefined
        ? valueId(projectKey, plan.name, code)
        : String(plan.firstValueId + index),
    code,
    label,
    active: active ?? true,
  }));
}

/** 250 entries: too many for one page; two of them share a label. */
function suppliers(): [string, string, boolean?][] {
  return Array.from({ length: 250 }, (_, index): [string, string, boolean?] => {
    const number = String(index + 1).padStart(3, '0');
    if (index === 249) return ['SUP-100-BIS', 'Supplier 100'];
    return [`SUP-${number}`, `Supplier ${number}`, index % 25 !== 24];
  });
}
