// `resume` for a run that goes on by a reset. What the run before was told last is told to it in the same
// moment as the signal: a signal that counted at once would come before whoever is to be woken by it waits.
import { patched, sleep } from '@temporalio/workflow';
import type { ResumeRequest } from '../contract';

/** Has the signal counted: in the next moment after a reset, else at once. */
export function countResume(request: ResumeRequest | undefined, count: () => void): Promise<void> | void {
  if (request?.afterReset !== true || !patched('resume-after-reset')) return count();
  return sleep(1).then(count);
}
