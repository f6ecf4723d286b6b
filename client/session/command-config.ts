// What every command begins with: its options, and the configuration.
import { join, resolve } from 'node:path';

import { isLoopbackHost } from '../../activities/service/service-config';
import { type Config, type LoadConfigInput, loadConfig } from '../../workers/config/config';
import { CliError, EXIT_CODES } from './cli-error';

/** Options that every command knows. */
export interface GlobalOptions {
  readonly config?: string;
  readonly dataDir?: string;
  readonly service?: string;
  readonly auth?: string;
  readonly clientId?: string;
  readonly verbose?: true;
}

/** The configuration with the command line's options over it. `secrets`: see loadConfig. */
export function loadCommandConfig(
  options: GlobalOptions,
  secrets: NonNullable<LoadConfigInput['secrets']>,
): Config {
  const dataDir = options.dataDir ?? process.env.DRAWBRIDGE_DATA_DIR;
  return loadConfig({
    path: options.config,
    secrets,
    flags: {
      service: {
        baseUrl: options.service,
        authUrl: options.auth,
        clientId: options.clientId,
        // An http address of this very machine that is given on the command line is meant, so it is allowed.
        allowInsecureLoopback: isInsecureLoopback(options.service) ? true : undefined,
      },
      ...(dataDir === undefined || dataDir === '' ? {} : { stateDir: join(resolve(dataDir), 'state') }),
    },
  });
}

/** Throws CliError for a service without a share: nothing would ever be carried to it. */
export function requireShare(config: Config): void {
  if (config.service === undefined || config.shares.length > 0) return;
  throw new CliError(
    'A service is configured, but no share: add at least one to "shares" (drawbridge.example.json shows how).',
    EXIT_CODES.usage,
  );
}

/**
 * Throws CliError when production would run on the embedded Temporal without the setting that allows it: that
 * is a development server, with one database file and no users.
 */
export function requireWordForProduction({ settings }: Pick<Config, 'settings'>): void {
  if (settings.service?.environment !== 'production' || settings.temporal.embedded.forProduction) return;
  throw new CliError(
    [
      'service.environment is "production" (its default), and no Temporal server is configured: the embedded one is a development server,',
      'with one database file and no access control among the users of this machine. Do one of these:',
      '  - set TEMPORAL_ADDRESS (docs/cluster.md), which is what production is meant to run on;',
      '  - set temporal.embedded.forProduction to true (DRAWBRIDGE_TEMPORAL__EMBEDDED__FOR_PRODUCTION=true): it is meant, on a machine of its own;',
      '  - if this is no production, name the environment: service.environment, for example "sandbox".',
    ].join('\n'),
    EXIT_CODES.usage,
  );
}

function isInsecureLoopback(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && isLoopbackHost(hostname);
}
