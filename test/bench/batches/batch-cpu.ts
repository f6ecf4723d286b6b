// CPU of a worker and of a watcher, each a process of its own, for batches of one, ten and a hundred small
// files: what a batch takes, and what each of its files.
import { setTimeout as delay } from 'node:timers/promises';
import { cpuSecondsOf } from '../../cluster/process-cpu';
import { Rig } from '../../setup/rig';
import { WorkerProcess } from '../../setup/worker-process';
import { type Figure, forInformation } from '../figures';
import { analysisTimes } from './run-jobs';

/** As for other counts: the stand-in runs so much faster, and the share's waits are scaled alike. */
const FAST = 20;
/** Files of a batch, and how many batches. A batch of a hundred goes first: what it loads is loaded once. */
const ROUNDS: readonly (readonly [number, number])[] = [
  [100, 1],
  [100, 10],
  [10, 30],
  [1, 30],
];
const PATIENCE_MS = 10 * 60_000;
const STARTED_MS = 6_000;

export async function benchBatchCpu(): Promise<Figure[]> {
  const rig = await Rig.start({
    sandbox: { timeScale: FAST, bulkRead: true, limits: null },
    share: {
      settle: 100,
      // The product's own: the tests look at the drop folder twice a second.
      scanEvery: 10_000,
      batch: { quiet: 500, maxFiles: 100, maxOpen: 40 },
      documentName: 'stem',
      analysis: analysisTimes(FAST),
    },
  });
  const processes = [
    { name: 'worker', process: new WorkerProcess(rig) },
    { name: 'watcher', process: new WorkerProcess(rig, { command: 'watch' }) },
  ];
  try {
    await delay(STARTED_MS);
    const figures: Figure[] = [];
    let [folders, files] = [0, 0];
    for (const [size, batches] of ROUNDS) {
      const before = processes.map(({ process }) => cpuSecondsOf(process.pid));
      for (let count = 0; count < batches; count += 1) dropFolder(rig, `folder ${folders + count}`, size);
      folders += batches;
      files += size * batches;
      await rig.untilSettled(files, PATIENCE_MS);
      if (batches === 1) continue;
      for (const [at, { name, process }] of processes.entries()) {
        const seconds = cpuSecondsOf(process.pid) - (before[at] ?? 0);
        figures.push(
          forInformation(`CPU of the ${name}, a batch of ${size}`, (1_000 * seconds) / batches, 'ms', 0),
        );
      }
    }
    return figures;
  } finally {
    await Promise.all(processes.map(({ process }) => process.stop()));
    await rig.close();
  }
}

function dropFolder(rig: Rig, folder: string, size: number): void {
  const names = Array.from({ length: size }, (_, at) => `${folder}/${folder} ${at}.pdf`);
  rig.dropFiles(Object.fromEntries(names.map(name => [name, `%PDF-1.7 ${name}`])));
}
