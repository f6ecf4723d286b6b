// What one run of a timesheet knows, and what it tells while it runs.
import { setHandler } from '@temporalio/workflow';
import type { TimesheetActivities } from '../../activities';
import type { ProjectRef } from '../contract';
import type { ServiceCalls } from '../run/activity-calls';
import { explainFaults, parseInput } from '../run/parse-input';
import type { RunProgress } from '../run/run-progress';
import {
  decideUpdate,
  decisionInput,
  type ParsedTimesheetInput,
  type TimecardOutcome,
  type TimesheetDecision,
  timesheetProgressQuery,
} from './timesheet-contract';

const DECISION_EXAMPLE = { decision: 'approve' };
const MOST_NOTES = 20;

export interface TimesheetCase {
  readonly input: ParsedTimesheetInput;
  readonly project: ProjectRef;
  readonly prefix: string;
  readonly calls: ServiceCalls<TimesheetActivities>;
  readonly progress: RunProgress;
  readonly outcomes: Map<number, TimecardOutcome>;
  timesheetId: string | null;
  leftOver: readonly string[];
  signatureId: string | null;
  decision: TimesheetDecision['decision'] | undefined;
  /** Why a word about the approval cannot count now. Absent while one is asked for. */
  unasked: string | undefined;
  askingUntilMs: number | undefined;
}

/** For whoever says a word before the rows are entered and compared with what is stored. */
export function explainUnasked(wish: ParsedTimesheetInput['approve']): string {
  return wish === 'no'
    ? 'This run was started with "approve": "no", so it approves nothing and asks nobody. Approve the sheet with approveTimesheetsWorkflow, or in the service.'
    : 'The rows are not entered and compared yet, so there is nothing to decide about. Wait until it asks: then "progress" has "askingUntilMs".';
}

/** From now on the query `progress` and the update `decide` are answered. */
export function handleMessages(one: TimesheetCase): void {
  setHandler(
    timesheetProgressQuery,
    () => ({
      ...one.progress.report,
      date: one.input.date,
      timesheetId: one.timesheetId,
      rows: one.input.rows.length,
      entered: countRows(one, outcome => outcome.kind !== 'refused'),
      refused: listRefused(one),
      ...(one.askingUntilMs === undefined ? {} : { askingUntilMs: one.askingUntilMs }),
    }),
    { description: 'How far it is, what was wrong with which row, and whether it waits for a decision.' },
  );
  setHandler(
    decideUpdate,
    raw => {
      const { decision } = parseInput(decisionInput, raw, DECISION_EXAMPLE);
      one.decision = decision;
      return { decision };
    },
    {
      description: 'The word on the sheet: {"decision": "approve"} or {"decision": "leave-pending"}.',
      validator: raw => {
        const parsed = decisionInput.safeParse(raw);
        if (!parsed.success) throw new Error(explainFaults(parsed.error, DECISION_EXAMPLE));
        if (one.decision !== undefined) throw new Error(`It was decided already: ${one.decision}.`);
        // A run of before took a word at any time: what it took stands in its history, and is used.
        if (one.unasked !== undefined) throw new Error(one.unasked);
      },
    },
  );
}

/** Keeps how a row ended; what is wrong with it shows in the live details. */
export function endRow(one: TimesheetCase, outcome: TimecardOutcome): void {
  one.outcomes.set(outcome.row - 1, outcome);
  const words =
    outcome.kind === 'refused'
      ? outcome.reasons.map(({ text, fix }) => `${text} ${fix}`).join(' ')
      : outcome.note;
  if (words !== undefined && one.progress.notes.length < MOST_NOTES)
    one.progress.note(`Row ${outcome.row}: ${words}`);
}

/** The sheet, as activities ask for it. */
export function sheetOf(one: TimesheetCase) {
  const { timesheetId, project, prefix, input } = one;
  if (timesheetId === null) throw new RangeError('There is no sheet yet');
  return { project, date: input.date, prefix, timesheetId };
}

/** Of the rows that have ended so far. */
export function countRows(one: TimesheetCase, fits: (outcome: TimecardOutcome) => boolean): number {
  return [...one.outcomes.values()].filter(fits).length;
}

function listRefused(one: TimesheetCase) {
  return [...one.outcomes.values()].flatMap(outcome =>
    outcome.kind === 'refused' ? [{ row: outcome.row, reasons: outcome.reasons }] : [],
  );
}
