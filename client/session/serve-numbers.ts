// `/metrics`, `/healthz` and `/readyz` of a role, where the configuration says so.
import type { Metrics } from '../../activities/host/metrics';
import type { Config } from '../../workers/config/config';
import type { Logger } from '../../workers/logging';
import { type ServedMetrics, serveMetrics } from '../../workers/metrics/serve-metrics';
import type { Standing } from '../../workers/metrics/standing';
import { CliError, EXIT_CODES } from './cli-error';
import { ownVersion } from './own-version';

/** @throws CliError when the address cannot be had. */
export async function serveNumbers(
  { metrics: section }: Config,
  metrics: Metrics,
  standing: Standing,
  logger: Logger,
): Promise<ServedMetrics | undefined> {
  metrics.gauge('drawbridge_info', 'The version that runs.', () => [
    { labels: { version: ownVersion() }, value: 1 },
  ]);
  try {
    return await serveMetrics({ listen: section?.listen, metrics, standing, logger });
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error), EXIT_CODES.failed, error);
  }
}
