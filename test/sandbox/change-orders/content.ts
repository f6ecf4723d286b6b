/** Contracts, tiers, change reasons and statuses that are there from the start. */
import { DEFAULT_PROJECTS } from '../defaults';

/** Tiers are a project's setting (specification, General rules 6). */
const TIERS: Readonly<Record<string, 1 | 2 | 3>> = {
  [DEFAULT_PROJECTS.plain]: 1,
  [DEFAULT_PROJECTS.namingStandard]: 2,
  [DEFAULT_PROJECTS.unconfigured]: 3,
};

export function tiersOf(projectId: string): 1 | 2 | 3 {
  return TIERS[projectId] ?? 1;
}

/** What a line item may name by its id, besides the cost codes that timesheets have as well. */
export const LINE_ITEM_IDS = {
  line_item_type_id: [861, 862],
  tax_code_id: [871],
  wbs_code_id: [881, 882],
} as const;

export interface Contract {
  id: string;
  projectId: string;
  /** One tier: whether a new package brings its potential change order along, or both have to be made. */
  bringsPotential: boolean;
}

export const CONTRACTS: readonly Contract[] = [
  { id: '6001', projectId: DEFAULT_PROJECTS.plain, bringsPotential: true },
  { id: '6002', projectId: DEFAULT_PROJECTS.plain, bringsPotential: false },
  { id: '6003', projectId: DEFAULT_PROJECTS.namingStandard, bringsPotential: false },
  { id: '6004', projectId: DEFAULT_PROJECTS.unconfigured, bringsPotential: false },
];

export const CHANGE_REASONS = [
  { id: 801, change_reason: 'Client request', show_in_select: true },
  { id: 802, change_reason: 'Design development', show_in_select: true },
  { id: 803, change_reason: 'Back charge', show_in_select: false },
];

/** The company's own names for the statuses of the wire. */
export const STATUSES = [
  { id: 851, name: 'Draft', mapped_to_status: 'draft', show_in_select: true },
  { id: 852, name: 'Pending - In Review', mapped_to_status: 'pending', show_in_select: true },
  { id: 853, name: 'Pending - Revised', mapped_to_status: 'revised', show_in_select: true },
  { id: 854, name: 'Approved', mapped_to_status: 'approved', show_in_select: true },
  { id: 855, name: 'Superseded', mapped_to_status: 'void', show_in_select: false },
];
