/**
 * Observation types of the company: the specification's default categories, one own type,
 * one that is not used any more.
 */

export interface TypeContent {
  id: number;
  category: string;
  name: string;
  active: boolean;
}

const NAMES: readonly (readonly [category: string, names: readonly string[]])[] = [
  ['Commissioning', ['Commissioning']],
  ['Quality', ['Corrective Action', 'Deficiency', 'Non-Conformant', 'Pre-Punch']],
  ['Safety', ['Near-Miss', 'Safety Hazard', 'Safety Notice', 'Safety Violation']],
  ['Warranty', ['Warranty']],
  ['Work to Complete', ['Unfinished Work']],
];

export const OBSERVATION_TYPES: readonly TypeContent[] = [
  ...NAMES.flatMap(([category, names]) => names.map(name => ({ category, name, active: true }))),
  { category: 'Quality', name: 'Snag', active: false },
].map((type, index) => ({ id: 2101 + index, ...type }));

/** Fields that a category's field set requires; enforced only when asked. */
export const REQUIRED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Safety: ['description', 'assignee_id'],
};

/** The company's trades. */
export const TRADES = [
  { id: 2401, name: 'Concrete' },
  { id: 2402, name: 'Electrical' },
  { id: 2403, name: 'Plumbing' },
] as const;

/** User ids that are told of every observation. */
export const DEFAULT_DISTRIBUTION: readonly number[] = [9001, 9002];
/** Observations can be assigned to the first users of a project only. */
export const LAST_ASSIGNEE = 9020;
