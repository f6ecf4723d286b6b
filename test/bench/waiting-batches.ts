// Hundreds of batches of one file each, which wait for an analysis that never ends.
import { setTimeout as delay } from 'node:timers/promises';
import type { Rig, RigOptions } from '../setup/rig';

const WAITING_BATCHES = 500;
/** What the stand-in takes for an analysis that nobody lives to see, by its own clock. */
export const NEVER_MS = 30 * 86_400_000;
/** On a machine that is busy with other things as well; a batch takes a third of a second of CPU. */
const PATIENCE_MS = 10 * 60_000;

/** A share has 500 open batches at most, and a job leaves the last place of it to another job. */
export const SHARE_BESIDE = 'beside';

export const WAITING_SHARE = {
  // The product's own: a look at 500 open batches twice a second takes most of a core.
  scanEvery: 10_000,
  batch: { quiet: 500, maxFiles: 1, maxOpen: WAITING_BATCHES },
} as const satisfies NonNullable<RigOptions['share']>;

/**
 * Drops them and answers how many wait when all of them do, or the patience for that has ended: every file is
 * with the service, and all there is to do is to look at it.
 */
export async function bringToWait(rig: Rig): Promise<number> {
  await rig.startWatcher();
  await rig.startWatcher(1);
  const others = Array.from({ length: WAITING_BATCHES - 1 }, (_, at) => [`slow-${at}.pdf`, `%PDF-1.7 ${at}`]);
  rig.dropFiles(Object.fromEntries(others));
  rig.dropFiles({ 'slow.pdf': '%PDF-1.7 slow' }, SHARE_BESIDE);
  let reported = 0;
  const deadline = performance.now() + PATIENCE_MS;
  while (reported < WAITING_BATCHES && performance.now() < deadline) {
    await delay(3_000);
    reported = (await rig.control.operations()).filter(({ what }) => what === 'upload-completed').length;
  }
  return reported;
}

/** Instead of a figure, where fewer wait than it is about. */
export function tooFew(waiting: number): string | undefined {
  if (waiting >= WAITING_BATCHES) return undefined;
  return `only ${waiting} of ${WAITING_BATCHES} batches came to wait in ${PATIENCE_MS / 60_000} minutes`;
}
