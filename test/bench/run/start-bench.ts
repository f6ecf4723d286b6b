// How long `npm start` takes until it is ready, and until it has ended; and how long a worker of a cluster
// takes. The middle one of some runs, after one that makes what later ones find.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Rig } from '../../setup/rig';
import { WorkerProcess } from '../../setup/worker-process';
import { type Figure, row } from '../figures';
import { RunProcess } from './run-process';

const RUNS = 5;
const WITHIN_MS = 120_000;

export async function benchStart(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-bench-'));
  try {
    await (await RunProcess.start({ folder })).stop();
    const starts: number[] = [];
    const stops: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const started = await RunProcess.start({ folder });
      starts.push(started.readyMs);
      stops.push(await started.stop());
    }
    return [
      row('startAll', middleOf(starts) / 1_000),
      row('startWorker', (await timeWorker()) / 1_000),
      row('stop', middleOf(stops) / 1_000),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Until it polls. */
async function timeWorker(): Promise<number> {
  const rig = await Rig.start();
  try {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const logFile = join(rig.folder, 'worker.log');
      rmSync(logFile, { force: true });
      const beganMs = performance.now();
      const worker = new WorkerProcess(rig);
      while (!textOf(logFile).includes('worker-started')) {
        if (performance.now() - beganMs > WITHIN_MS) throw new Error('The worker does not start.');
        await delay(5);
      }
      times.push(performance.now() - beganMs);
      await worker.stop();
    }
    return middleOf(times);
  } finally {
    await rig.close();
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}
