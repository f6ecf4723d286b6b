// `drawbridge worker` and `drawbridge watch`: the parts by themselves, for a cluster. Logs
// go to standard output as JSON.

import type { NativeConnection } from '@temporalio/worker';
import { Metrics } from '../../../activities/host/metrics';
import type { Share } from '../../../activities/share/share';
import { createLogger, type Logger } from '../../../workers/logging';
import { ProcessStanding } from '../../../workers/metrics/standing';
import { WorkMetrics } from '../../../workers/metrics/work-metrics';
import { installRuntime } from '../../../workers/runtime-logging';
import { registerSearchAttributes } from '../../../workers/temporal/search-attributes';
import { type ConnectInput, connectClient } from '../../../workers/temporal/temporal-connection';
import { connectWorker } from '../../../workers/temporal/worker-connection';
import { startWorker } from '../../../workers/worker';
import { CliError, EXIT_CODES } from '../../session/cli-error';
import type { AddCommand } from '../../session/command';
import { type GlobalOptions, loadCommandConfig } from '../../session/command-config';
import { firstAbort, listenForEnding, untilEnded } from '../../session/ending';
import { serveNumbers } from '../../session/serve-numbers';
import { type TemporalSession, temporalTargetOf, toSession } from '../../session/session';
import { addShareMetrics, SharesInNumbers } from '../../status/share-numbers';
import { watchShares } from '../../watch/watch-shares';

const NO_SERVICE =
  'No service is configured: "service" names its address and credentials (drawbridge.example.json shows how).';
const NO_SHARE = 'No share is configured: "shares" needs at least one (drawbridge.example.json shows how).';

const NO_ROLE = 'With --no-shares and --no-workflows nothing is left to do: leave one of them out.';

export const addWorkerCommand: AddCommand = (declared, globals) => {
  declared
    .option('--no-shares', 'serve no share: for machines that do not see them')
    .option('--no-workflows', 'serve shares only: for machines that do nothing else')
    .action(async (options: { shares: boolean; workflows: boolean }) => {
      const ending = listenForEnding();
      await untilEnded(ending, async () => await runWorker(globals(), options, ending.signal));
    });
};

export const addWatchCommand: AddCommand = (declared, globals) => {
  declared.action(async () => {
    const ending = listenForEnding();
    await untilEnded(ending, async () => await runWatcher(globals(), ending.signal));
  });
};

async function runWorker(
  globals: GlobalOptions,
  options: { shares: boolean; workflows: boolean },
  signal: AbortSignal,
): Promise<void> {
  if (!options.shares && !options.workflows) throw new CliError(NO_ROLE, EXIT_CODES.usage);
  const config = loadCommandConfig(globals, 'read');
  const { service } = config;
  if (service === undefined) throw new CliError(NO_SERVICE, EXIT_CODES.usage);
  if (options.shares && config.shares.length === 0) throw new CliError(NO_SHARE, EXIT_CODES.usage);
  const logger = createLogger(config.logging);
  installRuntime(logger, config.metrics);
  const metrics = new WorkMetrics();
  const standing = new ProcessStanding();
  standing.note('worker', 'waits for Temporal');
  const served = await serveNumbers(config, metrics.all, standing, logger);
  const target = temporalTargetOf(config);
  let connection: NativeConnection | undefined;
  try {
    connection = await connectWorker({ target, keepTrying: keepTrying(logger, signal) });
    const worker = await startWorker({
      config,
      service,
      connection,
      namespace: target.namespace,
      address: target.address,
      logger,
      metrics,
      standing,
      roles: { service: options.workflows, shares: options.shares },
    });
    logger.info(
      { event: 'worker-started', address: target.address, namespace: target.namespace },
      'The worker runs',
    );
    const ended = firstAbort(signal).then(() => worker.shutdown());
    // A worker that cannot go on ends the process, so that whatever supervises it starts it again.
    await Promise.race([ended, worker.run]);
    await worker.shutdown();
    logger.info({ event: 'worker-ended' }, 'The worker has drained and ended');
  } finally {
    await connection?.close();
    await served?.close();
  }
}

async function runWatcher(globals: GlobalOptions, signal: AbortSignal): Promise<void> {
  const config = loadCommandConfig(globals, 'leave');
  if (config.shares.length === 0) throw new CliError(NO_SHARE, EXIT_CODES.usage);
  const logger = createLogger(config.logging);
  const target = temporalTargetOf(config);
  const [metrics, standing] = [new Metrics(), new ProcessStanding()];
  const watched: Share[] = [];
  addShareMetrics(metrics, new SharesInNumbers(() => watched));
  for (const { name } of config.shares) standing.noteShare(name, 'not seen yet');
  standing.note('watcher', 'waits for Temporal');
  const served = await serveNumbers(config, metrics, standing, logger);
  let session: TemporalSession | undefined;
  try {
    const connection = await connectClient({ target, keepTrying: keepTrying(logger, signal) });
    session = toSession(connection, target);
    const attributes = await registerSearchAttributes(session.connection, target.namespace);
    standing.note('watcher');
    await watchShares({
      config,
      shares: config.shares,
      client: session.client,
      address: target.address,
      hasSearchAttributes: attributes.kind === 'registered',
      logger,
      signal,
      onShare: share => {
        watched.push(share);
        standing.noteShare(share.name);
      },
    });
  } finally {
    await served?.close();
    await session?.close();
  }
}

function keepTrying(logger: Logger, signal: AbortSignal): NonNullable<ConnectInput['keepTrying']> {
  return { signal, onWaiting: why => logger.warn({ event: 'temporal-away', why }, 'Waiting for Temporal') };
}
