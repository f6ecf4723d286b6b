// What `npm run bench` measures, a part at a time; rows.ts says which figures of the table a part prints.
import { benchLimits } from './batches/limits';
import { benchLongWaits } from './batches/long-waits';
import { benchPolling } from './batches/polling';
import { benchRequests } from './batches/requests';
import { benchShortWork } from './batches/short-work';
import { benchSmallJobs } from './batches/small-jobs';
import { benchTemporalCost } from './batches/temporal-cost';
import { benchBeside } from './beside-bench';
import { type Figure, forInformation, row } from './figures';
import { benchLedger } from './ledger-bench';
import { benchLoopWaiting } from './loop-waiting-bench';
import { benchMemory } from './memory-bench';
import { benchPage } from './page/page-bench';
import { benchSharesMemory } from './run/shares-memory';
import { benchStart } from './run/start-bench';
import { benchScale } from './scale/scale-bench';
import { benchTransfer } from './transfer-bench';
import { benchUploads } from './upload-bench';
import { benchWatcher } from './watcher-bench';
import { benchClusterWorkers, benchWorkers } from './workers-bench';

export interface Part {
  readonly name: string;
  /** Besides this machine. */
  readonly needs: 'nothing' | 'temporal' | 'cluster';
  /** Long, or part of another one: measured when it is named. */
  readonly isOnlyNamed?: boolean;
  run(): Promise<readonly Figure[]>;
}

export const PARTS: readonly Part[] = [
  { name: 'transfer', needs: 'nothing', run: benchSpeed },
  { name: 'transfer-sizes', needs: 'nothing', run: benchSizes },
  { name: 'requests', needs: 'temporal', run: benchRequests },
  { name: 'small-jobs', needs: 'temporal', run: benchSmallJobs },
  { name: 'limits', needs: 'temporal', run: benchLimits },
  { name: 'temporal-cost', needs: 'temporal', run: benchTemporalCost },
  { name: 'long-waits', needs: 'temporal', run: benchLongWaits },
  { name: 'memory', needs: 'temporal', run: benchMemory },
  { name: 'drop', needs: 'nothing', run: benchDrop },
  { name: 'drop-million', needs: 'nothing', isOnlyNamed: true, run: benchDropMillion },
  { name: 'finished-million', needs: 'nothing', isOnlyNamed: true, run: benchFinishedMillion },
  { name: 'shares-memory', needs: 'temporal', isOnlyNamed: true, run: benchSharesMemory },
  { name: 'short-work', needs: 'temporal', isOnlyNamed: true, run: benchShortWork },
  { name: 'start', needs: 'temporal', run: benchStart },
  { name: 'loop-waiting', needs: 'temporal', isOnlyNamed: true, run: benchLoopWaiting },
  { name: 'polling', needs: 'temporal', isOnlyNamed: true, run: benchPolling },
  { name: 'workers', needs: 'temporal', isOnlyNamed: true, run: benchWorkers },
  { name: 'workers-cluster', needs: 'cluster', isOnlyNamed: true, run: benchClusterWorkers },
  { name: 'page', needs: 'temporal', run: () => benchPage({ jobs: 10_000, turns: 100 }) },
  {
    name: 'page-short',
    needs: 'temporal',
    isOnlyNamed: true,
    run: () => benchPage({ jobs: 200, turns: 20 }),
  },
  { name: 'uploads', needs: 'nothing', run: benchUploads },
  { name: 'ledger', needs: 'nothing', run: benchLedger },
  { name: 'beside', needs: 'temporal', run: benchBeside },
  { name: 'scale', needs: 'nothing', isOnlyNamed: true, run: benchScale },
];

async function benchDrop(): Promise<Figure[]> {
  const { firstClaimMs, claimsPerSecond, cpuMsPerFile, peakRssMiB } = await benchWatcher();
  return [
    row('dropMemory', peakRssMiB),
    row('dropFirst', firstClaimMs / 1_000),
    row('dropClaims', claimsPerSecond),
    forInformation('CPU of the watcher, a claimed file', cpuMsPerFile, 'ms'),
  ];
}

async function benchDropMillion(): Promise<Figure[]> {
  const few = await benchWatcher();
  const many = await benchWatcher({ files: 1_000_000 });
  return [
    row('dropMillion', many.peakRssMiB / few.peakRssMiB),
    row('dropMillionClaims', many.lastOverFirst),
    forInformation('claims a second, 1,000,000 files', many.claimsPerSecond, '', 0),
  ];
}

/** The best of some, in turn: the middle of few says more of the machine than of the share. */
async function benchFinishedMillion(): Promise<Figure[]> {
  const [empty, full]: [number[], number[]] = [[], []];
  for (let run = 0; run < 3; run += 1) {
    empty.push((await benchWatcher({ files: 100 })).firstClaimMs);
    full.push((await benchWatcher({ files: 100, finishedJobs: 10_000 })).firstClaimMs);
  }
  return [row('finishedMillion', Math.min(...full) / Math.min(...empty))];
}

async function benchSpeed(): Promise<Figure[]> {
  const found = await benchTransfer({ rclone: true });
  const { rcloneSeconds, engineSeconds } = found;
  return [
    row('speedScript', found.ratio),
    row(
      'speedRclone',
      rcloneSeconds === undefined ? 'rclone is not installed' : rcloneSeconds / engineSeconds,
    ),
    row('cpu', found.engineCpuSecondsPerGibibyte),
    row('loopSending', found.eventLoopP99Ms),
  ];
}

async function benchSizes(): Promise<Figure[]> {
  const oneFile = await benchTransfer({ files: 1, fileBytes: 1_024 ** 3 });
  const middle = await benchTransfer({ files: 128, fileBytes: 4 * 1_024 ** 2 });
  const small = await benchTransfer({ files: 10_000, fileBytes: 100 * 1_024 });
  return [
    row('speedOneFile', oneFile.ratio),
    row('speedMiddle', middle.ratio),
    row('speedSmall', small.ratio),
    forInformation(
      'CPU a file of 100 KiB',
      (small.engineCpuSecondsPerGibibyte * small.fileBytes * 1_000) / 1_024 ** 3,
      'ms',
    ),
  ];
}
