// Bridges Temporal's own log lines, and those of workflows and activities, into the process's pino log.
import { DefaultLogger, type LogLevel, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Config } from './config/config';
import type { Logger } from './logging';

const LEVELS: Readonly<Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'>> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

let isInstalled = false;

/** Once per process and before any worker: the runtime cannot be changed afterwards. */
export function installRuntime(logger: Logger, metrics?: Config['metrics']): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({
    // Signals are the process's own business: it drains in its own order.
    shutdownSignals: [],
    logger: new DefaultLogger('INFO', ({ level, message, meta }) =>
      logger[LEVELS[level]](meta ?? {}, message),
    ),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metrics?.address === undefined
        ? {}
        : { metrics: { prometheus: { bindAddress: metrics.address } } }),
    },
  });
}
