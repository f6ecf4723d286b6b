// A test run from the Temporal UI, or for a folder that somebody has put into `test/` of a share.
import type { TestRunActivities } from '../../activities';
import { asideTaskQueue } from '../contract';
import { ServiceCalls } from '../run/activity-calls';
import { parseInput } from '../run/parse-input';
import { RunProgress } from '../run/run-progress';
import { type CheckFilesInput, type CheckFilesResult, checkFilesInput } from './check-files-contract';

const EXAMPLE = { share: 'tender', folder: 'Package A' };

export async function checkFilesWorkflow(rawInput: CheckFilesInput): Promise<CheckFilesResult> {
  const input = parseInput(checkFilesInput, rawInput, EXAMPLE);
  const progress = new RunProgress(`Test run of ${input.folder}`, input.share);
  // The files are hashed, and that takes long for some folders; but people wait for it.
  const calls = new ServiceCalls<TestRunActivities>(asideTaskQueue(input.share));
  calls.whenBlocked(progress);
  progress.tell('Looks what would become of the files');
  return await calls.service.checkFiles(() => input, 'Look what would become of the files');
}
