// The approval of a timesheet: at once for a list that went through whole, else by a person's decision.
import { condition } from '@temporalio/workflow';
import type { TimesheetCase } from './timesheet-case';
import type { TimesheetResult } from './timesheet-contract';

/**
 * A sheet that nobody decides about stays pending; it can still be approved in the service or by another run.
 */
const ASK_FOR_MS = 14 * 86_400_000;

/**
 * `at-once` is meant for a whole list: with a row refused, hours that differ, or entries that no row stands
 * for, a person decides.
 */
export async function approveStage(
  one: TimesheetCase,
  status: TimesheetResult['status'],
): Promise<TimesheetResult['status']> {
  const { approve: wish } = one.input;
  if (wish === 'no' && one.decision === undefined) return status;
  if (status === 'approved') return status;
  const isWhole =
    one.leftOver.length === 0 &&
    [...one.outcomes.values()].every(outcome => outcome.kind !== 'refused' && outcome.note === undefined);
  if (one.decision === undefined && !(wish === 'at-once' && isWhole)) await askForDecision(one, isWhole);
  if (one.decision === 'leave-pending') return status;
  if (one.decision === undefined && !(wish === 'at-once' && isWhole)) {
    one.progress.note('Nobody decided about the approval in time; the sheet stays pending.');
    return status;
  }
  one.unasked = 'The sheet is being approved already.';
  one.progress.tell('Approving the sheet');
  const timesheetIds = one.timesheetId === null ? [] : [one.timesheetId];
  const { changed, refused } = await one.calls.service.approveTimesheets(
    () => ({ project: one.project, timesheetIds, status: 'approved' as const }),
    `Approve sheet ${timesheetIds.join(', ')}`,
  );
  for (const { reason } of refused) one.progress.note(`The sheet was not approved: ${reason.text}`);
  return changed[0]?.status ?? status;
}

async function askForDecision(one: TimesheetCase, isWhole: boolean): Promise<void> {
  one.askingUntilMs = Date.now() + ASK_FOR_MS;
  one.unasked = undefined;
  one.progress.tell(
    isWhole
      ? 'Waiting for the approval: answer with the update "decide"'
      : 'The sheet is not what the rows say. Waiting for a decision: answer with the update "decide"',
  );
  await condition(() => one.decision !== undefined, ASK_FOR_MS);
  one.askingUntilMs = undefined;
  one.unasked = 'Nobody decided in time, so the sheet stays pending.';
}
