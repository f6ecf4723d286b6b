// Who holds a lock: enough to tell, on this host, a living owner from a dead one
// whose process id was given anew.
import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { codeOf } from '../../host/error-code';

export interface ProcessIdentity {
  readonly host: string;
  /** Changes with every start of the machine; empty where the system does not say. */
  readonly boot: string;
  /**
   * Process ids mean something only within this space (containers have their own); empty where there is none.
   */
  readonly pidSpace: string;
  readonly pid: number;
  /** When the process began, in the system's own words; empty when it cannot be told. */
  readonly startedAt: string;
}

/** The identity of this process. */
export async function identifySelf(): Promise<ProcessIdentity> {
  return {
    host: hostname(),
    boot: await readOr('', () => readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
    pidSpace: await readOr('', () => readlink('/proc/self/ns/pid')),
    pid: process.pid,
    startedAt: (await readStart(process.pid)) ?? '',
  };
}

/**
 * Whether `owner` still runs: `foreign` when that cannot be told from here
 * (another host or another container).
 */
export async function judgeOwner(
  owner: ProcessIdentity,
  self: ProcessIdentity,
): Promise<'alive' | 'dead' | 'foreign'> {
  if (owner.host !== self.host) return 'foreign';
  if (owner.boot !== self.boot) return 'dead';
  if (owner.pidSpace !== self.pidSpace) return 'foreign';
  if (!isRunning(owner.pid)) return 'dead';
  const startedAt = await readStart(owner.pid);
  // Ended just now, or its id was given to another process.
  if (startedAt === undefined) return isRunning(owner.pid) ? 'alive' : 'dead';
  return owner.startedAt === '' || startedAt === owner.startedAt ? 'alive' : 'dead';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return codeOf(error) === 'EPERM';
  }
}

async function readStart(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readOr('', () => readFile(`/proc/${pid}/stat`, 'utf8'));
    // Field 2 is the program's name in brackets and may hold anything; count from its end. A
    // zombie holds nothing any more.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
    // Nothing of our environment is a child's business, its secrets least of all.
    env: { PATH: process.env.PATH },
  }).catch(() => ({ stdout: '' }));
  return stdout.trim() || undefined;
}

async function readOr(fallback: string, read: () => Promise<string>): Promise<string> {
  try {
    return (await read()).trim();
  } catch {
    return fallback;
  }
}
