// Puts the page's server together, and starts it.
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import { codeOf, hasCode } from '../../activities/host/error-code';
import type { SystemCode } from '../../activities/host/file-trouble';
import { Metrics } from '../../activities/host/metrics';
import { isLoopbackHost } from '../../activities/service/service-config';
import type { ShareConfig } from '../../activities/share/share-config';
import type { Config } from '../../workers/config/config';
import type { Logger } from '../../workers/logging';
import type { ServedMetrics } from '../../workers/metrics/serve-metrics';
import type { WorkMetrics } from '../../workers/metrics/work-metrics';
import { createHasher } from '../../workers/share-adapters';
import { readShareKey } from '../../workers/share-key';
import { CliError } from '../session/cli-error';
import { ownVersion } from '../session/own-version';
import { serveNumbers } from '../session/serve-numbers';
import { createAccess } from './access/create-access';
import { createApart } from './apart/apart';
import { ApartFiles } from './apart/apart-listing';
import { ROUTES } from './contract/routes';
import type { Topic } from './contract/session';
import { createDrop } from './drop/drop-module';
import { createJobs } from './jobs/jobs';
import { Lookout } from './operations/lookout';
import { createOperations, standingOf } from './operations/operations';
import { readConsoleKey } from './serve/console-key';
import { ConsoleShares } from './serve/console-shares';
import type { ConsoleDeps } from './serve/module';
import { pageVersion } from './serve/page-files';
import { type AnyModule, createConsoleServer } from './serve/server';
import { createWaiting } from './waiting/waiting';

/** Where no port is configured, these are tried one after the other, and then any that is free. */
const FIRST_PORT = 7490;
const PORTS = 20;
const PAGE = join(__dirname, 'page');

export interface ConsoleInput {
  readonly config: Config;
  readonly shares: readonly ShareConfig[];
  /** Rejects while Temporal is away. */
  readonly temporal: () => Promise<Client>;
  readonly logger: Logger;
  /** The numbers of a worker in this same process, where there is one. */
  readonly work?: WorkMetrics | undefined;
  /** Where the built page lies, when it is not beside this file. */
  readonly page?: string;
}

export interface RunningConsole {
  /** What to open in a browser: the public address where one is configured, else that on this machine. */
  readonly address: string;
  /** Resolves when all requests are answered; those that take long are cut off after a few seconds. */
  close(): Promise<void>;
}

/** The parts of the server. Each is a line here. */
export function createModules(deps: ConsoleDeps): readonly AnyModule[] {
  const apart = new ApartFiles(deps);
  const lookout = new Lookout(deps);
  return [
    createJobs(deps, { apart, lookout }),
    createWaiting(deps),
    createDrop(deps),
    createApart(deps, apart),
    createOperations(deps, lookout),
  ];
}

export async function startConsole(input: ConsoleInput): Promise<RunningConsole> {
  const { config, logger, page = PAGE } = input;
  const { host, prefix, publicOrigin } = config.console;
  const hashing = createHasher(config);
  let tell = (_topics: readonly Topic[]): void => undefined;
  const changed = (topics: readonly Topic[]) => tell(topics);
  const now = () => new Date(systemClock.wallMs());
  // Done before anything looks or listens, so that nothing is left running when one of them fails.
  const key = await readConsoleKey(config.stateDir);
  const access = await createAccess(config, key, logger, now);
  const shares = new ConsoleShares({
    shares: input.shares,
    deps: async () => ({ hasher: hashing.hasher, logger, key: await readShareKey(config), looksOnly: true }),
    onChanged: () => changed(['jobs', 'waiting', 'apart', 'drop', 'operations']),
  });
  await shares.start();
  const metrics = input.work?.all ?? new Metrics();
  const modules = createModules({
    config,
    shares: shares.list,
    temporal: input.temporal,
    logger,
    changed,
    now,
    work: input.work,
    metrics,
  });
  const console = createConsoleServer({
    routes: ROUTES,
    modules,
    access,
    shares: shares.names,
    logger,
    page,
    prefix,
    publicOrigin,
    isLoopback: isLoopbackHost(host),
    key,
    version: `${ownVersion()}+${pageVersion(page)}`,
    now,
  });
  tell = topics => console.live.changed(topics);
  let served: ServedMetrics | undefined;
  const close = async (): Promise<void> => {
    await served?.close();
    await console.close();
    await shares.close();
    await hashing.close();
  };
  try {
    // Where a worker runs in this process, its numbers are served already, and these are among them.
    if (input.work === undefined)
      served = await serveNumbers(config, metrics, standingOf({ shares: shares.list }), logger);
    const port = await listen(console.listen, host, config.console.port);
    return { address: addressOf(config, port), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function addressOf({ console: { host, prefix, publicOrigin } }: Config, port: number): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${publicOrigin ?? `http://${shown}:${port}`}${prefix}/`;
}

async function listen(
  listenOn: (host: string, port: number) => Promise<number>,
  host: string,
  configured: number | undefined,
): Promise<number> {
  const others = Array.from({ length: PORTS - 1 }, (_, index) => FIRST_PORT + 1 + index);
  const ports = configured === undefined ? [FIRST_PORT, ...others, 0] : [configured];
  for (const port of ports) {
    try {
      return await listenOn(host, port);
    } catch (error) {
      const isTaken = hasCode<SystemCode>(error, 'EADDRINUSE');
      if (isTaken && port !== ports.at(-1)) continue;
      const why = isTaken ? 'another program has it' : String(codeOf(error));
      throw new CliError(
        `The page cannot be served at ${host}:${port} (${why}). Set console.host and console.port.`,
        1,
        error,
      );
    }
  }
  throw new Error('No port was tried');
}
