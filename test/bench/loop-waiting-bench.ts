// Row 9, its second half: how late the event loop of a worker is while 500 batches wait for the analysis,
// each of them looking again by the share's own times, as fast as in production.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Rig } from '../setup/rig';
import { WorkerProcess } from '../setup/worker-process';
import { type Figure, forInformation, row } from './figures';
import { watchPeakBytes } from './resident-bytes';
import { bringToWait, NEVER_MS, SHARE_BESIDE, tooFew, WAITING_SHARE } from './waiting-batches';

const WATCHED_FOR_MS = 60_000;
/** Who waits first does not look again and again while the others come. */
const FIRST_LOOK_MS = 60_000;

export async function benchLoopWaiting(): Promise<Figure[]> {
  const rig = await Rig.start({
    sandbox: { timeScale: 1, scanMs: 0, analysisMs: [NEVER_MS, NEVER_MS] },
    share: {
      ...WAITING_SHARE,
      analysis: { firstLook: FIRST_LOOK_MS, every: 8_000, typical: 31_000, for: 30 * 60_000 },
    },
    moreShares: [SHARE_BESIDE],
  });
  const file = join(rig.folder, 'loop-delay');
  const worker = new WorkerProcess(rig, {
    execArgv: ['-r', join(__dirname, 'loop-delay-preload.js')],
    env: { LOOP_DELAY_FILE: file },
  });
  try {
    const waiting = await bringToWait(rig);
    await delay(FIRST_LOOK_MS);
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
      row('loopWaiting', tooFew(waiting) ?? lateMs),
      forInformation('batches that waited', waiting, '', 0),
      forInformation('event loop while they did, p99', lateMs, 'ms', 1),
      forInformation('their requests in that minute', looks, '', 0),
      forInformation('peak memory of that worker', peakBytes / 1_024 ** 2, 'MiB', 0),
    ];
  } finally {
    await worker.kill();
    await rig.close();
  }
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
