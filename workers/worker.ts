// Assembles and runs the workers of a process: one for workflows and service
// activities, four for each share it sees.
import { once, setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import {
  createServiceActivities,
  createShareActivities,
  type ServiceActivityDeps,
} from '../activities/create-activities';
import { hostClock, systemClock } from '../activities/host/clock';
import { settable } from '../activities/ingest/decide/read-entry';
import { Releases } from '../activities/ingest/releases';
import { ServedHolds } from '../activities/ingest/submit/see-hold';
import type { ServedLedgers } from '../activities/ledger/served-ledgers';
import type { TellProof } from '../activities/scope/dependency-evidence';
import type { ServiceConfig } from '../activities/service/service-config';
import type { OurTemporal } from '../activities/share/batch/hold';
import { keepBeating } from '../activities/share/batch/keep-beating';
import { openFileTurns } from '../activities/share/files/file-threads';
import { createHangWatch, type Hang, type HangWatch } from '../activities/share/hang-watch';
import { openShare } from '../activities/share/open-share';
import type { Share } from '../activities/share/share';
import type { ShareConfig } from '../activities/share/share-config';
import { ProjectEvidence } from '../activities/transfer/evidence';
import {
  asideTaskQueue,
  longTransferTaskQueue,
  SERVICE_TASK_QUEUE,
  shareTaskQueue,
  transferTaskQueue,
} from '../workflows/contract';
import {
  createFileAdapters,
  createServiceAdapters,
  type FileAdapters,
  type ServiceAdapters,
} from './adapters';
import { BUILT_BUNDLE_PATH } from './bundle';
import type { Config } from './config/config';
import { createCoordinators, createProjectRuns } from './coordinators';
import { IncidentWatch } from './incident-watch';
import type { Logger } from './logging';
import { ProcessStanding } from './metrics/standing';
import { WorkMetrics } from './metrics/work-metrics';
import { createLeaseRun, keepRateLease, toIdentity } from './rate-leases';
import { createSinceRunBefore } from './run-before';
import { createServedLedgers } from './share-adapters';
import { readShareKey } from './share-key';
import { createTemporalIdentity } from './temporal/temporal-identity';

export interface WorkerInput {
  readonly config: Config;
  /** Where the service is; `run` fills in the stand-in's when the configuration names none. */
  readonly service: ServiceConfig;
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** host:port of Temporal: told to people, and what the ids of its namespaces are remembered by. */
  readonly address: string;
  readonly logger: Logger;
  readonly bundlePath?: string | undefined;
  readonly roles?: { readonly service: boolean; readonly shares: boolean } | undefined;
  /** Where the worker counts its work; absent: nobody looks at the numbers. */
  readonly metrics?: WorkMetrics | undefined;
  readonly standing?: ProcessStanding | undefined;
  /** Finds out that the mount of a share hangs; absent: the usual one. */
  readonly hangs?: HangWatch | undefined;
  /** Milliseconds between two looks for what may have been made already; absent: the usual time. */
  readonly listedAfterMs?: number | undefined;
}

export interface RunningWorker {
  /**
   * Ends after `shutdown`; rejects when a worker cannot go on, and the process
   * should end and be started again.
   */
  readonly run: Promise<void>;
  /**
   * Ends all work: what may be interrupted goes back to Temporal for another worker, what must not be is
   * finished. Settles as `run` does.
   */
  shutdown(): Promise<void>;
}

/** A share that is not mounted yet is looked for again this often. */
const LOOK_AGAIN_MS = 10_000;
/**
 * An idle share keeps one poll open for each of its queues, a busy one up to ten, as Temporal finds worth
 * while. Nine polls more for each of 600 queues would cost 95 MiB here, and more at Temporal.
 */
const SHARE_POLLERS = { type: 'autoscaling', minimum: 1, initial: 1, maximum: 10 } as const;

/**
 * Starts polling. The runtime (runtime-logging.ts) must have been installed before the connection was made.
 * Throws when a worker cannot be created (bundle, namespace, connection).
 */
export async function startWorker(input: WorkerInput): Promise<RunningWorker> {
  const { config, logger } = input;
  const roles = input.roles ?? { service: true, shares: true };
  const draining = new AbortController();
  // Every share and every activity listens; their number is no sign of a leak.
  setMaxListeners(0, draining.signal);
  const incidents = new IncidentWatch(logger);
  const { metrics = new WorkMetrics(), standing = new ProcessStanding() } = input;
  const tellProof: TellProof = proof => {
    incidents.tellProof(proof);
    metrics.tellProof(proof);
  };
  const service = createServiceAdapters(config, input.service, logger, tellProof, metrics);
  const files = createFileAdapters(config, input.service, logger, tellProof, metrics);
  metrics.follow({ limits: service.limits, token: service.tokens, away: incidents.away });
  const ledgers = createServedLedgers(config, logger, draining.signal);
  const releases = new Releases();
  const holds = new ServedHolds();
  const evidence = new ProjectEvidence();
  const workers: Worker[] = [];
  const stop = (): void => {
    draining.abort(new Error('The worker is stopping'));
    for (const worker of workers) endPolling(worker);
  };
  // A worker that cannot go on ends the others, too: a process that polls for half
  // of its work looks healthy, and is not.
  const runOne = async (worker: Worker, isPaused = () => false): Promise<void> => {
    workers.push(worker);
    const running = worker.run();
    // It was made while the process was told to end: only one that runs can be shut down, and until then it
    // holds the connection.
    if (draining.signal.aborted) endPolling(worker);
    await running.finally(() => {
      workers.splice(workers.indexOf(worker), 1);
      if (!isPaused()) stop();
    });
  };
  const runs: Promise<void>[] = [];
  const { connection, namespace } = input;
  const temporalClient = new Client({ connection, namespace });
  const { gate } = service;
  const common = {
    service,
    host: await gate.host(),
    incidents,
    metrics,
    standing,
    releases,
    holds,
    evidence,
    temporalClient,
    draining: draining.signal,
  };
  if (roles.service) runs.push(runOne(await createServiceWorker(input, common)));
  standing.note('worker');
  standing.ask('Temporal', () =>
    incidents.away().some(({ dependency }) => dependency === 'temporal') ? 'does not answer' : undefined,
  );
  if (roles.shares) {
    const temporal = createTemporalIdentity({ ...input, stateDir: config.stateDir, logger });
    const deps = { ...common, files, temporal, ledgers, runOne };
    runs.push(
      ...config.shares.map(share =>
        runShare(input, share, deps).catch((error: unknown) => {
          stop();
          throw error;
        }),
      ),
    );
  }
  const endLooks = incidents.watchTemporal(input.connection);
  const ended = new AbortController();
  const leasing = keepRateLease({
    gate,
    run: createLeaseRun({
      client: temporalClient,
      account: gate.account,
      host: common.host,
      shares: config.shares.map(({ name }) => name),
    }),
    clock: hostClock,
    signal: ended.signal,
    logger,
  });
  const leases = {
    close: async (): Promise<void> => {
      ended.abort();
      await leasing;
    },
  };
  const run = endAll(runs, [leases, service, files, ledgers]).finally(() => {
    standing.ended();
    endLooks();
  });
  // Whoever awaits `run` sees the error; nobody may be awaiting it yet.
  run.catch(() => undefined);
  return {
    run,
    shutdown: async () => {
      stop();
      await run;
    },
  };
}

/**
 * By default the SDK aborts a workflow's code when one piece of it takes 5 s. A process that stood still (the
 * lid closed, the machine paused) has used those up as soon as it goes on, and Node crashes when code is
 * aborted within a promise ("async hook stack has become corrupted"): the worker would be gone without a
 * word. The SDK takes this option, but does not list it.
 */
const UNHURRIED = { isolateExecutionTimeout: '1 day' };

async function createServiceWorker(input: WorkerInput, run: CommonRun): Promise<Worker> {
  const { config } = input;
  const { client, tokens, lookups } = run.service;
  return await Worker.create({
    ...optionsOf(input, run),
    ...UNHURRIED,
    taskQueue: SERVICE_TASK_QUEUE,
    interceptors: { activity: [run.incidents.interceptor(), run.metrics.interceptor()] },
    workflowBundle: { codePath: input.bundlePath ?? BUILT_BUNDLE_PATH },
    maxConcurrentWorkflowTaskExecutions: config.worker.maxConcurrentWorkflowTasks,
    maxConcurrentActivityTaskExecutions: config.worker.maxConcurrentActivities,
    activities: createServiceActivities({
      client,
      tokens,
      lookups,
      releases: run.releases,
      seeHold: run.holds.see,
      projectRuns: createProjectRuns(run.temporalClient),
      draining: run.draining,
      sleep: systemClock.sleep,
      webhookHeader: webhookHeaderOf(config),
      listedAfterMs: input.listedAfterMs,
      sinceRunBefore: createSinceRunBefore(run.temporalClient),
    }),
  });
}

/**
 * What the service is to send with every event: the present secret. The one before it is kept from histories.
 */
function webhookHeaderOf({ webhooks }: Config): ServiceActivityDeps['webhookHeader'] {
  const [present, ...former] = webhooks?.secrets ?? [];
  return webhooks === undefined || present === undefined
    ? undefined
    : { name: webhooks.header, value: present.secret, former: former.map(({ secret }) => secret) };
}

/** What all workers of the process have in common. */
interface CommonRun {
  readonly service: ServiceAdapters;
  /** Its mark, by which hosts see each other. */
  readonly host: string;
  readonly incidents: IncidentWatch;
  readonly metrics: WorkMetrics;
  readonly standing: ProcessStanding;
  readonly releases: Releases;
  /** Of the shares that this process serves. */
  readonly holds: ServedHolds;
  readonly evidence: ProjectEvidence;
  readonly temporalClient: Client;
  readonly draining: AbortSignal;
}

interface ShareRun extends CommonRun {
  readonly files: FileAdapters;
  readonly temporal: () => Promise<OurTemporal>;
  readonly ledgers: ServedLedgers;
  readonly runOne: (worker: Worker, isPaused: () => boolean) => Promise<void>;
}

/**
 * Waits for the share to be there, then serves its queues; other shares and the service do not wait for it.
 */
async function runShare(input: WorkerInput, config: ShareConfig, run: ShareRun): Promise<void> {
  run.standing.noteShare(config.name, 'not seen yet');
  const share = await openWhenThere(input, config, run);
  if (share === undefined) return;
  run.holds.serve(config.name, { share, temporal: run.temporal });
  const ended = new AbortController();
  const beating = keepBeating(share, run.temporal, ended.signal);
  // The ledger is read beside the work: it takes minutes, and batches do not wait for it.
  const reading = run.ledgers.serve(share);
  const hangs = input.hangs ?? createHangWatch();
  const fields = { share: config.name };
  let isHung = false;
  try {
    while (!run.draining.aborted) {
      run.standing.noteShare(config.name);
      const hang = await serveShare(input, share, run, hangs);
      if (hang === undefined) return;
      isHung = true;
      run.standing.noteShare(config.name, 'its mount hangs');
      input.logger.warn(
        { event: 'share-hung', ...fields },
        'The mount of a share hangs; its work is left to others',
      );
      await hangs.untilAnswers(share, hang, run.draining);
      // Work that was stuck in the mount ends before more is taken, unless the process is to end.
      await Promise.race([hang.drained, aborted(run.draining)]);
      if (run.draining.aborted) return;
      isHung = false;
      input.logger.info({ event: 'share-answers', ...fields }, 'The mount of a share answers again');
    }
  } finally {
    ended.abort();
    // These may be stuck in a mount that hangs, which must not keep the process from ending.
    if (!isHung) await Promise.all([beating, reading]);
  }
}

/**
 * Takes work of a share for as long as its mount answers: a host whose mount hangs would give work
 * back only minutes later.
 * @returns once the mount hangs, with `drained`, which waits for the work in hand; undefined when the process
 * is to end.
 */
async function serveShare(
  input: WorkerInput,
  share: Share,
  run: ShareRun,
  hangs: HangWatch,
): Promise<(Hang & { readonly drained: Promise<unknown> }) | undefined> {
  const leaving = new AbortController();
  const draining = AbortSignal.any([run.draining, leaving.signal]);
  setMaxListeners(0, draining);
  const workers = await createShareWorkers(input, share, { ...run, draining });
  const drained = Promise.all(workers.map(worker => run.runOne(worker, () => leaving.signal.aborted)));
  const watching = new AbortController();
  const hung = hangs.untilHung(share, AbortSignal.any([run.draining, watching.signal]));
  const first = await Promise.race([hung, drained.then(() => undefined)]).finally(() => watching.abort());
  if (first === undefined) {
    await drained;
    return undefined;
  }
  // What can go on elsewhere is handed back at once; what is stuck in a call ends with the call.
  leaving.abort(new Error('The mount of the share hangs'));
  // Awaited once the mount answers; a failure until then must not count as unhandled.
  drained.catch(() => undefined);
  for (const worker of workers) endPolling(worker);
  return { ...first, drained };
}

async function createShareWorkers(input: WorkerInput, share: Share, run: ShareRun): Promise<Worker[]> {
  const { name } = share;
  const { maxConcurrentShareTasks, maxConcurrentTransfers } = input.config.worker;
  const workers: Worker[] = [];
  const disk = openFileTurns();
  // Each queue has slots of its own, and those for transfers have connections of their own, too: what takes
  // hours holds up nothing that takes minutes, and that nothing that takes seconds.
  for (const [taskQueue, slots, engine] of [
    [shareTaskQueue(name), maxConcurrentShareTasks, run.files.engine],
    [transferTaskQueue(name), maxConcurrentTransfers, run.files.engine],
    [asideTaskQueue(name), maxConcurrentTransfers, run.files.asideEngine],
    [longTransferTaskQueue(name), maxConcurrentTransfers, run.files.longEngine],
  ] as const) {
    workers.push(
      await Worker.create({
        ...optionsOf(input, run),
        taskQueue,
        interceptors: { activity: [run.incidents.interceptor(name), run.metrics.interceptor(name)] },
        maxConcurrentActivityTaskExecutions: slots,
        activityTaskPollerBehavior: SHARE_POLLERS,
        activities: createShareActivities({
          share,
          client: run.service.client,
          lookups: run.service.lookups,
          limits: run.service.limits,
          engine: { ...engine, disk },
          releases: run.releases,
          evidence: run.evidence,
          draining: run.draining,
          temporal: run.temporal,
          coordinators: createCoordinators(run.temporalClient, input.logger),
          runs: createProjectRuns(run.temporalClient),
          ledgers: run.ledgers,
          listedAfterMs: input.listedAfterMs,
        }),
      }),
    );
  }
  return workers;
}

/** No more work is asked for; what the worker has in hand goes on. */
function endPolling(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

async function openWhenThere(
  { config: all, logger }: WorkerInput,
  config: ShareConfig,
  run: ShareRun,
): Promise<Share | undefined> {
  for (let isSaid = false; !run.draining.aborted; isSaid = true) {
    try {
      return await openShare(config, {
        hasher: run.files.hasher,
        logger,
        key: await readShareKey(all),
        askFields: async () => settable(await run.service.lookups.rules(config.project)),
      });
    } catch (error: unknown) {
      if (!isSaid)
        logger.error({ event: 'share-unusable', share: config.name, error }, 'A share cannot be used yet');
      await delay(LOOK_AGAIN_MS, undefined, { signal: run.draining }).catch(() => undefined);
    }
  }
  return undefined;
}

function optionsOf(
  input: WorkerInput,
  { host }: CommonRun,
): Pick<WorkerOptions, 'connection' | 'namespace' | 'identity' | 'shutdownGraceTime'> {
  return {
    connection: input.connection,
    namespace: input.namespace,
    identity: toIdentity(process.pid, hostname(), host),
    // Longer than the longest call that must not be cut; what can be cut stops at once when draining.
    shutdownGraceTime: input.config.worker.shutdownGrace,
  };
}

/** Waits until all runs have ended, closes the adapters, and throws the first failure, if there was one. */
async function endAll(
  runs: readonly Promise<void>[],
  adapters: readonly { close(): Promise<void> }[],
): Promise<void> {
  const ends = await Promise.allSettled(runs);
  for (const adapter of adapters) await adapter.close();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
