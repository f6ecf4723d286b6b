// `resume` for a run that goes on after a reset. It gets the signal in the same moment as the last results of
// the run before: a signal that counted at once would come before the code that it is to wake has begun to
// wait.
import { patched, sleep } from '@temporalio/workflow';
import type { ResumeRequest } from '../contract';

/** Has the signal counted: in the next moment after a reset, else at once. */
export function countResume(request: ResumeRequest | undefined, count: () => void): Promise<void> | void {
  if (request?.afterReset !== true || !patched('resume-after-reset')) return count();
  return sleep(1).then(count);
}
