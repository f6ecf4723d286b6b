// The servers that `run` brings itself, each a process of its own: Temporal, and the stand-in service. They
// come up beside each other.
import { join } from 'node:path';
import type { HeldLock } from '../../activities/host/process-lock';
import type { ServiceConfig } from '../../activities/service/service-config';
import {
  type EmbeddedTemporal,
  holdDatabase,
  startEmbeddedTemporal,
} from '../../workers/temporal/embedded-temporal';
import { resolveTemporalCli } from '../../workers/temporal/temporal-cli';
import { findTemporalTarget, toEmbeddedTarget } from '../../workers/temporal/temporal-connection';
import { keepEndedRuns } from '../../workers/temporal/temporal-retention';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { requireWordForProduction } from '../session/command-config';
import { type StandIn, startStandIn } from '../session/stand-in';
import type { RunningTemporal } from './describe-run';
import { keepRunning } from './keep-running';
import { allStarted, type RunAllInput, type Stops } from './run-input';

export interface ServersInput {
  /** How each is ended; in any order. */
  readonly stops: Stops;
  readonly fail: (name: string) => (error: unknown) => void;
  /** Called while the embedded Temporal comes up: there is time then to load the rest. */
  readonly onBegun: () => void;
}

export interface Servers {
  readonly temporal: RunningTemporal;
  readonly service: ServiceConfig;
  readonly standIn?: StandIn | undefined;
}

export async function startServers(input: RunAllInput, given: ServersInput): Promise<Servers> {
  const servers = { ...given, fail: untilEnding(input.ending, given.fail) };
  const [temporal, { service, standIn }] = await allStarted([
    startTemporal(input, servers),
    startService(input, servers),
  ]);
  return { temporal, service, standIn };
}

/** A server that does not come back once everything ends has not failed: its start was called off. */
function untilEnding(ending: AbortSignal, fail: ServersInput['fail']): ServersInput['fail'] {
  return name => error => {
    if (!ending.aborted) fail(name)(error);
  };
}

async function startTemporal(input: RunAllInput, servers: ServersInput): Promise<RunningTemporal> {
  const { config, reporter } = input;
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
  // Before a CLI is fetched, and until the run ends: nobody comes in between while the server starts again.
  const lock = embedded.database === undefined ? undefined : await holdDatabase(embedded.database);
  try {
    return await startEmbedded(input, servers, lock);
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

async function startEmbedded(
  { config, reporter, ending }: RunAllInput,
  { stops, fail, onBegun }: ServersInput,
  lock: HeldLock | undefined,
): Promise<RunningTemporal> {
  const { embedded } = config.temporal;
  const { namespace } = toEmbeddedTarget('', config.temporal);
  const cli = await resolveTemporalCli({ reporter, signal: ending });
  const start = async (onSpawned?: () => void): Promise<EmbeddedTemporal> => {
    const started = await startEmbeddedTemporal({
      cli: cli.path,
      port: embedded.port,
      namespace,
      uiPort: embedded.uiPort,
      database: embedded.database,
      lock,
      logFile: join(config.stateDir, 'temporal.log'),
      logLevel: embedded.logLevel,
      signal: ending,
      onSpawned,
    });
    await keepEndedRuns(started.address, [namespace], embedded.retention);
    return started;
  };
  reporter.progress('Starting Temporal ...');
  const first = await start(onBegun);
  const kept = keepRunning({
    first,
    again: () => start(),
    onEnded: () => reporter.say('Temporal has ended by itself; starting it again.'),
    onSilent: () => reporter.say('Temporal has not answered for two minutes; starting it anew.'),
    onBack: () => reporter.say('Temporal is back; everything goes on where it stood.'),
  });
  kept.failed.catch(fail('Temporal'));
  const stop = async (): Promise<void> => {
    try {
      await kept.stop();
    } finally {
      await lock?.release();
    }
  };
  stops.push(['Temporal', stop]);
  return { target: toEmbeddedTarget(first.address, config.temporal), uiAddress: first.uiAddress };
}

async function startService(
  { config, reporter, standIn: options }: RunAllInput,
  { stops, fail }: ServersInput,
): Promise<{ service: ServiceConfig; standIn?: StandIn }> {
  if (config.service !== undefined) {
    return { service: config.service };
  }
  const start = (): Promise<StandIn> =>
    startStandIn({
      dataFolder: join(config.stateDir, 'stand-in'),
      logFile: join(config.stateDir, 'stand-in.log'),
      portOption: '--stand-in-port',
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
  kept.failed.catch(fail('The stand-in service'));
  stops.push(['the stand-in service', kept.stop]);
  return { service: first.service, standIn: first };
}
