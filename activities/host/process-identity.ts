// Which process something belongs to, for what outlives processes: locks, claims, pid files. A pid is given
// to another process once its owner has ended; a pid with the time at which its process began is not.
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import { hasCode } from './error-code';
import type { SystemCode } from './file-trouble';

export interface ProcessIdentity {
  readonly host: string;
  /** Changes with every start of the machine; empty where the system does not say. */
  readonly boot: string;
  /** Pids mean the same only within this space: containers have their own. Empty where there is none. */
  readonly pidSpace: string;
  readonly pid: number;
  /** When the process began, in the system's own words; empty when it cannot be told. */
  readonly startedAt: string;
}

/**
 * `alive`: certainly this process. `running`: its pid is in use, but by which process the system does not
 * say. `elsewhere`: on another host or in another container, about which nobody here can tell.
 */
export type Liveness = 'alive' | 'running' | 'dead' | 'elsewhere';

const current = z.object({
  host: z.string(),
  boot: z.string(),
  pidSpace: z.string(),
  pid: z.int().positive(),
  startedAt: z.string(),
});

/** How version 0.1.0 writes it with the lock of a run, and reads it there: with the boot in `started`. */
const former = z.object({
  host: z.string(),
  space: z.string(),
  pid: z.int().positive(),
  started: z.string(),
});

/** An identity as it lies in a file, in either form. */
export const storedIdentity = z.union([
  current,
  former.transform(({ host, space, pid, started }): ProcessIdentity => {
    const [, boot = '', startedAt = started] = /^([\da-f-]{36}):(.*)$/s.exec(started) ?? [];
    return { host, boot, pidSpace: space, pid, startedAt: startedAt === 'unknown' ? '' : startedAt };
  }),
]);

export function toFormerIdentity(identity: ProcessIdentity): z.input<typeof former> {
  const { host, boot, pidSpace, pid, startedAt } = identity;
  const started = boot === '' ? startedAt : `${boot}:${startedAt}`;
  return { host, space: pidSpace, pid, started: startedAt === '' ? 'unknown' : started };
}

let self: ProcessIdentity | undefined;

/** This process. It keeps the name of its host for as long as it lives, also when people change that. */
export function thisProcess(): ProcessIdentity {
  self ??= {
    host: hostname(),
    boot: readQuietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    pidSpace: readQuietly(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    startedAt: readStart(process.pid),
  };
  return self;
}

/** The process of this host that has this pid now; undefined when it cannot be told apart from others. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = readStart(pid);
  return startedAt === '' || startedAt === ENDED ? undefined : { ...thisProcess(), pid, startedAt };
}

/**
 * `isOfOneHost`: it lies where only one host writes. Then a process of another start of a machine has ended,
 * also when the host has another name now, as each new container has.
 */
export function livenessOf(identity: ProcessIdentity, { isOfOneHost = false } = {}): Liveness {
  const here = thisProcess();
  const isOfOtherStart = identity.boot !== '' && identity.boot !== here.boot;
  if (isOfOtherStart && isOfOneHost && here.boot !== '') return 'dead';
  if (identity.host !== here.host) return 'elsewhere';
  if (isOfOtherStart) return 'dead';
  if (identity.pidSpace !== here.pidSpace) return 'elsewhere';
  const startedAt = readStart(identity.pid);
  if (startedAt !== '' && identity.startedAt !== '')
    return startedAt === identity.startedAt ? 'alive' : 'dead';
  return startedAt !== ENDED && isRunning(identity.pid) ? 'running' : 'dead';
}

/** For a process that has ended, but not in its parent's eyes yet (a zombie): it still has its pid. */
const ENDED = 'ended';

/** Empty when there is no such process, or the system does not say. */
function readStart(pid: number): string {
  if (process.platform !== 'linux') return readStartFromPs(pid);
  const stat = readQuietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The program's name stands in brackets and may hold anything: fields count from the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? ENDED : (fields[19] ?? '');
}

function readStartFromPs(pid: number): string {
  return readQuietly(() =>
    execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
      stdio: ['ignore', 'pipe', 'ignore'],
      // Nothing of our environment is a child's business, its secrets least of all.
      env: { PATH: process.env.PATH },
    }),
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return hasCode<SystemCode>(error, 'EPERM');
  }
}

function readQuietly(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return '';
  }
}
