// A Temporal development server of our own, its database in a file. It ends with us, and never before us.

import { randomInt } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import { codeOf, hasCode } from '../../activities/host/error-code';
import type { SystemCode } from '../../activities/host/file-trouble';
import {
  identify,
  livenessOf,
  type ProcessIdentity,
  storedIdentity,
} from '../../activities/host/process-identity';
import { type HeldLock, takeLock } from '../../activities/host/process-lock';
import { childEnvironment } from './child-environment';
import { type ChildExit, type GuardedChild, spawnGuarded } from './child-guard';
import { openUiDoor, type UiDoor, type UiPlace } from './embedded-ui';
import { findFreePort, isPortServed, tryToListen } from './free-port';

const HOST = '127.0.0.1';
/**
 * The server has an HTTP API as well, on a port of its own choosing, to which any web page in a browser
 * could send requests. With this it answers to one name only, which no page can have: `.invalid` leads
 * nowhere (RFC 2606).
 */
const NO_HTTP_API = 'frontend.httpAllowedHosts=["disabled.invalid"]';
const READY_WITHIN_MS = 60_000;
const READY_POLL_MS = 50;
const ANSWERS_WITHIN_MS = 10_000;
const KILL_AFTER_MS = 10_000;
/**
 * The server is killed so long after it was asked to end. It would first wait a second for its own pollers,
 * and then close one queue after the other. By then all others have gone, and what it has answered is in
 * its database, which a kill does not harm.
 */
const END_WITHIN_MS = 1_000;
const LOG_LIMIT_BYTES = 5 * 1024 ** 2;
const QUOTED_LOG_LINES = 8;

export interface EmbeddedTemporalInput {
  /** The CLI's path. */
  readonly cli: string;
  readonly port: number;
  /** Made where it is not there yet; the server always has "default". */
  readonly namespace?: string;
  /** Absent: no Web UI. */
  readonly uiPort?: number | undefined;
  /** Absent: in memory. Its folder is created. */
  readonly database?: string | undefined;
  /**
   * `holdDatabase`, by whoever starts the server again and again: nobody comes in between. Absent: held here,
   * for as long as the server lives.
   */
  readonly lock?: HeldLock | undefined;
  readonly logFile: string;
  readonly logLevel: string;
  /** Further settings of the server, `key=JSON`. */
  readonly dynamicConfig?: readonly string[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** Called once the server's process exists: what is done then is done while it starts. */
  readonly onSpawned?: (() => void) | undefined;
}

export interface EmbeddedTemporal {
  /** host:port for clients and workers. */
  readonly address: string;
  readonly uiAddress?: string;
  /** Resolves when the server ends, asked or not. */
  readonly exited: Promise<ChildExit>;
  /** Whether it answers from its database within this time; by default ten seconds. */
  answers(withinMs?: number): Promise<boolean>;
  stop(): Promise<void>;
}

type EmbeddedTemporalFault = 'PORT_TAKEN' | 'DATABASE_TAKEN' | 'NOT_STARTED';

/** The server did not come up; the message says why and what to set. */
class EmbeddedTemporalError extends Error {
  readonly code: EmbeddedTemporalFault;

  constructor(code: EmbeddedTemporalFault, message: string) {
    super(message);
    this.name = 'EmbeddedTemporalError';
    this.code = code;
  }
}

/**
 * Starts the server and resolves once it answers. A server left over from a killed
 * process of ours is ended first.
 */
export async function startEmbeddedTemporal(input: EmbeddedTemporalInput): Promise<EmbeddedTemporal> {
  if (input.database === undefined || input.lock !== undefined) return await startServer(input);
  const lock = await holdDatabase(input.database);
  // One that cannot be given back is free once this process has ended.
  const release = async (): Promise<void> => await lock.release().catch(() => undefined);
  try {
    const server = await startServer(input);
    const exited = server.exited.then(async exit => {
      await release();
      return exit;
    });
    const stop = async (): Promise<void> => {
      await server.stop();
      await exited;
    };
    return { ...server, exited, stop };
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * Lets no other process start a server on the database. Without it each of two would take the other's for one
 * that was left over, and end it. Throws DATABASE_TAKEN, with who has it.
 */
export async function holdDatabase(database: string): Promise<HeldLock> {
  const folder = `${database}-lock`;
  const outcome = await takeLock(folder, { isOfOneHost: true });
  if (outcome.kind === 'held') return outcome.lock;
  throw new EmbeddedTemporalError(
    'DATABASE_TAKEN',
    `A Temporal server runs already on the database ${database}: ${outcome.owner} has it. Stop that one, or set temporal.embedded.database or DRAWBRIDGE_TEMPORAL__EMBEDDED__DATABASE to another file. If that process is gone, remove ${folder}.`,
  );
}

async function startServer(input: EmbeddedTemporalInput): Promise<EmbeddedTemporal> {
  if (input.database !== undefined) {
    mkdirSync(dirname(input.database), { recursive: true, mode: 0o700 });
    await endLeftOver(pidFileOf(input.database));
  }
  await requireFreePort(input.port, 'temporal.embedded.port', 'DRAWBRIDGE_TEMPORAL__EMBEDDED__PORT');
  if (input.uiPort !== undefined) {
    await requireFreePort(input.uiPort, 'temporal.embedded.uiPort', 'DRAWBRIDGE_TEMPORAL__EMBEDDED__UI_PORT');
  }
  const ui = input.uiPort === undefined ? undefined : await findUiPlace();
  const child = await spawnServer(input, ui);
  if (input.database !== undefined) {
    writeFileSync(pidFileOf(input.database), JSON.stringify(identify(child.pid) ?? null), { mode: 0o600 });
  }
  input.onSpawned?.();
  const address = `${HOST}:${input.port}`;
  await waitUntilReady(address, child, input);
  const door = await openDoor(input, ui, child);
  return {
    address,
    ...(input.uiPort === undefined ? {} : { uiAddress: `http://${HOST}:${input.uiPort}` }),
    // Some callers start it again at once: the door has given up its port by then.
    exited: child.exited.then(async exit => {
      await door?.close();
      return exit;
    }),
    answers: (withinMs = ANSWERS_WITHIN_MS) => answersAsTemporal(address, withinMs),
    stop: async () => {
      await door?.close();
      await child.stop();
      if (input.database !== undefined) rmSync(pidFileOf(input.database), { force: true });
    },
  };
}

/** Resolves when nothing listens on the port; throws PORT_TAKEN with what to set instead. */
export async function requireFreePort(port: number, setting: string, variable: string): Promise<void> {
  const code = await tryToListen(port);
  if (code === undefined) return;
  if (code !== 'EADDRINUSE') {
    throw new EmbeddedTemporalError(
      'NOT_STARTED',
      `Port ${port} cannot be used (${code}). Set ${setting} or ${variable}.`,
    );
  }
  const isTemporal = await answersAsTemporal(`${HOST}:${port}`, 1_000);
  throw new EmbeddedTemporalError(
    'PORT_TAKEN',
    isTemporal
      ? `Port ${port} is taken by a Temporal server that runs already. To use that one, set TEMPORAL_ADDRESS=${HOST}:${port}; to run another, set ${setting} or ${variable}.`
      : `Port ${port} is taken by another program. Set ${setting} or ${variable} to a free one.`,
  );
}

/**
 * Where the UI itself listens: a random address of this machine and a random port, which a web page would
 * have to guess. Where the system has one such address only (not on Linux, Windows), only the port is random.
 */
async function findUiPlace(): Promise<UiPlace> {
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const port = await findFreePort(host);
  return port === undefined ? { host: HOST, port: (await findFreePort(HOST)) ?? 0 } : { host, port };
}

/** Opens the door before the UI, or stops the server and throws. `exited` closes it, once the server ends. */
async function openDoor(
  input: EmbeddedTemporalInput,
  ui: UiPlace | undefined,
  child: GuardedChild,
): Promise<UiDoor | undefined> {
  if (input.uiPort === undefined || ui === undefined) return undefined;
  try {
    return await openUiDoor(input.uiPort, ui);
  } catch (error) {
    await child.stop();
    throw new EmbeddedTemporalError(
      hasCode<SystemCode>(error, 'EADDRINUSE') ? 'PORT_TAKEN' : 'NOT_STARTED',
      `Port ${input.uiPort} cannot be used (${String(codeOf(error))}). Set temporal.embedded.uiPort or DRAWBRIDGE_TEMPORAL__EMBEDDED__UI_PORT.`,
    );
  }
}

async function spawnServer(input: EmbeddedTemporalInput, ui: UiPlace | undefined): Promise<GuardedChild> {
  mkdirSync(dirname(input.logFile), { recursive: true, mode: 0o700 });
  keepLogSmall(input.logFile);
  const log = openSync(input.logFile, 'a', 0o600);
  try {
    return await spawnGuarded({
      command: input.cli,
      args: [
        ...['server', 'start-dev', '--ip', HOST, '--port', String(input.port)],
        ...(input.namespace === undefined || input.namespace === 'default'
          ? []
          : ['--namespace', input.namespace]),
        ...(ui === undefined ? ['--headless'] : ['--ui-ip', ui.host, '--ui-port', String(ui.port)]),
        ...[NO_HTTP_API, ...(input.dynamicConfig ?? [])].flatMap(value => ['--dynamic-config-value', value]),
        ...(input.database === undefined ? [] : ['--db-filename', input.database]),
        ...['--log-level', input.logLevel, '--log-format', 'json'],
      ],
      environment: childEnvironment(input.environment ?? process.env),
      outputFd: log,
      killAfterMs: END_WITHIN_MS,
    });
  } finally {
    closeSync(log);
  }
}

async function waitUntilReady(
  address: string,
  child: GuardedChild,
  input: EmbeddedTemporalInput,
): Promise<void> {
  const deadline = AbortSignal.timeout(READY_WITHIN_MS);
  const exit: { seen?: ChildExit } = {};
  void child.exited.then(seen => {
    exit.seen = seen;
  });
  // A client that is refused waits a second before it asks again; the port itself can be asked all the time.
  while (!(await isPortServed(input.port)) || !(await answersAsTemporal(address, 5_000))) {
    if (exit.seen !== undefined || deadline.aborted || input.signal?.aborted === true) {
      await child.stop();
      input.signal?.throwIfAborted();
      const what =
        exit.seen === undefined ? `did not answer within ${READY_WITHIN_MS / 1_000} s` : 'ended at once';
      throw new EmbeddedTemporalError(
        'NOT_STARTED',
        `The Temporal server ${what}. The end of its log (${input.logFile}):\n${lastLines(input.logFile)}`,
      );
    }
    await delay(READY_POLL_MS);
  }
}

async function answersAsTemporal(address: string, withinMs: number): Promise<boolean> {
  // Asked once: the client would ask a server whose database is broken again until the time is over.
  const connection = Connection.lazy({ address, interceptors: [] });
  try {
    await connection.withDeadline(systemClock.wallMs() + withinMs, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

/** A kill of our guard leaves the server running; its database must not be opened twice. */
async function endLeftOver(pidFile: string): Promise<void> {
  const owner = readIdentity(pidFile);
  if (owner === undefined || livenessOf(owner) !== 'alive') return;
  process.kill(owner.pid, 'SIGTERM');
  const killAtMs = systemClock.monotonicMs() + KILL_AFTER_MS;
  while (livenessOf(owner) === 'alive') {
    if (systemClock.monotonicMs() > killAtMs) process.kill(owner.pid, 'SIGKILL');
    await delay(READY_POLL_MS);
  }
}

function readIdentity(pidFile: string): ProcessIdentity | undefined {
  try {
    return storedIdentity.parse(JSON.parse(readFileSync(pidFile, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Whether the server that runs on the database was started with its HTTP API closed; undefined where none
 * runs, or the system does not tell what a process was started with.
 */
export function isHttpApiClosed(database: string): boolean | undefined {
  const owner = readIdentity(pidFileOf(database));
  if (owner === undefined || livenessOf(owner) !== 'alive') return undefined;
  try {
    return readFileSync(`/proc/${owner.pid}/cmdline`, 'utf8').split('\0').includes(NO_HTTP_API);
  } catch {
    return undefined;
  }
}

function pidFileOf(database: string): string {
  return `${database}.pid`;
}

function keepLogSmall(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.1`);
}

function lastLines(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-QUOTED_LOG_LINES);
  return lines.map(line => `  ${line.slice(0, 300)}`).join('\n');
}
