// What works in the process of `run`: the worker, the page, the receiver of webhooks and the watcher. It is
// loaded while the servers come up, for it is most of what is to be loaded.
import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import type { ServiceConfig } from '../../activities/service/service-config';
import type { Share } from '../../activities/share/share';
import type { ShareConfig } from '../../activities/share/share-config';
import type { Config } from '../../workers/config/config';
import type { Logger } from '../../workers/logging';
import { ProcessStanding } from '../../workers/metrics/standing';
import { WorkMetrics } from '../../workers/metrics/work-metrics';
import { installRuntime } from '../../workers/runtime-logging';
import { registerSearchAttributes } from '../../workers/temporal/search-attributes';
import {
  type ConnectInput,
  connectClient,
  type TemporalTarget,
} from '../../workers/temporal/temporal-connection';
import { connectWorker } from '../../workers/temporal/worker-connection';
import { startWorker } from '../../workers/worker';
import { serveNumbers } from '../session/serve-numbers';
import { toSession } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { addShareMetrics, SharesInNumbers } from '../status/share-numbers';
import { watchShares } from '../watch/watch-shares';
import { batchesAt, UploadBell } from '../webhooks/upload-bell';
import { startWebhookReceiver } from '../webhooks/webhook-receiver';
import { TemporalEventStarter } from '../webhooks/webhook-starter';
import type { RunningTemporal } from './describe-run';
import { allStarted, type RunAllInput, type Stops } from './run-input';

export interface WorkInput {
  readonly logger: Logger;
  readonly temporal: RunningTemporal;
  readonly service: ServiceConfig;
  readonly stops: Stops;
  readonly fail: (name: string) => (error: unknown) => void;
}

/** @returns the address of the page; undefined where none is wanted. */
export async function startWork(input: RunAllInput, work: WorkInput): Promise<string | undefined> {
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
  const [{ session, attributes }, connection] = await allStarted([
    openSession(work, target, keepTrying),
    openConnection(work, target, keepTrying),
  ]);
  const { namespace, address } = target;
  const [metrics, standing] = [new WorkMetrics(), new ProcessStanding()];
  const watchedShares: Share[] = [];
  const beginWork = async (): Promise<void> => {
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
  };
  const beginPage = async (): Promise<string | undefined> => {
    addShareMetrics(metrics.all, new SharesInNumbers(() => watchedShares));
    const served = await serveNumbers(config, metrics.all, standing, logger);
    if (served !== undefined) stops.push(['the numbers', served.close]);
    return await startPageOf(input, {
      config,
      shares,
      logger,
      temporal,
      client: session.client,
      stops,
      work: metrics,
    });
  };
  const [page] = await allStarted([beginPage(), beginWork()]);

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

type KeepTrying = NonNullable<ConnectInput['keepTrying']>;

/**
 * Its connection is left open, for the process ends right after: where one is closed under a caller that asks
 * again, the library throws out of a timer, and whatever is still to be stopped would be cut off.
 */
async function openSession({ logger }: WorkInput, target: TemporalTarget, keepTrying: KeepTrying) {
  const session = toSession(await connectClient({ target, keepTrying }), target);
  const attributes = await registerSearchAttributes(session.connection, target.namespace);
  if (attributes.kind === 'unavailable')
    logger.warn({ why: attributes.why }, 'No search attributes: runs are started without');
  return { session, attributes };
}

async function openConnection({ stops }: WorkInput, target: TemporalTarget, keepTrying: KeepTrying) {
  const connection = await connectWorker({ target, keepTrying });
  stops.push(["the worker's connection", async () => await connection.close()]);
  return connection;
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
