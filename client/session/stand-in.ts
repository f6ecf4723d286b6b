// Runs the stand-in service as a process of its own, and says how to reach it.
// The only place that knows test/.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isGone } from '../../activities/host/file-trouble';
import { takeLock } from '../../activities/host/process-lock';
import { Secret } from '../../activities/service/secret';
import { completeServiceConfig, type ServiceConfig } from '../../activities/service/service-config';
import type { ShareConfig } from '../../activities/share/share-config';
import {
  COMPANY_HEADER,
  DEFAULT_COMPANY_ID,
  DEFAULT_CREDENTIALS,
  DEFAULT_PORTS,
  DEFAULT_PROJECTS,
} from '../../test/sandbox/defaults';
import type { Config } from '../../workers/config/config';
import { toShareConfig } from '../../workers/config/config-share';
import { shareSection } from '../../workers/config/share-section';
import { childEnvironment } from '../../workers/temporal/child-environment';
import { isPortFree } from '../../workers/temporal/free-port';
import { CliError, EXIT_CODES } from './cli-error';

const PROGRAM = join(__dirname, '..', '..', 'test', 'sandbox', 'main.js');
const READY_WITHIN_MS = 60_000;
const KILL_AFTER_MS = 10_000;

export interface StandInInput {
  /** Its state, which survives restarts. */
  readonly dataFolder: string;
  readonly logFile: string;
  /** First of four ports in a row; absent: the stand-in's default ports. */
  readonly firstPort?: number | undefined;
  /** How that is given where it was started: for the message that one of them is taken. */
  readonly portOption: '--port' | '--stand-in-port';
  /** How many times faster than the real service its time runs. */
  readonly speed: number;
}

export interface StandIn {
  readonly urls: StandInUrls;
  readonly service: ServiceConfig;
  /** Resolves when the process ends, asked or not. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

export interface StandInUrls {
  readonly apiUrl: string;
  readonly authUrl: string;
  readonly storageUrl: string;
  readonly controlUrl: string;
}

/** Starts it and resolves once it answers; it ends with us even when we are killed. */
export async function startStandIn(input: StandInInput): Promise<StandIn> {
  const ports = portsFrom(input.firstPort);
  for (const [name, port] of Object.entries(ports)) {
    if (await isPortFree(port)) continue;
    throw new CliError(
      `The stand-in service needs port ${port} (${name}), and another program has it. Stop that program, or give ${input.portOption} with the first of four free ports.`,
    );
  }
  mkdirSync(input.dataFolder, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(input.logFile), { recursive: true, mode: 0o700 });
  const lockFolder = `${input.dataFolder}-lock`;
  const outcome = await takeLock(lockFolder, { isOfOneHost: true });
  if (outcome.kind === 'taken') {
    throw new CliError(
      `A stand-in service runs already on ${input.dataFolder}: ${outcome.owner} has it. If that process is gone, remove ${lockFolder}.`,
      EXIT_CODES.alreadyRunning,
    );
  }
  const child = forkProgram(input, ports);
  const exited = once(child, 'exit').then(() => outcome.lock.release());
  const urls = await waitForReady(child, exited, input);
  const addresses = addressesOf(input.dataFolder);
  writeFileSync(addresses, JSON.stringify(urls), { mode: 0o600 });
  const stop = async (): Promise<void> => {
    rmSync(addresses, { force: true });
    await end(child, exited);
  };
  return { urls, service: toService(urls), exited, stop };
}

/** The configured service, or the stand-in that `run` has started on the same data; undefined for neither. */
export function serviceOf(config: Config): ServiceConfig | undefined {
  if (config.service !== undefined) return config.service;
  const text = readIfThere(addressesOf(join(config.stateDir, 'stand-in')));
  return text === undefined ? undefined : toService(JSON.parse(text) as StandInUrls);
}

function addressesOf(dataFolder: string): string {
  return `${dataFolder}-addresses.json`;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** The share that `run` watches when none is configured: its defaults fill what each type requires. */
export function standInShare(folder: string): ShareConfig {
  const settings = shareSection.parse({
    name: 'tender',
    folder,
    project: { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain },
    settle: '2s',
    scanEvery: '2s',
    fileNamePattern: '^(?<number>.+?)(\\.[^.]{1,10})?$',
    defaults: {
      Type: 'Document',
      Status: 'Work in Progress',
      Revision: 'A',
      Discipline: 'Architectural',
      Originator: 'Alder Engineering',
    },
  });
  return toShareConfig(settings, folder);
}

/** The configured shares, or the one that `run` makes for itself. */
export function sharesOf(config: Config): readonly ShareConfig[] {
  return config.shares.length > 0 ? config.shares : [standInShare(join(dirname(config.stateDir), 'share'))];
}

function portsFrom(
  firstPort: number | undefined,
): typeof DEFAULT_PORTS | Record<keyof typeof DEFAULT_PORTS, number> {
  if (firstPort === undefined) return DEFAULT_PORTS;
  return { api: firstPort, auth: firstPort + 1, storage: firstPort + 2, control: firstPort + 3 };
}

function forkProgram(input: StandInInput, ports: Record<string, number>): ChildProcess {
  const log = openSync(input.logFile, 'a', 0o600);
  try {
    return fork(
      PROGRAM,
      [
        ...Object.entries(ports).flatMap(([name, port]) => [`--${name}-port`, String(port)]),
        ...['--data-dir', input.dataFolder, '--time-scale', String(input.speed), '--quiet'],
      ],
      {
        // A session of its own: Ctrl-C in the terminal reaches us only, and we end things in order.
        detached: true,
        stdio: ['ignore', log, log, 'ipc'],
        env: childEnvironment(process.env),
        execArgv: [],
      },
    );
  } finally {
    closeSync(log);
  }
}

async function waitForReady(
  child: ChildProcess,
  exited: Promise<void>,
  input: StandInInput,
): Promise<StandInUrls> {
  const timeout = AbortSignal.timeout(READY_WITHIN_MS);
  const ready = once(child, 'message', { signal: timeout }).then(
    ([message]) => message as { urls: StandInUrls },
  );
  const ended = exited.then(() => undefined);
  const first = await Promise.race([ready, ended]).catch(() => undefined);
  // Its timeout may still come later, when nobody waits for it any more.
  ready.catch(() => undefined);
  if (first !== undefined) return first.urls;
  child.kill('SIGKILL');
  throw new CliError(`The stand-in service did not start. See ${input.logFile}`);
}

async function end(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const killing = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  await exited;
  clearTimeout(killing);
}

function toService(urls: StandInUrls): ServiceConfig {
  return completeServiceConfig({
    baseUrl: urls.apiUrl,
    authUrl: urls.authUrl,
    companyHeader: COMPANY_HEADER,
    clientId: DEFAULT_CREDENTIALS.clientId,
    clientSecret: new Secret(DEFAULT_CREDENTIALS.clientSecret),
    allowInsecureLoopback: true,
  });
}
