// Memory of a whole worker process while it carries one file of 10 MiB, then one of 2 GiB: it must not grow
// with the file. `DRAWBRIDGE_BENCH_FILE_GIB=50` for a file of that size; it takes no room, for it is all
// holes.
import { renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rig } from '../setup/rig';
import { WorkerProcess } from '../setup/worker-process';
import { atMost, type Figure, forInformation, row } from './figures';
import { watchPeakBytes } from './resident-bytes';

const LARGE_GIB = Number(process.env.DRAWBRIDGE_BENCH_FILE_GIB ?? 2);
const SIZES = { small: 10 * 1_024 ** 2, large: LARGE_GIB * 1_024 ** 3 } as const;
/** Of the row of the table. */
const ASKED_GIB = 50;
const PATIENCE_PER_GIB_MS = 60_000;

export async function benchMemory(): Promise<Figure[]> {
  const small = await peakFor(SIZES.small);
  const large = await peakFor(SIZES.large);
  return [
    row('workerMemory', large / 1_024 ** 2),
    forInformation('peak memory of the worker, one file of 10 MiB', small / 1_024 ** 2, 'MiB', 0),
    ...(LARGE_GIB >= ASKED_GIB
      ? [row('memoryGrowth', large / small)]
      : [
          atMost(`the same, one of ${LARGE_GIB} GiB over one of 10 MiB`, large / small, 1.25),
          row('memoryGrowth', `a file of ${LARGE_GIB} GiB has been sent; DRAWBRIDGE_BENCH_FILE_GIB=50`),
        ]),
  ];
}

async function peakFor(sizeBytes: number): Promise<number> {
  const rig = await Rig.start({ share: { maxFileBytes: `${LARGE_GIB + 1}GiB` } });
  const worker = new WorkerProcess(rig);
  const carry = async () => {
    await rig.startWatcher();
    rig.dropFiles({ 'seed.bin': 'first the process warms up' });
    await rig.untilSettled(1);
    const path = join(rig.folder, 'share', 'drop', 'large.bin.part');
    writeFileSync(path, 'x');
    truncateSync(path, sizeBytes);
    renameSync(path, path.slice(0, -'.part'.length));
    await rig.untilSettled(2, LARGE_GIB * PATIENCE_PER_GIB_MS);
  };
  try {
    return (await watchPeakBytes(() => worker.pid, carry)).peakBytes;
  } finally {
    await worker.stop();
    await rig.close();
  }
}
