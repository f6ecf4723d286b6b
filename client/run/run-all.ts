// Everything in one terminal: Temporal, the stand-in service, a worker and the
// watcher; and their end, in order.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../activities/host/clock';
import { type HeldLock, takeLock } from '../../activities/host/process-lock';
import type { Config } from '../../workers/config/config';
import { createLogger, type Logger } from '../../workers/logging';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { requireShare } from '../session/command-config';
import { firstAbort } from '../session/ending';
import { sharesOf } from '../session/stand-in';
import { describeRun, logFileOf } from './describe-run';
import { IncidentFilter } from './incident-filter';
import { narrate, renderLine } from './narrator';
import { allStarted, type RunAllInput, type Stops } from './run-input';
import { writeSample } from './sample-folder';
import { startServers } from './start-servers';

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
  const serverStops: Stops = [];
  const failing = new AbortController();
  const fail = (name: string) => (error: unknown) => {
    failing.abort(new CliError(`${name} cannot go on: ${toText(error)}`, EXIT_CODES.failed, error));
  };
  try {
    const logger = createRunLogger(input);
    let loaded: typeof import('./start-work') | undefined;
    const load = () => {
      loaded ??= require('./start-work') as typeof import('./start-work');
      return loaded;
    };
    const servers = { stops: serverStops, fail, onBegun: load };
    const { temporal, service, standIn } = await startServers(input, servers);
    const [page, sample] = await allStarted([
      load().startWork(input, { logger, temporal, service, stops, fail }),
      standIn === undefined ? Promise.resolve(undefined) : offerSample(config),
    ]);
    reporter.say(describeRun(input, { temporal, standIn, sample, page }));
    await firstAbort(input.ending, failing.signal);
  } finally {
    if (stops.length + serverStops.length > 0)
      reporter.say('\nStopping: what is on its way is finished or handed back.');
    const end = async ([name, stop]: Stops[number]): Promise<void> => {
      reporter.progress(`Stopping ${name} ...`);
      await stop().catch((error: unknown) => reporter.say(`${name} did not end cleanly: ${toText(error)}`));
    };
    for (const each of stops.reverse()) await end(each);
    // None of the servers needs another, so all are stopped at once.
    await Promise.all(serverStops.map(end));
    await lock.release();
  }
  failing.signal.throwIfAborted();
  reporter.say('Stopped. Nothing is lost; start again to go on.');
}

async function takeDataLock(stateDir: string): Promise<HeldLock> {
  // The state is private; what lies beside it, such as the share, need not be.
  mkdirSync(dirname(stateDir), { recursive: true });
  const folder = join(stateDir, 'run-lock');
  const outcome = await takeLock(folder, { isOfOneHost: true });
  if (outcome.kind === 'held') return outcome.lock;
  throw new CliError(
    `Drawbridge is running already on this data: ${outcome.owner} has ${stateDir}. Stop that one, or give --data-dir with another folder. If that process is gone, remove ${folder}.`,
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
      if (narrated !== undefined) reporter.say(renderLine(narrated, new Date(systemClock.wallMs()), paint));
    },
  });
}

/** Only beside the share that is made for the stand-in: its values are those of that project. */
async function offerSample(config: Config): Promise<string | undefined> {
  const [share] = sharesOf(config);
  if (share === undefined || config.shares.length > 0) return undefined;
  // A failure is not told here: of a share that takes no files, those tell who need it for the work.
  return await writeSample(share.folder).catch(() => undefined);
}

function toText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
