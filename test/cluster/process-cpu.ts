// CPU seconds of a server with all of its processes, by Linux's own count; the bench is for Linux.
import { readFileSync } from 'node:fs';
import { descendantsOf, statFields } from '../setup/process-tree';

/** What Linux tells programs is in hundredths of a second, whatever it counts by itself. */
const TICKS_PER_SECOND = 100;
/**
 * Where own time stands among the fields behind the name: in user and system, then that of ended children.
 */
const FIRST_TIME = 11;
const TIMES = 4;

/**
 * Of the process, of all that it has started and they have, and of those among them that have ended: their
 * time goes to whoever has waited for them. One that ends while this is read may be missed, until the next
 * reading.
 */
export function cpuSecondsOf(pid: number): number {
  return [pid, ...descendantsOf(pid)].reduce((sum, each) => sum + readTicks(each) / TICKS_PER_SECOND, 0);
}

function readTicks(pid: number): number {
  try {
    return ticksOf(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It has ended since it was listed.
    return 0;
  }
}

/** @param stat the whole line of `/proc/<pid>/stat`. */
export function ticksOf(stat: string): number {
  const times = statFields(stat).slice(FIRST_TIME, FIRST_TIME + TIMES);
  return times.reduce((sum, each) => sum + Number(each), 0);
}
