// Memory of a whole worker process while it carries one file of 10 MiB, then one of 2 GiB:
// it must not grow with the file.
import { renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rig } from '../setup/rig';
import { WorkerProcess } from '../setup/worker-process';
import { atMost, type Figure, forInformation, row } from './figures';
import { watchPeakBytes } from './resident-bytes';

const SIZES = { small: 10 * 1_024 ** 2, large: 2 * 1_024 ** 3 } as const;

export async function benchMemory(): Promise<Figure[]> {
  const small = await peakFor(SIZES.small);
  const large = await peakFor(SIZES.large);
  return [
    row('workerMemory', large / 1_024 ** 2),
    forInformation('peak memory of the worker, one file of 10 MiB', small / 1_024 ** 2, 'MiB', 0),
    atMost('the same, one of 2 GiB over one of 10 MiB', large / small, 1.25),
    row('memoryGrowth', 'files of 10 MiB and of 2 GiB alone have been sent'),
  ];
}

async function peakFor(sizeBytes: number): Promise<number> {
  const rig = await Rig.start({ share: { maxFileBytes: '10GiB' } });
  const worker = new WorkerProcess(rig);
  const carry = async () => {
    await rig.startWatcher();
    rig.dropFiles({ 'seed.bin': 'first the process warms up' });
    await rig.untilSettled(1);
    const path = join(rig.folder, 'share', 'drop', 'large.bin.part');
    writeFileSync(path, 'x');
    truncateSync(path, sizeBytes);
    renameSync(path, path.slice(0, -'.part'.length));
    await rig.untilSettled(2);
  };
  try {
    return (await watchPeakBytes(() => worker.pid, carry)).peakBytes;
  } finally {
    await worker.stop();
    await rig.close();
  }
}
