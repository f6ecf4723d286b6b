// Row 9, its second half: how late the event loop of a worker is while 500 batches wait for the analysis, each of
// them looking again by the share's own times, as fast as in production.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Rig } from '../setup/rig';
import { WorkerProcess } from '../setup/worker-process';
import { type Figure, forInformation, row } from './figures';
import { watchPeakBytes } from './resident-bytes';

const BATCHES = 500;
const NEVER_MS = 86_400_000;
const WATCHED_FOR_MS = 60_000;
const PATIENCE_MS = 20 * 60_000;

export async function benchLoopWaiting(): Promise<Figure[]> {
  const rig = await Rig.start({
    sandbox: { timeScale: 1, scanMs: 0, analysisMs: [NEVER_MS, NEVER_MS] },
    share: {
      batch: { quiet: 500, maxFiles: 1, maxOpen: BATCHES },
      analysis: { firstLook: 5_000, every: 8_000, typical: 28_000, for: 30 * 60_000 },
    },
  });
  const file = join(rig.folder, 'loop-delay');
  const worker = new WorkerProcess(rig, {
    execArgv: ['-r', join(__dirname, 'loop-delay-preload.js')],
    env: { LOOP_DELAY_FILE: file },
  });
  try {
    await rig.startWatcher();
    rig.dropFiles(
      Object.fromEntries(Array.from({ length: BATCHES }, (_, at) => [`sheet-${at}.pdf`, `%PDF-1.7 ${at}`])),
    );
    await untilReported(rig);
    await ask(worker.pid, file);
    let looks = await countRequests(rig);
    let lateMs = 0;
    const { peakBytes } = await watchPeakBytes(
      () => worker.pid,
      async () => {
        await delay(WATCHED_FOR_MS);
        lateMs = await ask(worker.pid, file);
      },
    );
    looks = (await countRequests(rig)) - looks;
    return [
      row('loopWaiting', lateMs),
      forInformation('their requests in that minute', looks, '', 0),
      forInformation('peak memory of that worker', peakBytes / 1_024 ** 2, 'MiB', 0),
    ];
  } finally {
    await worker.kill();
    await rig.close();
  }
}

/** Until every file is with the service, so that all there is to do is to wait for its analysis. */
async function untilReported(rig: Rig): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await delay(3_000)) {
    const linked = (await rig.control.operations()).filter(({ what }) => what === 'upload-completed');
    if (linked.length >= BATCHES) return;
  }
  throw new Error(`${BATCHES} batches were dropped, and not all of them came to wait`);
}

async function countRequests(rig: Rig): Promise<number> {
  return (await rig.control.operations()).filter(({ kind }) => kind === 'request').length;
}

async function ask(pid: number, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await delay(20);
  return Number(readFileSync(file, 'utf8'));
}
