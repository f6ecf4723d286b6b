// Where Temporal is: by the SDK's env-config (TEMPORAL_*, temporal.toml) and the
// config file, and connecting to it.
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';

import type { Config } from '../config/config';
import { ConfigError } from '../config/config-faults';
import type { Environment } from '../config/config-types';
import { CALL_RETRIES } from './call-retries';

const DEFAULT_NAMESPACE = 'default';
const CONNECT_TIMEOUT_MS = 5_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export interface TemporalTarget {
  readonly address: string;
  readonly namespace: string;
  /** TLS, API key and metadata included: never to be printed. */
  readonly connectionOptions: NativeConnectionOptions;
}

/**
 * The configured server: TEMPORAL_ADDRESS, then the config file's, then
 * temporal.toml's; undefined when there is none.
 */
export function findTemporalTarget(
  temporal: Config['temporal'],
  environment: Environment = process.env,
): TemporalTarget | undefined {
  const loaded = loadProfile(temporal, environment);
  const address =
    nonEmpty(environment.TEMPORAL_ADDRESS) ?? temporal.address ?? nonEmpty(loaded.connectionOptions.address);
  if (address === undefined) return undefined;
  const namespace =
    nonEmpty(environment.TEMPORAL_NAMESPACE) ??
    temporal.namespace ??
    nonEmpty(loaded.namespace) ??
    DEFAULT_NAMESPACE;
  return { address, namespace, connectionOptions: { ...definedOnly(loaded.connectionOptions), address } };
}

/** The embedded server as a target. */
export function toEmbeddedTarget(address: string, temporal: Config['temporal']): TemporalTarget {
  return { address, namespace: temporal.namespace ?? DEFAULT_NAMESPACE, connectionOptions: { address } };
}

export interface ConnectInput {
  readonly target: TemporalTarget;
  /** Absent: one attempt. Present: tried until it works or the signal aborts. */
  readonly keepTrying?: { readonly signal: AbortSignal; readonly onWaiting: (why: string) => void };
}

/** A connection for clients. */
export async function connectClient(input: ConnectInput): Promise<Connection> {
  return await connect(input, () =>
    Connection.connect({
      ...input.target.connectionOptions,
      connectTimeout: CONNECT_TIMEOUT_MS,
      interceptors: CALL_RETRIES,
    }),
  );
}

/** Attempts until one works, or once. */
export async function connect<T>(input: ConnectInput, attempt: () => Promise<T>): Promise<T> {
  for (
    let waitMs = FIRST_WAIT_MS, said = false;
    ;
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS), said = true
  ) {
    try {
      return await attempt();
    } catch (error) {
      const why = `Temporal at ${input.target.address} cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
      if (input.keepTrying === undefined) throw new Error(why, { cause: error });
      if (!said) input.keepTrying.onWaiting(why);
      await delay(waitMs, undefined, { signal: input.keepTrying.signal });
    }
  }
}

function loadProfile(temporal: Config['temporal'], environment: Environment): ClientConnectConfig {
  try {
    return loadClientConnectConfig({
      ...(temporal.profile === undefined ? {} : { profile: temporal.profile }),
      ...(temporal.configFile === undefined ? {} : { configSource: { path: temporal.configFile } }),
      overrideEnvVars: definedOnly(environment),
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new ConfigError("Temporal's configuration (TEMPORAL_* or temporal.toml)", [{ path: '', text }]);
  }
}

function definedOnly<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
