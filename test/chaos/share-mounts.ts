// Real mounts for real trouble: a share that goes away, hangs, is full, cannot be written, or has no hard
// links. Needs the right to mount; where that is missing, the cases say so instead of passing.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export type MountKind = 'bind' | 'memory' | 'passthrough' | 'exfat';

/** Programs beside `mount` that a kind needs. */
const PROGRAMS: Readonly<Record<MountKind, readonly string[]>> = {
  bind: [],
  memory: [],
  passthrough: ['bindfs'],
  exfat: ['mkfs.exfat', 'mount.exfat-fuse', 'losetup'],
};

/** With more free than the watcher wants to see before it claims (64 MiB). */
export const MEMORY_BYTES = 96 * 1024 * 1024;
const IMAGE_BYTES = 160 * 1024 * 1024;
/** A mount that has files open for writing all this time is no accident. */
const LONGEST_BUSY_MS = 30_000;

/** Why this kind cannot be had here, or undefined. */
export function whyNoMount(kind: MountKind): string | undefined {
  const missing = PROGRAMS[kind].filter(program => !succeeds('which', [program]));
  if (missing.length > 0) return `${missing.join(' and ')} is not installed`;
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-mount-'));
  try {
    if (!succeeds('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]))
      return 'this process may not mount';
    execFileSync('umount', [folder]);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Why a file cannot be kept from being renamed here, or undefined. */
export function whyNoFileInUse(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-in-use-'));
  const file = join(folder, 'file');
  try {
    writeFileSync(file, '');
    if (!succeeds('chattr', ['+i', file])) return 'files cannot be made immutable';
    execFileSync('chattr', ['-i', file]);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Something mounted over a folder. */
export class Mount {
  readonly #kind: MountKind;
  readonly #at: string;
  /** Where the files really are. */
  readonly #source: string;
  #daemon: ChildProcess | undefined;
  /** The device of an image. */
  #loop: string | undefined;
  #isMounted = false;

  private constructor(kind: MountKind, at: string) {
    this.#kind = kind;
    this.#at = at;
    this.#source = mkdtempSync(join(tmpdir(), 'drawbridge-mounted-'));
  }

  static async over(folder: string, kind: MountKind): Promise<Mount> {
    const mount = new Mount(kind, folder);
    // A file system of its own, as a share is one: the bare folder below is on another device.
    if (kind === 'bind')
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEMORY_BYTES}`, 'tmpfs', mount.#source]);
    if (kind === 'exfat') {
      writeFileSync(mount.#image, '', { flag: 'w' });
      execFileSync('truncate', ['-s', String(IMAGE_BYTES), mount.#image]);
      execFileSync('mkfs.exfat', [mount.#image], { stdio: 'ignore' });
    }
    // Some kinds insist on an empty folder to be mounted over.
    rmSync(join(folder, 'drop'), { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await mount.mount();
    mkdirSync(join(folder, 'drop'), { recursive: true });
    return mount;
  }

  async mount(): Promise<void> {
    switch (this.#kind) {
      case 'bind':
        execFileSync('mount', ['--bind', this.#source, this.#at]);
        break;
      case 'memory':
        execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEMORY_BYTES}`, 'tmpfs', this.#at]);
        break;
      case 'passthrough':
        await this.#serve('bindfs', ['-f', this.#source, this.#at]);
        break;
      case 'exfat':
        this.#loop ??= execFileSync('losetup', ['--find', '--show', this.#image], {
          encoding: 'utf8',
        }).trim();
        await this.#serve('mount.exfat-fuse', ['-d', this.#loop, this.#at]);
        break;
    }
    this.#isMounted = true;
  }

  /** Gone for whoever looks, though files that are open may still be served. */
  unmount(): void {
    execFileSync('umount', ['--lazy', this.#at]);
    this.#isMounted = false;
  }

  /**
   * The system refuses while a file is open for writing, and tells nobody when the last one is
   * closed: asked until it agrees.
   */
  async setReadOnly(isReadOnly: boolean): Promise<void> {
    const options = `remount,bind,${isReadOnly ? 'ro' : 'rw'}`;
    const deadline = performance.now() + LONGEST_BUSY_MS;
    while (!succeeds('mount', ['-o', options, this.#at])) {
      if (performance.now() > deadline) execFileSync('mount', ['-o', options, this.#at]);
      await delay(10);
    }
  }

  /** From now on nothing that touches it comes back. */
  hang(): void {
    this.#daemon?.kill('SIGSTOP');
  }

  answer(): void {
    this.#daemon?.kill('SIGCONT');
  }

  close(): void {
    this.answer();
    if (this.#isMounted) this.unmount();
    this.#daemon?.kill('SIGKILL');
    if (this.#kind === 'bind') execFileSync('umount', ['--lazy', this.#source]);
    if (this.#loop !== undefined) execFileSync('losetup', ['--detach', this.#loop]);
    rmSync(this.#source, { recursive: true, force: true });
  }

  get #image(): string {
    return join(this.#source, 'image');
  }

  async #serve(program: string, args: readonly string[]): Promise<void> {
    this.#daemon = spawn(program, args, { stdio: 'ignore' });
    while (!succeeds('mountpoint', ['-q', this.#at])) {
      if (this.#daemon.exitCode !== null) throw new Error(`${program} ended with ${this.#daemon.exitCode}`);
      await delay(20);
    }
  }
}

function succeeds(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
