// Row 11: files carried a second by 1, 2 and 4 worker processes of one host when the service is slow and the
// CPU has time. Each worker gets the same work, so twice the workers are to take no longer over twice the
// files.
import { setTimeout as delay } from 'node:timers/promises';
import { transferTaskQueue } from '../../workflows/contract';
import { cpuSecondsOf } from '../cluster/process-cpu';
import type { TemporalCluster } from '../cluster/temporal-cluster';
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
/** Nothing is dropped for so long, to see what asking for work takes by itself. */
const IDLE_MS = 20_000;
const ACTIVITY_QUEUE = 2;

interface Throughput {
  readonly workers: number;
  readonly filesPerSecond: number;
  readonly files: number;
  readonly batches: number;
  /** By who took them: from the drop to the last receipt. */
  readonly cpuSeconds: Readonly<Record<string, number>>;
  /** In a minute in which workers and watcher ask and nothing is there to do. */
  readonly idleCpuSeconds: Readonly<Record<string, number>>;
  readonly historyShards: number;
}

/** Processes by name, each with all that it has started. */
type Servers = Readonly<Record<string, () => number>>;

export async function benchWorkers(): Promise<Figure[]> {
  const one = await measure(1, {});
  const two = await measure(2, {});
  const four = await measure(4, {});
  return [
    row('workersTwo', two.filesPerSecond / (2 * one.filesPerSecond)),
    row('workersFour', four.filesPerSecond / (4 * one.filesPerSecond)),
    forInformation('files a second of 1 worker, 6 s a PUT', one.filesPerSecond),
    forInformation('of 4 workers', four.filesPerSecond),
    ...tellCpu(one),
    ...tellCpu(four),
  ];
}

/**
 * The same on a Temporal cluster with PostgreSQL, as docker-compose.temporal.yml sets it up, and what CPU its
 * servers take.
 */
export async function benchClusterWorkers(cluster?: TemporalCluster): Promise<Figure[]> {
  if (cluster === undefined) throw new Error('This part is measured on a cluster, and there is none');
  const servers: Servers = {
    PostgreSQL: () => cluster.postgresql.process.pid,
    'the Temporal server': () => cluster.server.pid,
  };
  const one = await measure(1, servers);
  const four = await measure(4, servers);
  return [
    row('workersCluster', four.filesPerSecond / (4 * one.filesPerSecond)),
    forInformation('files a second of 1 worker on the cluster, 6 s a PUT', one.filesPerSecond),
    forInformation('of 4 workers on the cluster', four.filesPerSecond),
    forInformation('history shards of the cluster', four.historyShards, '', 0),
    ...tellCpu(one),
    ...tellCpu(four),
  ];
}

function tellCpu({ workers, files, batches, cpuSeconds, idleCpuSeconds }: Throughput): Figure[] {
  const by = workers === 1 ? '1 worker' : `${workers} workers`;
  return Object.entries(cpuSeconds).flatMap(([name, seconds]) => [
    forInformation(
      `CPU of ${name}, ${by}: a batch of ${FILES_OF_A_BATCH}`,
      (1_000 * seconds) / batches,
      'ms',
      0,
    ),
    forInformation(`CPU of ${name}, ${by}: a document`, (1_000 * seconds) / files, 'ms', 1),
    forInformation(`CPU of ${name}, ${by}: a minute of nothing to do`, idleCpuSeconds[name] ?? 0, 's', 2),
  ]);
}

async function measure(workers: number, servers: Servers): Promise<Throughput> {
  const rig = await Rig.start({
    share: { batch: { quiet: 500, maxFiles: FILES_OF_A_BATCH, maxOpen: OPEN_BATCHES } },
  });
  const processes: WorkerProcess[] = [];
  const readCpu = (): Readonly<Record<string, number>> => ({
    'the workers': processes.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), 0),
    ...Object.fromEntries(Object.entries(servers).map(([name, pid]) => [name, cpuSecondsOf(pid())])),
  });
  try {
    for (let count = 0; count < workers; count += 1) processes.push(new WorkerProcess(rig));
    await rig.startWatcher();
    await untilPolled(rig, workers);
    const slow = { kind: 'delay', ms: STORAGE_MS } as const;
    await rig.control.addFault({ route: 'storage.put', times: 0, action: slow });
    const atRest = readCpu();
    await delay(IDLE_MS);
    const before = readCpu();
    const files = workers * FILES_OF_A_WORKER;
    rig.dropFiles(
      Object.fromEntries(Array.from({ length: files }, (_, at) => [`sheet-${at}.pdf`, `%PDF-1.7 ${at}`])),
    );
    await rig.untilSettled(files, PATIENCE_MS);
    const cpuSeconds = difference(readCpu(), before);
    const puts = (await rig.control.operations()).filter(
      ({ kind, route }) => kind === 'request' && route === 'storage.put',
    );
    // Told when they were answered, so the first of them took its time before that.
    const times = puts.map(({ at }) => at);
    const { historyShardCount } = await rig.temporal.client.workflowService.getClusterInfo({});
    return {
      workers,
      filesPerSecond: (files / (Math.max(...times) - Math.min(...times) + STORAGE_MS)) * 1_000,
      files,
      batches: rig.receipts().length,
      cpuSeconds,
      idleCpuSeconds: difference(before, atRest, 60_000 / IDLE_MS),
      historyShards: historyShardCount,
    };
  } finally {
    await Promise.all(processes.map(each => each.stop()));
    await rig.close();
  }
}

function difference(
  after: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
  times = 1,
): Readonly<Record<string, number>> {
  const entries = Object.entries(after);
  return Object.fromEntries(
    entries.map(([name, seconds]) => [name, (seconds - (before[name] ?? 0)) * times]),
  );
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
