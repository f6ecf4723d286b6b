// A way to Temporal, for the commands that need one.
import { Client, type Connection } from '@temporalio/client';

import type { Config } from '../../workers/config/config';
import {
  connectClient,
  findTemporalTarget,
  type TemporalTarget,
  toEmbeddedTarget,
} from '../../workers/temporal/temporal-connection';
import { CliError, EXIT_CODES } from './cli-error';

export interface TemporalSession {
  readonly client: Client;
  readonly connection: Connection;
  readonly target: TemporalTarget;
  close(): Promise<void>;
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
