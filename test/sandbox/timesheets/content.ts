/** Which timing mode each project's timesheets have, its cost codes, the time types, and the parties. */
import { DEFAULT_PROJECTS } from '../defaults';

export type TimingMode = 'start-stop' | 'total-hours';

/** The project-level setting (specification, General rules 6). */
export function timingOf(projectId: string): TimingMode {
  return projectId === DEFAULT_PROJECTS.namingStandard ? 'total-hours' : 'start-stop';
}

export interface CostCode {
  id: number;
  code: string;
  fullCode: string;
  name: string;
  parentId: number | null;
  subJobId: number | null;
}

const DIVISIONS = [
  ['01', 'General Requirements'],
  ['03', 'Concrete'],
  ['05', 'Metals'],
  ['09', 'Finishes'],
  ['31', 'Earthwork'],
] as const;
const WORKS = ['Formwork', 'Placing', 'Repairs', 'Clean-up'] as const;

/** 5 divisions of 30 codes each, from id 41001; the last division belongs to the sub job 88. */
export const COST_CODES: readonly CostCode[] = DIVISIONS.flatMap(([division, title], at) =>
  Array.from({ length: 30 }, (_, index): CostCode => {
    const code = String(index * 10).padStart(3, '0');
    return {
      id: 41_001 + at * 30 + index,
      code,
      fullCode: `${division}-${code}`,
      name: index === 0 ? title : `${title} ${WORKS[index % WORKS.length] ?? ''} ${index}`,
      parentId: index === 0 ? null : 41_001 + at * 30,
      subJobId: division === '31' ? 88 : null,
    };
  }),
);

export const TIME_TYPES: Readonly<Record<number, { type: string; short: string }>> = {
  61: { type: 'Regular Time', short: 'RT' },
  62: { type: 'Overtime', short: 'OT' },
};

/** Who works and has no login of their own, by id. */
export const PARTIES: readonly number[] = Array.from({ length: 80 }, (_, index) => 71 + index);

/** First ids of the kinds. */
export const FIRST_IDS = {
  timesheet: 500_001,
  timecard: 600_001,
  timecardChange: 700_001,
  signature: 800_001,
} as const;
