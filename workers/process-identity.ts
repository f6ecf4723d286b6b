// Tells processes apart for certain: a pid is used again by others, a pid with its start time is not.
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly host: string;
  /** Where pids mean the same: containers of one host have process spaces of their own. */
  readonly space: string;
  readonly pid: number;
  /** Opaque; equal only for the same process since the same boot. */
  readonly started: string;
}

/** This process. */
export function thisProcess(): ProcessIdentity {
  return {
    host: hostname(),
    space: readSpace(),
    pid: process.pid,
    started: readStart(process.pid) ?? 'unknown',
  };
}

/** The process that has this pid now, on this host. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = readStart(pid);
  return started === undefined ? undefined : { host: hostname(), space: readSpace(), pid, started };
}

/** `unknown` for processes of another host or process space: nobody here can tell. */
export function livenessOf(identity: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  if (identity.host !== hostname() || identity.space !== readSpace()) return 'unknown';
  const started = readStart(identity.pid);
  if (started === undefined) return 'dead';
  return identity.started === 'unknown' || identity.started === started ? 'alive' : 'dead';
}

function readSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function readStart(pid: number): string | undefined {
  return process.platform === 'linux' ? readStartFromProc(pid) : readStartFromPs(pid);
}

function readStartFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in parentheses and may hold anything, so fields count from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}:${fields[19] ?? ''}`;
  } catch {
    return undefined;
  }
}

function readStartFromPs(pid: number): string | undefined {
  try {
    const answer = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
      // Nothing of our environment is a child's business, its secrets least of all.
      env: { PATH: process.env.PATH },
    });
    return answer.trim() === '' ? undefined : answer.trim();
  } catch {
    return undefined;
  }
}
