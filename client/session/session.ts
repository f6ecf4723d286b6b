// What every command begins with: the configuration, and a way to Temporal.
import { join, resolve } from 'node:path';
import { Client, type Connection } from '@temporalio/client';

import { isLoopbackHost } from '../../activities/service/service-config';
import { type Config, loadConfig } from '../../workers/config/config';
import {
  connectClient,
  findTemporalTarget,
  type TemporalTarget,
  toEmbeddedTarget,
} from '../../workers/temporal/temporal-connection';
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

export interface TemporalSession {
  readonly client: Client;
  readonly connection: Connection;
  readonly target: TemporalTarget;
  close(): Promise<void>;
}

/** The configuration with the command line's options over it. `secrets`: see loadConfig. */
export function loadCommandConfig(options: GlobalOptions, secrets: 'read' | 'leave'): Config {
  const dataDir = options.dataDir ?? process.env.DRAWBRIDGE_DATA_DIR;
  return loadConfig({
    path: options.config,
    secrets,
    flags: {
      service: {
        baseUrl: options.service,
        authUrl: options.auth,
        clientId: options.clientId,
        // Naming an address of this very machine says that it is meant.
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
 * A development server has one database file and no users: fit for a try, and
 * for production only by decision.
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

/** The configured server, else the one that `run` starts. */
export function temporalTargetOf(config: Config): TemporalTarget {
  return (
    findTemporalTarget(config.temporal) ??
    toEmbeddedTarget(`127.0.0.1:${config.temporal.embedded.port}`, config.temporal)
  );
}

/** Connects once; a server that is not there is an error with what to do. */
async function openTemporal(config: Config): Promise<TemporalSession> {
  const isConfigured = findTemporalTarget(config.temporal) !== undefined;
  const target = temporalTargetOf(config);
  try {
    return toSession(await connectClient({ target }), target);
  } catch (error) {
    const hint = isConfigured
      ? 'Check the address (TEMPORAL_ADDRESS, temporal.toml or temporal.address) and that it runs.'
      : 'Is `drawbridge run` running? For a server elsewhere set TEMPORAL_ADDRESS.';
    throw new CliError(
      `Temporal at ${target.address} does not answer. ${hint}`,
      EXIT_CODES.noTemporal,
      error,
    );
  }
}

/** Runs `work` with a connection of its own, which is closed whatever becomes of it. */
export async function withTemporal<Result>(
  config: Config,
  work: (session: TemporalSession) => Promise<Result>,
): Promise<Result> {
  const session = await openTemporal(config);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** A client over an open connection. */
export function toSession(connection: Connection, target: TemporalTarget): TemporalSession {
  return {
    connection,
    target,
    client: new Client({ connection, namespace: target.namespace }),
    close: async () => await connection.close(),
  };
}

function isInsecureLoopback(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && isLoopbackHost(hostname);
}
