// The processes under test give way to what judges them: the Temporal server and the stand-ins. A server that
// wakes for each statement of its database gets a tenth of a core beside processes that compute, and its
// statements then run out of time: no run goes on until the others have ended, and every case looks as if
// it hung.
import { constants, setPriority } from 'node:os';

/** Right after its start: the threads that it starts later take it over. */
export function giveWay(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}
