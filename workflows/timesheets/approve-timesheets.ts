// Several timesheets approved at once, or made pending again.
import { log } from '@temporalio/workflow';
import type { TimesheetActivities } from '../../activities';
import { ServiceCalls } from '../run/activity-calls';
import { parseInput } from '../run/parse-input';
import { withRefusalsExplained } from '../run/refused-request';
import { RunProgress } from '../run/run-progress';
import {
  type ApprovedTimesheets,
  type ApproveTimesheetsWorkflowInput,
  approveTimesheetsInput,
} from './timesheet-contract';

const EXAMPLE = { companyId: '5001', projectId: '7001', timesheetIds: ['500001', '500002'] };

/**
 * Ends with every sheet in one of two lists; setting a status again changes nothing, so this may be repeated.
 */
export async function approveTimesheetsWorkflow(
  rawInput: ApproveTimesheetsWorkflowInput,
): Promise<ApprovedTimesheets> {
  const { companyId, projectId, timesheetIds, status } = parseInput(
    approveTimesheetsInput,
    rawInput,
    EXAMPLE,
  );
  const unique = [...new Set(timesheetIds)];
  const progress = new RunProgress(`Timesheets of project ${projectId}: ${status}`);
  const calls = new ServiceCalls<TimesheetActivities>();
  calls.whenBlocked(progress);
  progress.tell(`Setting ${unique.length} sheets to ${status}`);
  const { changed, refused } = await withRefusalsExplained(() =>
    calls.service.approveTimesheets(
      () => ({ project: { companyId, projectId }, timesheetIds: unique, status }),
      `Set ${unique.length} sheets to ${status}`,
    ),
  );
  for (const { timesheetId, reason } of refused) progress.note(`Sheet ${timesheetId}: ${reason.text}`);
  progress.tell(`Ended: ${changed.length} of ${unique.length} are ${status}`);
  log.info(`${changed.length} timesheets ${status}`, {
    event: 'timesheets-approved',
    status,
    refused: refused.length,
  });
  return { status, changed: changed.map(({ id, name }) => ({ timesheetId: id, name })), refused };
}
