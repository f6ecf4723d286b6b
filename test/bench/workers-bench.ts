// Row 11: files carried a second by 1, 2 and 4 worker processes of one host when the service is slow and the
// CPU has time. Each worker gets the same work, so twice the workers are to take no longer over twice the
// files.
import { setTimeout as delay } from 'node:timers/promises';
import { transferTaskQueue } from '../../workflows/contract';
import { Rig } from '../setup/rig';
import { WorkerProcess } from '../setup/worker-process';
import { type Figure, forInformation, row } from './figures';

const FILES_OF_A_WORKER = 96;
const FILES_OF_A_BATCH = 8;
/** As many as four workers can send at once, and as many again in their other stages. */
const OPEN_BATCHES = 40;
/**
 * Of a PUT. Eight connections then send 1.3 files a second: what the worker itself does is little beside it.
 */
const STORAGE_MS = 6_000;
const PATIENCE_MS = 20 * 60_000;
const ACTIVITY_QUEUE = 2;

export async function benchWorkers(): Promise<Figure[]> {
  const one = await filesPerSecond(1);
  const two = await filesPerSecond(2);
  const four = await filesPerSecond(4);
  return [
    row('workersTwo', two / (2 * one)),
    row('workersFour', four / (4 * one)),
    forInformation('files a second of 1 worker, 6 s a PUT', one),
    forInformation('of 4 workers', four),
  ];
}

/** The same on a Temporal cluster with PostgreSQL, as docker-compose.temporal.yml sets it up. */
export async function benchClusterWorkers(): Promise<Figure[]> {
  const one = await filesPerSecond(1);
  const four = await filesPerSecond(4);
  return [
    row('workersCluster', four / (4 * one)),
    forInformation('files a second of 1 worker on the cluster, 6 s a PUT', one),
    forInformation('of 4 workers on the cluster', four),
  ];
}

async function filesPerSecond(workers: number): Promise<number> {
  const rig = await Rig.start({
    share: { batch: { quiet: 500, maxFiles: FILES_OF_A_BATCH, maxOpen: OPEN_BATCHES } },
  });
  const processes: WorkerProcess[] = [];
  try {
    for (let count = 0; count < workers; count += 1) processes.push(new WorkerProcess(rig));
    await rig.startWatcher();
    await untilPolled(rig, workers);
    const slow = { kind: 'delay', ms: STORAGE_MS } as const;
    await rig.control.addFault({ route: 'storage.put', times: 0, action: slow });
    const files = workers * FILES_OF_A_WORKER;
    rig.dropFiles(
      Object.fromEntries(Array.from({ length: files }, (_, at) => [`sheet-${at}.pdf`, `%PDF-1.7 ${at}`])),
    );
    await rig.untilSettled(files, PATIENCE_MS);
    const puts = (await rig.control.operations()).filter(
      ({ kind, route }) => kind === 'request' && route === 'storage.put',
    );
    // Told when they were answered, so the first of them took its time before that.
    const times = puts.map(({ at }) => at);
    return (files / (Math.max(...times) - Math.min(...times) + STORAGE_MS)) * 1_000;
  } finally {
    await Promise.all(processes.map(each => each.stop()));
    await rig.close();
  }
}

/** Until so many processes take what is to be sent of the share. */
async function untilPolled(rig: Rig, workers: number): Promise<void> {
  const { client, namespace } = rig.temporal;
  const name = transferTaskQueue(rig.config.shares[0]?.name ?? '');
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await delay(200)) {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name },
      taskQueueType: ACTIVITY_QUEUE,
    });
    if (new Set(pollers?.map(({ identity }) => identity)).size >= workers) return;
  }
  throw new Error(`${workers} workers were started, and fewer ask for work`);
}
