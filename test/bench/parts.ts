// What `npm run bench` measures, a part at a time; rows.ts says which figures of the table a part prints.
import type { TemporalCluster } from '../cluster/temporal-cluster';
import { benchBatchCpu } from './batches/batch-cpu';
import { benchLimits } from './batches/limits';
import { benchLongWaits } from './batches/long-waits';
import { benchPolling } from './batches/polling';
import { benchRequests } from './batches/requests';
import { benchShortWork } from './batches/short-work';
import { benchSmallJobs } from './batches/small-jobs';
import { benchTemporalCost } from './batches/temporal-cost';
import { benchBeside } from './beside-bench';
import { benchDrop, benchDropMillion, benchFinishedMillion } from './drop/drop-bench';
import { type Figure, forInformation, row } from './figures';
import { benchLedger } from './ledger-bench';
import { benchLoopWaiting } from './loop-waiting-bench';
import { benchMemory } from './memory-bench';
import { benchPage } from './page/page-bench';
import { PART_LIST, type PartName, type PartNeeds } from './part-list';
import { benchSharesMemory } from './run/shares-memory';
import { benchStart } from './run/start-bench';
import { benchSuite } from './run/suite';
import { benchScale } from './scale/scale-bench';
import { benchTransfer } from './transfer-bench';
import { benchUploads } from './upload-bench';
import { benchClusterWorkers, benchWorkers } from './workers-bench';

export interface Part {
  readonly name: PartName;
  readonly needs: PartNeeds;
  readonly isOnlyNamed?: boolean;
  /** @param cluster for a part that needs one. */
  run(cluster?: TemporalCluster): Promise<readonly Figure[]>;
}

const RUNS: Readonly<Record<PartName, Part['run']>> = {
  transfer: benchSpeed,
  'transfer-sizes': benchSizes,
  requests: benchRequests,
  'small-jobs': benchSmallJobs,
  limits: benchLimits,
  'temporal-cost': benchTemporalCost,
  'batch-cpu': benchBatchCpu,
  'long-waits': benchLongWaits,
  memory: benchMemory,
  drop: benchDrop,
  'drop-million': benchDropMillion,
  'finished-million': benchFinishedMillion,
  'shares-memory': benchSharesMemory,
  'short-work': benchShortWork,
  start: benchStart,
  'loop-waiting': benchLoopWaiting,
  polling: benchPolling,
  workers: benchWorkers,
  'workers-cluster': benchClusterWorkers,
  page: () => benchPage({ jobs: 10_000, turns: 100 }),
  'page-short': () => benchPage({ jobs: 200, turns: 20 }),
  uploads: benchUploads,
  ledger: benchLedger,
  beside: benchBeside,
  scale: benchScale,
  suite: benchSuite,
};

export const PARTS: readonly Part[] = PART_LIST.map(part => ({ ...part, run: RUNS[part.name] }));

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
