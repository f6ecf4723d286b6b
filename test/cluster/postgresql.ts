// PostgreSQL from the system's packages, in a folder of its own and on a port of its own.
import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { childEnvironment } from '../../workers/temporal/child-environment';
import { runTool } from '../../workers/temporal/temporal-cli-fetch';
import type { BuildInput } from './built-programs';
import { SupervisedProcess } from './supervised-process';

const run = promisify(execFile);
const PACKAGES = '/usr/lib/postgresql';
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const READY_WITHIN_MS = 60_000;
const READY_POLL_MS = 200;
const KILL_AFTER_MS = 10_000;
const NEEDED = ['postgres', 'initdb', 'pg_isready'];

/**
 * Folder with the server's programs: on PATH, in Debian's place, or installed now
 * (root, with apt). Throws in words.
 */
export async function findPostgresql(input: BuildInput): Promise<string> {
  const found = lookForPostgresql(input.environment.PATH ?? '', PACKAGES);
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(
      'PostgreSQL\'s server programs (postgres, initdb) are neither on PATH nor below /usr/lib/postgresql. Install the system\'s package, for example "apt-get install postgresql".',
    );
  }
  input.reporter.say('PostgreSQL is not installed: apt-get install postgresql');
  const outcome = await runTool({
    ...input,
    cacheFolder: '',
    title: 'installing PostgreSQL',
    command: '/usr/bin/apt-get',
    args: ['install', '-y', '--no-install-recommends', 'postgresql'],
    toolEnvironment: { ...childEnvironment(input.environment), DEBIAN_FRONTEND: 'noninteractive' },
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  const installed = lookForPostgresql(input.environment.PATH ?? '', PACKAGES);
  if (installed !== undefined) return installed;
  const why = outcome.kind === 'failed' ? outcome.why : 'its programs are not where they belong';
  throw new Error(`PostgreSQL cannot be installed: ${why}. "apt-get update" may help.`);
}

/** The first folder of `path` that has the server's programs, else the newest below `packages`. */
export function lookForPostgresql(path: string, packages: string): string | undefined {
  const versions = existsSync(packages) ? readdirSync(packages) : [];
  const newestFirst = versions.sort((left, right) => right.localeCompare(left, 'en', { numeric: true }));
  const folders = [
    ...path.split(delimiter).filter(folder => folder !== ''),
    ...newestFirst.map(version => join(packages, version, 'bin')),
  ];
  return folders.find(folder => NEEDED.every(program => existsSync(join(folder, program))));
}

export interface PostgresqlInput {
  /** Folder of the server's programs. */
  readonly programs: string;
  /** Made here; whoever runs the server must be able to reach it. */
  readonly folder: string;
  readonly logFile: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly signal: AbortSignal;
}

export class Postgresql {
  readonly process: SupervisedProcess;
  readonly #input: PostgresqlInput;

  constructor(input: PostgresqlInput) {
    this.#input = input;
    const settings = { port: input.port, listen_addresses: '127.0.0.1', unix_socket_directories: '' };
    this.process = new SupervisedProcess({
      name: 'postgresql',
      ...asServerUser(join(input.programs, 'postgres'), [
        ...['-D', input.folder],
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ]),
      environment: childEnvironment(process.env),
      logFile: input.logFile,
      killAfterMs: KILL_AFTER_MS,
      // SIGTERM would wait for every client to leave.
      stopSignal: 'SIGINT',
    });
  }

  /** An empty database cluster with one superuser, who needs the password. */
  async initialise(): Promise<void> {
    const { folder, programs, user, password, signal } = this.#input;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const passwordFile = `${folder}.password`;
    writeFileSync(passwordFile, password, { mode: 0o600 });
    const owner = serverUser();
    if (owner !== undefined) {
      for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
    }
    const { command, args } = asServerUser(join(programs, 'initdb'), [
      ...['-D', folder, '-U', user, '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--no-locale'],
    ]);
    // Not the folder we were called from: the server's user may not enter it.
    await run(command, args, { cwd: folder, env: childEnvironment(process.env), signal });
    rmSync(passwordFile, { force: true });
  }

  /** Starts it and waits until it takes connections. */
  async start(): Promise<void> {
    await this.process.start();
    const deadline = performance.now() + READY_WITHIN_MS;
    while (!(await this.#isReady())) {
      this.#input.signal.throwIfAborted();
      if (!this.process.isRunning || performance.now() > deadline) {
        throw new Error(`PostgreSQL does not come up. The end of its log:\n${this.process.lastLines()}`);
      }
      await delay(READY_POLL_MS, undefined, { signal: this.#input.signal });
    }
  }

  /**
   * As a power cut would: the server and every process of it, at once. What was
   * committed is in its write-ahead log.
   */
  async kill(): Promise<void> {
    const { pid } = this.process;
    await this.process.kill(childrenOf(pid));
  }

  async #isReady(): Promise<boolean> {
    const { programs, port } = this.#input;
    try {
      await run(join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]);
      return true;
    } catch {
      return false;
    }
  }
}

/** PostgreSQL refuses to run as root; as anybody else it runs as who we are. */
function asServerUser(program: string, args: readonly string[]): { command: string; args: string[] } {
  const user = serverUser();
  if (user === undefined) return { command: program, args: [...args] };
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  return { command: 'setpriv', args: [...identity, '--', program, ...args] };
}

function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody".');
}

/** Linux; elsewhere PostgreSQL's processes notice by themselves that their parent has gone. */
function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').map(Number);
  } catch {
    return [];
  }
}
