// Everything in one terminal: Temporal, the stand-in service, a worker and the
// watcher; and their end, in order.
import { setMaxListeners } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { type HeldLock, takeLock } from '../../activities/host/process-lock';
import type { ServiceConfig } from '../../activities/service/service-config';
import type { Share } from '../../activities/share/share';
import type { ShareConfig } from '../../activities/share/share-config';
import type { Config } from '../../workers/config/config';
import { createLogger, type Logger } from '../../workers/logging';
import { ProcessStanding } from '../../workers/metrics/standing';
import { WorkMetrics } from '../../workers/metrics/work-metrics';
import { installRuntime } from '../../workers/runtime-logging';
import { type EmbeddedTemporal, startEmbeddedTemporal } from '../../workers/temporal/embedded-temporal';
import { registerSearchAttributes } from '../../workers/temporal/search-attributes';
import { resolveTemporalCli } from '../../workers/temporal/temporal-cli';
import {
  connectClient,
  findTemporalTarget,
  toEmbeddedTarget,
} from '../../workers/temporal/temporal-connection';
import { keepEndedRuns } from '../../workers/temporal/temporal-retention';
import type { Reporter } from '../../workers/temporal/terminal-reporter';
import { connectWorker } from '../../workers/temporal/worker-connection';
import { startWorker } from '../../workers/worker';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { requireShare, requireWordForProduction } from '../session/command-config';
import { serveNumbers } from '../session/serve-numbers';
import { toSession } from '../session/session';
import { type StandIn, sharesOf, startStandIn } from '../session/stand-in';
import type { Paint } from '../session/terminal-text';
import { addShareMetrics, SharesInNumbers } from '../status/share-numbers';
import { watchShares } from '../watch/watch-shares';
import { batchesAt, UploadBell } from '../webhooks/upload-bell';
import { startWebhookReceiver } from '../webhooks/webhook-receiver';
import { TemporalEventStarter } from '../webhooks/webhook-starter';
import { describeRun, logFileOf, type RunningTemporal } from './describe-run';
import { firstAbort } from './ending';
import { IncidentFilter } from './incident-filter';
import { keepRunning } from './keep-running';
import { narrate, renderLine } from './narrator';
import { writeSample } from './sample-folder';

export interface RunAllInput {
  readonly config: Config;
  /** Asks everything to end. */
  readonly ending: AbortSignal;
  readonly reporter: Reporter;
  readonly paint: Paint;
  readonly standIn: { readonly firstPort?: number | undefined; readonly speed: number };
  /** How commands are called here, for hints. */
  readonly command: string;
  readonly startPage: StartPage;
}

/** Serves the page, whose room is above this one. */
export type StartPage = (input: {
  readonly config: Config;
  readonly shares: readonly ShareConfig[];
  readonly temporal: () => Promise<Client>;
  readonly logger: Logger;
  readonly work: WorkMetrics;
}) => Promise<{ readonly address: string; close(): Promise<void> }>;

/** Started parts, ended in the opposite order. */
type Stops = (readonly [name: string, stop: () => Promise<void>])[];

/**
 * Runs until asked to end, then drains and stops everything. Throws when a part
 * cannot be started or kept running.
 */
export async function runAll(input: RunAllInput): Promise<void> {
  const { config, reporter } = input;
  // Before a Temporal CLI is fetched, which can take minutes.
  requireShare(config);
  const lock = await takeDataLock(config.stateDir);
  const stops: Stops = [];
  const failing = new AbortController();
  const fail = (name: string) => (error: unknown) => {
    failing.abort(new CliError(`${name} cannot go on: ${toText(error)}`, EXIT_CODES.failed, error));
  };
  try {
    const logger = createRunLogger(input);
    const temporal = await startTemporal(input, stops, fail('Temporal'));
    const { service, standIn } = await startService(input, stops, fail('The stand-in service'));
    const page = await startWork(input, { logger, temporal, service, stops, fail });
    const sample = standIn && (await offerSample(config));
    reporter.say(describeRun(input, { temporal, standIn, sample, page }));
    await firstAbort(input.ending, failing.signal);
  } finally {
    if (stops.length > 0) reporter.say('\nStopping: what is on its way is finished or handed back.');
    for (const [name, stop] of stops.reverse()) {
      reporter.progress(`Stopping ${name} ...`);
      await stop().catch((error: unknown) => reporter.say(`${name} did not end cleanly: ${toText(error)}`));
    }
    await lock.release();
  }
  failing.signal.throwIfAborted();
  reporter.say('Stopped. Nothing is lost; start again to go on.');
}

async function takeDataLock(stateDir: string): Promise<HeldLock> {
  // The state is private; what lies beside it, such as the share, need not be.
  mkdirSync(dirname(stateDir), { recursive: true });
  const outcome = await takeLock(join(stateDir, 'run-lock'));
  if (outcome.kind === 'held') return outcome.lock;
  throw new CliError(
    `Drawbridge is running already on this data: ${outcome.owner} has ${stateDir}. Stop that one, or give --data-dir with another folder.`,
    EXIT_CODES.alreadyRunning,
  );
}

function createRunLogger({ config, reporter, paint, command }: RunAllInput): Logger {
  const folders = new Map(sharesOf(config).map(share => [share.name, share.folder]));
  const incidents = new IncidentFilter();
  return createLogger({
    level: config.logging.level,
    file: logFileOf(config),
    maxBytes: config.logging.maxBytes,
    onEvent: record => {
      const news = incidents.pass(record);
      const narrated = news && narrate(news, { folderOf: share => folders.get(share), command });
      if (narrated !== undefined) reporter.say(renderLine(narrated, new Date(), paint));
    },
  });
}

async function startTemporal(
  { config, reporter, ending }: RunAllInput,
  stops: Stops,
  fail: (error: unknown) => void,
): Promise<RunningTemporal> {
  const configured = findTemporalTarget(config.temporal);
  if (configured !== undefined) {
    reporter.say(`Temporal: the server at ${configured.address}, namespace ${configured.namespace}`);
    return { target: configured };
  }
  const { embedded } = config.temporal;
  if (!embedded.enabled) {
    throw new CliError(
      'No Temporal server: temporal.embedded.enabled is false and no address is configured. Set TEMPORAL_ADDRESS.',
      EXIT_CODES.noTemporal,
    );
  }
  requireWordForProduction(config);
  const cli = await resolveTemporalCli({ reporter, signal: ending });
  const start = async (): Promise<EmbeddedTemporal> => {
    const started = await startEmbeddedTemporal({
      cli: cli.path,
      port: embedded.port,
      uiPort: embedded.uiPort,
      database: embedded.database,
      logFile: join(config.stateDir, 'temporal.log'),
      logLevel: embedded.logLevel,
      signal: ending,
    });
    const { namespace } = toEmbeddedTarget(started.address, config.temporal);
    await keepEndedRuns(started.address, [namespace], embedded.retention);
    return started;
  };
  reporter.progress('Starting Temporal ...');
  const first = await start();
  const kept = keepRunning({
    first,
    again: start,
    onEnded: () => reporter.say('Temporal has ended by itself; starting it again.'),
    onSilent: () => reporter.say('Temporal has not answered for two minutes; starting it anew.'),
    onBack: () => reporter.say('Temporal is back; everything goes on where it stood.'),
  });
  kept.failed.catch(fail);
  stops.push(['Temporal', kept.stop]);
  return { target: toEmbeddedTarget(first.address, config.temporal), uiAddress: first.uiAddress };
}

async function startService(
  { config, reporter, standIn: options }: RunAllInput,
  stops: Stops,
  fail: (error: unknown) => void,
): Promise<{ service: ServiceConfig; standIn?: StandIn }> {
  if (config.service !== undefined) {
    return { service: config.service };
  }
  const start = (): Promise<StandIn> =>
    startStandIn({
      dataFolder: join(config.stateDir, 'stand-in'),
      logFile: join(config.stateDir, 'stand-in.log'),
      ...options,
    });
  reporter.progress('Starting the stand-in service ...');
  const first = await start();
  const kept = keepRunning({
    first,
    again: start,
    onEnded: () => reporter.say('The stand-in service has ended by itself; starting it again.'),
    onBack: () => reporter.say('The stand-in service is back.'),
  });
  kept.failed.catch(fail);
  stops.push(['the stand-in service', kept.stop]);
  return { service: first.service, standIn: first };
}

interface WorkInput {
  readonly logger: Logger;
  readonly temporal: RunningTemporal;
  readonly service: ServiceConfig;
  readonly stops: Stops;
  readonly fail: (name: string) => (error: unknown) => void;
}

/** Answers the address of the page; undefined where it is not wanted. */
async function startWork(input: RunAllInput, work: WorkInput): Promise<string | undefined> {
  const { logger, temporal, service, stops, fail } = work;
  const { target } = temporal;
  const shares = sharesOf(input.config);
  const config: Config = { ...input.config, shares };
  input.reporter.progress('Starting the worker ...');
  installRuntime(logger, config.metrics);
  const keepTrying = {
    signal: input.ending,
    onWaiting: (why: string) => input.reporter.say(`${why}; trying again`),
  };
  const session = toSession(await connectClient({ target, keepTrying }), target);
  stops.push(["the client's connection", session.close]);
  const attributes = await registerSearchAttributes(session.connection, target.namespace);
  if (attributes.kind === 'unavailable')
    logger.warn({ why: attributes.why }, 'No search attributes: runs are started without');

  const connection = await connectWorker({ target, keepTrying });
  stops.push(["the worker's connection", async () => await connection.close()]);
  const { namespace, address } = target;
  const [metrics, standing] = [new WorkMetrics(), new ProcessStanding()];
  const worker = await startWorker({
    config,
    service,
    connection,
    namespace,
    address,
    logger,
    metrics,
    standing,
  });
  worker.run.catch(fail('The worker'));
  stops.push(['the worker', worker.shutdown]);
  const watchedShares: Share[] = [];
  addShareMetrics(metrics.all, new SharesInNumbers(() => watchedShares));
  const served = await serveNumbers(config, metrics.all, standing, logger);
  if (served !== undefined) stops.push(['the numbers', served.close]);
  const page = await startPageOf(input, {
    config,
    shares,
    logger,
    temporal,
    client: session.client,
    stops,
    work: metrics,
  });

  if (config.webhooks?.inRun === true) {
    const bell = new UploadBell(batchesAt(session.client), logger);
    const receiver = await startWebhookReceiver({
      config: config.webhooks,
      starter: new TemporalEventStarter(session.client),
      bell,
      logger,
    });
    stops.push(['the hints to batches', () => bell.close()], ['the receiver of webhooks', receiver.close]);
    input.reporter.say(`Webhooks are received at ${receiver.address}`);
  }

  const watching = new AbortController();
  setMaxListeners(0, watching.signal);
  const watched = watchShares({
    config,
    shares,
    client: session.client,
    address,
    hasSearchAttributes: attributes.kind === 'registered',
    logger,
    signal: watching.signal,
    onShare: share => watchedShares.push(share),
  });
  watched.catch(fail('The watcher'));
  stops.push([
    'the watcher',
    async () => {
      watching.abort();
      await watched;
    },
  ]);
  return page;
}

interface PageInput {
  readonly config: Config;
  readonly shares: readonly ShareConfig[];
  readonly logger: Logger;
  readonly temporal: RunningTemporal;
  readonly client: Client;
  readonly stops: Stops;
  readonly work: WorkMetrics;
}

async function startPageOf({ startPage }: RunAllInput, input: PageInput): Promise<string | undefined> {
  const { config, shares, logger, temporal, client, stops, work } = input;
  if (!config.console.inRun) return undefined;
  const temporalUi = config.console.temporalUi ?? temporal.uiAddress;
  const shown = {
    ...config,
    console: { ...config.console, ...(temporalUi === undefined ? {} : { temporalUi }) },
  };
  const page = await startPage({ config: shown, shares, temporal: async () => client, logger, work });
  stops.push(['the page', page.close]);
  return page.address;
}

/** Only beside the share that is made for the stand-in: its values are those of that project. */
async function offerSample(config: Config): Promise<string | undefined> {
  const [share] = sharesOf(config);
  if (share === undefined || config.shares.length > 0) return undefined;
  // Nobody waits for it: a share that takes no files is told of by whoever needs it for the work.
  return await writeSample(share.folder).catch(() => undefined);
}

function toText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
